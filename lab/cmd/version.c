// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/version.h"

#include "base/version.h"
#include "kernel/kernel.h"
#include "report/report.h"

#include <archive.h>
#include <glib.h>
#include <hwloc.h>
#include <jansson.h>
#include <libfyaml.h>
#include <libsmartcols.h>
#include <libvirt/libvirt.h>
#include <libxml/parser.h>
#include <libxml/xmlversion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#ifdef __clang__
#define COMPILER __VERSION__ /* "Debian Clang 14.0.6" */
#else
#define COMPILER "gcc " __VERSION__
#endif

/* A number of decimal groups, two or three digits each: libvirt's 11003000, libxml2's 20914. */
static char *dotted(unsigned long number, unsigned long group)
{
	return g_strdup_printf("%lu.%lu.%lu", number / group / group, number / group % group,
			       number % group);
}

/* @running: NULL where the library cannot say, or says the same as @built. Both are taken over. */
static void add(GString *text, const char *library, char *built, char *running)
{
	g_string_append_printf(text, "%s %s", library, built);
	if (running && strcmp(running, built) != 0)
		g_string_append_printf(text, " (running with %s)", running);
	g_string_append_c(text, '\n');
	g_free(built);
	g_free(running);
}

static void add_libvirt(GString *text)
{
	unsigned long running = 0;

	add(text, "libvirt", dotted(LIBVIR_VERSION_NUMBER, 1000),
	    virGetVersion(&running, NULL, NULL) == 0 ? dotted(running, 1000) : NULL);
}

/* Of hwloc only the interface's version can be asked while running. */
static void add_hwloc(GString *text)
{
	unsigned running = hwloc_get_api_version();

	add(text, "hwloc", g_strdup(HWLOC_VERSION),
	    running == HWLOC_API_VERSION ? NULL
					 : g_strdup_printf("interface %u.%u.%u", running >> 16,
							   running >> 8 & 0xff, running & 0xff));
}

/* "libarchive 3.6.2" */
static char *last_word(const char *text)
{
	const char *blank = strrchr(text, ' ');

	return g_strdup(blank ? blank + 1 : text);
}

/* "20914", and a "-GIT..." behind it in some builds. */
static char *libxml2_running(void)
{
	return dotted(strtoul(xmlParserVersion, NULL, 10), 100);
}

static char *smartcols_running(void)
{
	const char *version = NULL;

	scols_get_library_version(&version);
	return g_strdup(version);
}

/* What was built in, from the tables that the Makefile makes. */
static void add_features(GString *text)
{
	g_string_append(text, "reports");
	for (unsigned i = 0; report_format_table[i]; i++)
		g_string_append_printf(text, " %s", report_format_table[i]->name);
	g_string_append(text, "\nkernels");
	for (unsigned i = 0; kernel_source_table[i]; i++)
		g_string_append_printf(text, " %s", kernel_source_table[i]->kind);
	g_string_append_printf(text, "\ncompiler %s\n", COMPILER);
}

char *version_text(void)
{
	GString *text = g_string_new("topolab " TOPOLAB_VERSION "\n");

	add(text, "glib",
	    g_strdup_printf("%u.%u.%u", GLIB_MAJOR_VERSION, GLIB_MINOR_VERSION, GLIB_MICRO_VERSION),
	    g_strdup_printf("%u.%u.%u", glib_major_version, glib_minor_version,
			    glib_micro_version));
	add_libvirt(text);
	add_hwloc(text);
	add(text, "libfyaml", g_strdup(fy_library_version()), NULL); /* no macro says it */
	add(text, "jansson", g_strdup(JANSSON_VERSION), g_strdup(jansson_version_str()));
	add(text, "libarchive", g_strdup(ARCHIVE_VERSION_ONLY_STRING),
	    last_word(archive_version_string()));
	add(text, "libsmartcols", g_strdup(LIBSMARTCOLS_VERSION), smartcols_running());
	add(text, "libxml2", g_strdup(LIBXML_DOTTED_VERSION), libxml2_running());
	add(text, "zlib", g_strdup(ZLIB_VERSION), g_strdup(zlibVersion()));
	add_features(text);
	return g_string_free(text, FALSE);
}
