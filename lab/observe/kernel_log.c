// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's log: records of /dev/kmsg (Documentation/ABI/testing/dev-kmsg), and the text of a
 * serial console for a guest that died before it could send them.
 */
#include "observe/observe.h"

#include "base/error.h"
#include "observe/sched_log.h"
#include "observe/scan.h"

#include <string.h>

#define LOG_MEMBER "kmsg"
/* How far back a continuation looks for the line it belongs to. */
#define CONTINUATION_REACH 16

struct kmsg_record {
	guint64 priority, sequence, usec;
	bool continuation; /* flag 'c' */
	const char *text;
};

static void message_free(gpointer data)
{
	struct kernel_message *message = data;

	g_free(message->text);
	g_free(message);
}

static void log_add(GPtrArray *log, guint64 priority, guint64 usec, char *text)
{
	struct kernel_message *message = g_new(struct kernel_message, 1);

	/* Facility times 8 plus level. */
	*message = (struct kernel_message){
		.priority = (unsigned)(priority & 7), .usec = usec, .text = text};
	g_ptr_array_add(log, message);
}

/* printk's msg_add_ext_text(): "\xNN" for whatever is not printable, and for the backslash. */
static char *text_unescape(const char *text)
{
	GString *out = g_string_sized_new(strlen(text));

	while (*text) {
		int high, low;

		if (text[0] == '\\' && text[1] == 'x' &&
		    (high = g_ascii_xdigit_value(text[2])) >= 0 &&
		    (low = g_ascii_xdigit_value(text[3])) >= 0) {
			/* A NUL would end the text early. */
			g_string_append_c(out, high || low ? (char)(high << 4 | low) : '?');
			text += 4;
		} else {
			g_string_append_c(out, *text++);
		}
	}
	return g_string_free(out, FALSE);
}

/* "6,120,535735,-;text" or "6,120,535735,c,caller=T1;text" */
static bool record_parse(const char *line, struct kmsg_record *record)
{
	const char *p = line;

	if (!scan_decimal(&p, G_MAXUINT32, &record->priority) || !scan_literal(&p, ",") ||
	    !scan_decimal(&p, G_MAXINT64, &record->sequence) || !scan_literal(&p, ",") ||
	    !scan_decimal(&p, G_MAXINT64, &record->usec) || !scan_literal(&p, ","))
		return false;
	record->continuation = *p == 'c';
	p = strchr(p, ';');
	if (!p)
		return false;
	record->text = p + 1;
	return true;
}

/*
 * Which line does a continuation belong to? The one before it, unless another CPU or one of the
 * scheduler's own complaints came between: then the last line of a domain tree that is still open.
 */
static struct kernel_message *continuation_target(GPtrArray *log)
{
	guint reach = MIN(log->len, CONTINUATION_REACH);

	for (guint i = 1; i <= reach; i++) {
		struct kernel_message *message = g_ptr_array_index(log, log->len - i);

		if (sched_log_line_is_open(message->text))
			return message;
	}
	return log->len ? g_ptr_array_index(log, log->len - 1) : NULL;
}

static void log_add_record(GPtrArray *log, const struct kmsg_record *record)
{
	g_autofree char *text = text_unescape(record->text);
	g_auto(GStrv) lines = NULL;
	struct kernel_message *target = record->continuation ? continuation_target(log) : NULL;

	if (target) {
		char *joined = g_strconcat(target->text, text, NULL);

		g_free(target->text);
		target->text = joined;
		return;
	}
	/* One printk() may hold several lines; each is a message of its own, as on a console. */
	while (g_str_has_suffix(text, "\n"))
		text[strlen(text) - 1] = '\0';
	lines = g_strsplit(text, "\n", -1);
	for (unsigned i = 0; lines[i]; i++)
		log_add(log, record->priority, record->usec, g_strdup(lines[i]));
	if (!lines[0])
		log_add(log, record->priority, record->usec, g_strdup(""));
}

