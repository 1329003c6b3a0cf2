/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evidence that a test may change: the archive's members in memory, and what it is written back to.
 * Every change must change something, else the test that relies on it would prove nothing.
 */
#ifndef TEST_MUTATIONS_EVIDENCE_H
#define TEST_MUTATIONS_EVIDENCE_H

#include <archive.h>
#include <archive_entry.h>
#include <glib.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct member {
	char *path;
	GString *text; /* bytes, NUL-terminated behind the last */
};

struct evidence {
	GPtrArray *members; /* struct member *, in the archive's order */
};

static inline void member_free(gpointer data)
{
	struct member *member = data;

	g_free(member->path);
	g_string_free(member->text, TRUE);
	g_free(member);
}

static inline struct member *evidence_add(struct evidence *evidence, const char *path,
					  const char *data, gsize length)
{
	struct member *member = g_new(struct member, 1);

	*member = (struct member){
		.path = g_strdup(path),
		.text = g_string_new_len(data, (gssize)length),
	};
	g_ptr_array_add(evidence->members, member);
	return member;
}

static inline void evidence_clear(struct evidence *evidence)
{
	g_ptr_array_unref(evidence->members);
}

static inline struct evidence evidence_read(GBytes *bytes)
{
	struct evidence evidence = {g_ptr_array_new_with_free_func(member_free)};
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	gsize length;
	const void *data = g_bytes_get_data(bytes, &length);

	archive_read_support_filter_gzip(archive);
	archive_read_support_format_tar(archive);
	g_assert_cmpint(archive_read_open_memory(archive, data, length), ==, ARCHIVE_OK);
	while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
		struct member *member =
			evidence_add(&evidence, archive_entry_pathname(entry), "", 0);
		char buffer[16384];
		la_ssize_t n;

		while ((n = archive_read_data(archive, buffer, sizeof(buffer))) > 0)
			g_string_append_len(member->text, buffer, n);
	}
	archive_read_free(archive);
	return evidence;
}

static inline GBytes *evidence_write(const struct evidence *evidence)
{
	gsize size = 1 << 20, used = 0;
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	char *buffer;

	for (guint i = 0; i < evidence->members->len; i++)
		size += ((struct member *)evidence->members->pdata[i])->text->len + 2048;
	buffer = g_malloc(size);
	archive_write_add_filter_gzip(archive);
	archive_write_set_format_ustar(archive);
	g_assert_cmpint(archive_write_open_memory(archive, buffer, size, &used), ==, ARCHIVE_OK);
	for (guint i = 0; i < evidence->members->len; i++) {
		const struct member *member = evidence->members->pdata[i];

		archive_entry_clear(entry);
		archive_entry_set_pathname(entry, member->path);
		archive_entry_set_size(entry, (la_int64_t)member->text->len);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_perm(entry, 0644);
		archive_write_header(archive, entry);
		archive_write_data(archive, member->text->str, member->text->len);
	}
	archive_entry_free(entry);
	g_assert_cmpint(archive_write_close(archive), ==, ARCHIVE_OK);
	archive_write_free(archive);
	return g_bytes_new_take(buffer, used);
}

static inline struct member *evidence_find(const struct evidence *evidence, const char *path)
{
	for (guint i = 0; i < evidence->members->len; i++) {
		struct member *member = evidence->members->pdata[i];

		if (strcmp(member->path, path) == 0)
			return member;
	}
	g_error("the saved evidence has no '%s'", path);
}

static inline void text_replace(GString *text, const char *old, const char *new)
{
	if (g_string_replace(text, old, new, 1) != 1)
		g_error("there is no '%s' to replace", old);
}

/* Replaces the first @old of a member. */
static inline void evidence_edit(struct evidence *evidence, const char *path, const char *old,
				 const char *new)
{
	text_replace(evidence_find(evidence, path)->text, old, new);
}

/* Sets the whole text of a member. */
static inline void evidence_set(struct evidence *evidence, const char *path, const char *new)
{
	struct member *member = evidence_find(evidence, path);

	g_assert_cmpstr(member->text->str, !=, new);
	g_string_assign(member->text, new);
}

/* The manifest counts again, as an agent that never saw the lost members would have counted. */
static inline void evidence_recount(struct evidence *evidence)
{
	GString *text = evidence_find(evidence, "manifest")->text;
	const char *count = strstr(text->str, "members: ");
	gsize at = (gsize)(count - text->str) + strlen("members: ");
	g_autofree char *number = g_strdup_printf("%u", evidence->members->len - 1);

	g_string_erase(text, (gssize)at, (gssize)strspn(text->str + at, "0123456789"));
	g_string_insert(text, (gssize)at, number);
}

