// SPDX-License-Identifier: GPL-2.0-only
#include "vm/device.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <string.h>

G_DEFINE_AUTOPTR_CLEANUP_FUNC(xmlDoc, xmlFreeDoc)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(xmlXPathContext, xmlXPathFreeContext)

/* The text that @path leads to, or NULL. */
static char *xpath_text(xmlDoc *document, const char *path)
{
	g_autoptr(xmlXPathContext) context = xmlXPathNewContext(document);
	xmlXPathObject *found = xmlXPathEvalExpression((const xmlChar *)path, context);
	char *text = NULL;

	if (found && !xmlXPathNodeSetIsEmpty(found->nodesetval)) {
		xmlChar *content = xmlNodeGetContent(found->nodesetval->nodeTab[0]);

		text = g_strdup((const char *)content);
		xmlFree(content);
	}
	xmlXPathFreeObject(found);
	return text;
}

/* @path: of the device's element. */
static struct device *device_at(const char *xml, const char *path, enum device_kind kind,
				const char *name_below)
{
	g_autoptr(xmlDoc) document =
		xmlReadMemory(xml, (int)strlen(xml), NULL, NULL,
			      XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	g_autofree char *name_path = g_strconcat(path, name_below, NULL);
	g_autofree char *socket_path = g_strconcat(path, "[@type='unix']/source/@path", NULL);
	AUTO(device) *device = g_new0(struct device, 1);

	if (!document)
		return NULL;
	device->kind = kind;
	device->name = xpath_text(document, name_path);
	device->socket = xpath_text(document, socket_path);
	return device->name ? g_steal_pointer(&device) : NULL;
}

struct device *device_find_serial(const char *xml, unsigned port)
{
	g_autofree char *path = g_strdup_printf("/domain/devices/serial[target/@port='%u']", port);

	return device_at(xml, path, DEVICE_SERIAL, "/alias/@name");
}

struct device *device_find_channel(const char *xml, const char *name)
{
	g_autofree char *path = g_strdup_printf("/domain/devices/channel[target/@name='%s']", name);

	return device_at(xml, path, DEVICE_CHANNEL, "/target/@name");
}

void device_free(struct device *device)
{
	if (!device)
		return;
	g_free(device->name);
	g_free(device->socket);
	g_free(device);
}
