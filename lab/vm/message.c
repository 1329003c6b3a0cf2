// SPDX-License-Identifier: GPL-2.0-only
#include "vm/message.h"

#include "base/error.h"
#include "base/names.h"

#include <jansson.h>

ENUM_NAMES(message_kind, MESSAGE_COUNT, [MESSAGE_CONNECTED] = "connected",
	   [MESSAGE_FROZEN] = "frozen", [MESSAGE_STARTED] = "started", [MESSAGE_BYTES] = "bytes",
	   [MESSAGE_LOOKED] = "looked", [MESSAGE_ENDED] = "ended")

G_DEFINE_AUTOPTR_CLEANUP_FUNC(json_t, json_decref)

/* Numbers travel as JSON integers, which jansson keeps in 63 bits. */
static bool to_unsigned(json_int_t number, guint64 *value)
{
	*value = (guint64)number;
	return number >= 0;
}

void worker_job_free(struct worker_job *job)
{
	if (!job)
		return;
	g_free(job->root);
	g_free(job->uri);
	g_free(job->xml);
	g_free(job->folder);
	g_free(job);
}

struct worker_job *worker_job_parse(const char *text, gsize length, GError **error)
{
	json_error_t why;
	g_autoptr(json_t) json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
	AUTO(worker_job) *job = g_new0(struct worker_job, 1);
	const char *root, *uri = NULL, *xml, *folder;
	json_int_t console_max, channel_max;
	int dump_memory = false, gdb = false;
	json_int_t gdb_port = 0;

	if (!json ||
	    json_unpack_ex(json, &why, JSON_STRICT, "{s:s, s?s, s:s, s:s, s:I, s:I, s?b, s?b, s?I}",
			   "root", &root, "uri", &uri, "xml", &xml, "folder", &folder,
			   "console_max", &console_max, "channel_max", &channel_max, "dump_memory",
			   &dump_memory, "gdb", &gdb, "gdb_port", &gdb_port) < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "the worker's job is malformed: %s",
			    why.text);
		return NULL;
	}
	job->root = g_strdup(root);
	job->uri = g_strdup(uri);
	job->xml = g_strdup(xml);
	job->folder = g_strdup(folder);
	job->dump_memory = dump_memory;
	job->gdb = gdb;
	if (!to_unsigned(console_max, &job->console_max) ||
	    !to_unsigned(channel_max, &job->channel_max) ||
	    !to_unsigned(gdb_port, &job->gdb_port)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the worker's job is malformed: a number is negative");
		return NULL;
	}
	return g_steal_pointer(&job);
}

char *worker_job_format(const struct worker_job *job)
{
	g_autoptr(json_t) json =
		json_pack("{s:s, s:s*, s:s, s:s, s:I, s:I, s:b, s:b, s:I}", "root", job->root,
			  "uri", job->uri, "xml", job->xml, "folder", job->folder, "console_max",
			  (json_int_t)job->console_max, "channel_max", (json_int_t)job->channel_max,
			  "dump_memory", job->dump_memory, "gdb", job->gdb, "gdb_port",
			  (json_int_t)job->gdb_port);

	return json_dumps(json, JSON_COMPACT);
}

void message_free(struct message *message)
{
	if (!message)
		return;
	g_free(message->qemu);
	g_free(message->libvirt);
	g_free(message->detail);
	g_free(message);
}

/* The same members for every kind; an ending and a part belong to one kind alone. */
static bool message_unpack(json_t *json, struct message *message, json_error_t *why)
{
	const char *kind, *qemu = NULL, *libvirt = NULL, *ending = NULL, *detail = NULL;
	const char *part = NULL;
	json_int_t pid = 0, usec = 0, console = 0, channel = 0;

	if (json_unpack_ex(json, why, JSON_STRICT,
			   "{s:s, s?s, s?s, s?I, s?I, s?I, s?I, s?s, s?s, s?s}", "report", &kind,
			   "qemu", &qemu, "libvirt", &libvirt, "pid", &pid, "usec", &usec,
			   "console", &console, "channel", &channel, "part", &part, "ending",
			   &ending, "detail", &detail) < 0)
		return false;
	g_strlcpy(why->text, "a value is out of range", sizeof(why->text));
	message->qemu = g_strdup(qemu);
	message->libvirt = g_strdup(libvirt);
	message->detail = g_strdup(detail);
	message->pid = pid;
	return message_kind_from_name(kind, &message->kind) && pid >= 0 && pid <= G_MAXINT32 &&
	       to_unsigned(usec, &message->usec) && to_unsigned(console, &message->console) &&
	       to_unsigned(channel, &message->channel) &&
	       (!part || look_part_from_name(part, &message->part)) &&
	       (part != NULL) == (message->kind == MESSAGE_LOOKED) &&
	       (!ending || ending_from_name(ending, &message->ending)) &&
	       (ending != NULL) == (message->kind == MESSAGE_ENDED);
}

struct message *message_parse(const char *line, gsize length, GError **error)
{
	json_error_t why;
	g_autoptr(json_t) json = json_loadb(line, length, JSON_REJECT_DUPLICATES, &why);
	AUTO(message) *message = g_new0(struct message, 1);

	if (json && message_unpack(json, message, &why))
		return g_steal_pointer(&message);
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "the worker's report is malformed: %s",
		    why.text);
	return NULL;
}

/* jansson takes only UTF-8, and a detail may quote anything. */
static void set_text(json_t *json, const char *name, const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	if (valid)
		json_object_set_new(json, name, json_string(valid));
}

static void set_number(json_t *json, const char *name, guint64 number)
{
	if (number)
		json_object_set_new(json, name, json_integer((json_int_t)number));
}

char *message_format(const struct message *message)
{
	g_autoptr(json_t) json = json_object();
	g_autofree char *text = NULL;

	set_text(json, "report", message_kind_name(message->kind));
	set_text(json, "qemu", message->qemu);
	set_text(json, "libvirt", message->libvirt);
	set_number(json, "pid", (guint64)message->pid);
	set_number(json, "usec", message->usec);
	set_number(json, "console", message->console);
	set_number(json, "channel", message->channel);
	if (message->kind == MESSAGE_LOOKED)
		set_text(json, "part", look_part_name(message->part));
	if (message->kind == MESSAGE_ENDED)
		set_text(json, "ending", ending_name(message->ending));
	set_text(json, "detail", message->detail);
	text = json_dumps(json, JSON_COMPACT);
	return g_strconcat(text, "\n", NULL);
}