/* Drops all members whose path begins with @prefix. */
static inline void evidence_drop(struct evidence *evidence, const char *prefix)
{
	guint before = evidence->members->len;

	for (guint i = evidence->members->len; i-- > 0;) {
		const struct member *member = evidence->members->pdata[i];

		if (g_str_has_prefix(member->path, prefix))
			g_ptr_array_remove_index(evidence->members, i);
	}
	g_assert_cmpuint(evidence->members->len, <, before);
	evidence_recount(evidence);
}

/* ACPI 6.5, 5.2.6: the bytes of a table add up to zero. */
static inline void table_sum(GString *table)
{
	guint8 sum = 0;

	table->str[9] = 0;
	for (gsize i = 0; i < table->len; i++)
		sum = (guint8)(sum + (guint8)table->str[i]);
	table->str[9] = (char)-sum;
}

/* @cpu's lines of schedstat: from its own to the next CPU's. */
static inline GPtrArray *lines_of(const GString *text)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) split = g_strsplit(text->str, "\n", -1);

	for (unsigned i = 0; split[i]; i++)
		g_ptr_array_add(lines, g_strdup(split[i]));
	return lines;
}

static inline void lines_join(GString *text, const GPtrArray *lines)
{
	g_string_truncate(text, 0);
	for (guint i = 0; i < lines->len; i++)
		g_string_append_printf(text, "%s%s", i ? "\n" : "", (char *)lines->pdata[i]);
}

/* The index of the first line from @from on that holds @part. */
static inline guint lines_find(const GPtrArray *lines, guint from, const char *part)
{
	for (guint i = from; i < lines->len; i++)
		if (strstr(lines->pdata[i], part))
			return i;
	g_error("there is no line with '%s'", part);
}

/* @cpu's domain line in schedstat. */
static inline guint schedstat_line(const GPtrArray *lines, unsigned cpu, unsigned index)
{
	g_autofree char *cpu_line = g_strdup_printf("cpu%u ", cpu);
	g_autofree char *domain_line = g_strdup_printf("domain%u ", index);

	return lines_find(lines, lines_find(lines, 0, cpu_line), domain_line);
}

/* @cpu's domain line in the log; the groups are the line below. */
static inline guint log_line(const GPtrArray *lines, unsigned cpu, unsigned index)
{
	g_autofree char *cpu_line = g_strdup_printf(";CPU%u attaching", cpu);
	g_autofree char *domain_line = g_strdup_printf("domain-%u: ", index);

	return lines_find(lines, lines_find(lines, 0, cpu_line), domain_line);
}

static inline void line_replace(GPtrArray *lines, guint i, const char *old, const char *new)
{
	g_autoptr(GString) line = g_string_new(lines->pdata[i]);

	text_replace(line, old, new);
	g_free(lines->pdata[i]);
	lines->pdata[i] = g_strdup(line->str);
}

/* Sequence numbers without a gap: the log of a kernel that never printed the lost lines. */
static inline void log_renumber(GPtrArray *lines)
{
	unsigned sequence = 0;

	for (guint i = 0; i < lines->len; i++) {
		char *line = lines->pdata[i];
		const char *first = strchr(line, ','),
			   *second = first ? strchr(first + 1, ',') : NULL;

		if (*line == ' ' || !second)
			continue;
		lines->pdata[i] =
			g_strdup_printf("%.*s,%u%s", (int)(first - line), line, sequence++, second);
		g_free(line);
	}
}

static inline void schedstat_edit(struct evidence *evidence, unsigned cpu, unsigned index,
				  const char *old, const char *new)
{
	GString *text = evidence_find(evidence, "proc/schedstat")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);

	line_replace(lines, schedstat_line(lines, cpu, index), old, new);
	lines_join(text, lines);
}

/* @below: 0 for the domain's line, 1 for its groups. */
static inline void log_edit(struct evidence *evidence, unsigned cpu, unsigned index, guint below,
			    const char *old, const char *new)
{
	GString *text = evidence_find(evidence, "kmsg")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);

	line_replace(lines, log_line(lines, cpu, index) + below, old, new);
	lines_join(text, lines);
}

/* One more message at the end of the log. */
static inline void log_append(struct evidence *evidence, const char *message)
{
	GString *text = evidence_find(evidence, "kmsg")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);
	guint at = lines->len;

	while (at > 0 && *(char *)lines->pdata[at - 1] == '\0')
		at--;
	g_ptr_array_insert(lines, (int)at, g_strdup_printf("3,0,99000000,-;%s", message));
	log_renumber(lines);
	lines_join(text, lines);
}

#endif