/* Text that was lost could have held a splat or a domain: then the log proves nothing. */
static bool sequence_check(const struct kmsg_record *record, guint64 expected, GError **error)
{
	if (record->sequence == expected)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "the kernel log goes on with record %" G_GUINT64_FORMAT
		    " where %" G_GUINT64_FORMAT
		    " is due: records were lost, a larger log_buf_len= keeps them",
		    record->sequence, expected);
	return false;
}

GPtrArray *observe_kernel_log(struct root *evidence, GError **error)
{
	g_autoptr(GPtrArray) log = g_ptr_array_new_with_free_func(message_free);
	g_autofree char *text = root_read(evidence, error, LOG_MEMBER);
	guint64 expected = 0;

	if (!text)
		return NULL;
	for (char *line = text, *next; line; line = next) {
		struct kmsg_record record;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		/* " SUBSYSTEM=acpi": the dictionary of the record above. */
		if (*line == ' ')
			continue;
		if (!record_parse(line, &record)) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "'%s' holds '%.80s', which is not a record of /dev/kmsg",
				    LOG_MEMBER, line);
			return NULL;
		}
		if (!sequence_check(&record, expected++, error))
			return NULL;
		log_add_record(log, &record);
	}
	return g_steal_pointer(&log);
}

/*
 * "[   12.345678] " as printk's info_print_prefix() puts it, or nothing. CONFIG_PRINTK_CALLER adds
 * the caller: "[   12.345678][    T1] ".
 */
static guint64 console_time(const char **cursor)
{
	const char *p = *cursor;
	guint64 seconds, usec;

	if (!scan_literal(&p, "["))
		return 0;
	while (*p == ' ')
		p++;
	if (!scan_decimal(&p, G_MAXUINT32, &seconds) || !scan_literal(&p, ".") ||
	    !scan_decimal(&p, 999999, &usec))
		return 0;
	if (!scan_literal(&p, "]"))
		return 0;
	if (*p == '[')
		p += strcspn(p, "]") + (strchr(p, ']') ? 1 : 0);
	if (!scan_literal(&p, " "))
		return 0;
	*cursor = p;
	return seconds * 1000000 + usec;
}

/* Without NULs, which a serial port may show and a guest may send: text ends at none of them. */
static char *console_line(const char *text, gsize length)
{
	char *line = g_malloc(length + 1);
	gsize kept = 0;

	for (gsize i = 0; i < length; i++)
		if (text[i])
			line[kept++] = text[i];
	line[kept] = '\0';
	return line;
}

GPtrArray *observe_console(const char *text, gsize length)
{
	GPtrArray *log = g_ptr_array_new_with_free_func(message_free);
	const char *end = text + length;

	while (text < end) {
		const char *newline = memchr(text, '\n', (gsize)(end - text));
		gsize size = (gsize)((newline ? newline : end) - text);
		g_autofree char *line = console_line(text, size);
		const char *p = line;
		guint64 usec;

		g_strdelimit(g_strchomp(line), "\r", ' ');
		usec = console_time(&p);
		/* A console shows no priorities: take the default of messages. */
		log_add(log, 6, usec, g_strdup(p));
		text += size + 1;
	}
	return log;
}

static bool log_has_upgrade(GPtrArray *log, const char *verb, const char *signature)
{
	g_autofree char *wanted = g_strdup_printf("ACPI: Table Upgrade: %s [%s-", verb, signature);

	for (guint i = 0; i < log->len; i++) {
		const struct kernel_message *message = g_ptr_array_index(log, i);

		if (g_str_has_prefix(message->text, wanted))
			return true;
	}
	return false;
}

/* drivers/acpi/tables.c, acpi_table_initrd_override() */
bool observe_table_upgraded(GPtrArray *log, const char *signature)
{
	return log_has_upgrade(log, "override", signature);
}

/* drivers/acpi/tables.c, acpi_table_initrd_scan() */
bool observe_table_installed(GPtrArray *log, const char *signature)
{
	return log_has_upgrade(log, "install", signature);
}

bool observe_hypervisor(GPtrArray *log)
{
	for (guint i = 0; i < log->len; i++) {
		const struct kernel_message *message = g_ptr_array_index(log, i);

		if (g_str_has_prefix(message->text, "Hypervisor detected: "))
			return true;
	}
	return false;
}
