// SPDX-License-Identifier: GPL-2.0-only
#include "run/channel.h"

#include "base/records.h"
#include "run/answers.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* A guest's sentence is quoted up to here. */
#define WORDS_SHOWN 200

/* "the agent sent no evidence", and what it says about that. */
static char *lack_of_evidence(const struct records *records)
{
	const char *words = NULL;
	g_autofree char *cut = NULL;
	g_autofree char *valid = NULL;

	for (guint i = 0; i < records_count(records); i++) {
		const struct record *record = records_get(records, i);

		if (strcmp(record_type(record), "error") == 0)
			words = json_string_value(json_object_get(record->head, "text"));
	}
	if (!words)
		return g_strdup("the agent sent no evidence");
	cut = g_strndup(words, WORDS_SHOWN);
	valid = g_utf8_make_valid(cut, -1);
	return g_strdup_printf("the agent sent no evidence but '%s'", valid);
}

GBytes *channel_read(const char *folder, GPtrArray *programs, char **problem)
{
	g_autofree char *path = g_build_filename(folder, CHANNEL_FILE, NULL);
	g_autofree char *data = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(records) *records = NULL;
	GBytes *evidence;
	gsize length;

	if (!g_file_get_contents(path, &data, &length, NULL) || length == 0)
		return NULL;
	/* A kernel that died of a test may have sent good evidence before. */
	records = records_parse_some((const guint8 *)data, length, &error);
	evidence = records_blob(records, "evidence");
	if (programs)
		answers_take(records, programs, error ? NULL : &error);
	if (error)
		*problem = g_strdup(error->message);
	else if (!records_complete(records))
		*problem = g_strdup("the agent's stream ends before it said bye");
	else if (!evidence)
		*problem = lack_of_evidence(records);
	return evidence ? g_bytes_ref(evidence) : NULL;
}

/*
 * The last @size bytes, or all there are, with blanks for NULs; NUL-terminated in @tail, which has
 * room for one more.
 */
static bool read_tail(const char *folder, char *tail, gsize size)
{
	g_autofree char *path = g_build_filename(folder, CHANNEL_FILE, NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = -1;

	if (fd < 0)
		return false;
	if (lseek(fd, -(off_t)size, SEEK_END) >= 0 || lseek(fd, 0, SEEK_SET) == 0)
		length = read(fd, tail, size);
	close(fd);
	for (ssize_t i = 0; i < length; i++)
		if (!tail[i])
			tail[i] = ' ';
	tail[MAX(length, 0)] = '\0';
	return length > 0;
}

char *channel_running(const char *folder)
{
	static const char before[] = "{\"type\":\"running\",\"program\":\"";
	char tail[4096 + 1];
	const char *found = NULL;
	g_autofree char *name = NULL;

	if (read_tail(folder, tail, sizeof(tail) - 1))
		found = g_strrstr(tail, before);
	if (!found)
		return NULL;
	found += strlen(before);
	name = g_strndup(found, strcspn(found, "\""));
	return program_name_is_sane(name) ? g_steal_pointer(&name) : NULL;
}

bool channel_has_ended(const char *folder)
{
	static const char bye[] = "\n{\"type\":\"bye\"}\n";
	g_autofree char *path = g_build_filename(folder, CHANNEL_FILE, NULL);
	char tail[sizeof(bye) - 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ended = fd >= 0 && lseek(fd, -(off_t)sizeof(tail), SEEK_END) >= 0 &&
		     read(fd, tail, sizeof(tail)) == (ssize_t)sizeof(tail) &&
		     memcmp(tail, bye, sizeof(tail)) == 0;

	if (fd >= 0)
		close(fd);
	return ended;
}

bool channel_is_serial(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, CHANNEL_FILE, NULL);
	char head[512];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, head, sizeof(head)) : -1;
	const char *end = length > 0 ? memchr(head, '\n', (gsize)length) : NULL;
	json_t *hello = end ? json_loadb(head, (gsize)(end - head), 0, NULL) : NULL;
	bool serial =
		g_strcmp0(json_string_value(json_object_get(hello, "channel")), "serial") == 0;

	json_decref(hello);
	if (fd >= 0)
		close(fd);
	return serial;
}
