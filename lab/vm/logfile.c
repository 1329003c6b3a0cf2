// SPDX-License-Identifier: GPL-2.0-only
#include "vm/logfile.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Bytes; a guest can make QEMU write warnings for as long as it likes. */
#define LOG_MAX	  (1u << 20)
#define WORDS_MAX 500

/* At most LOG_MAX bytes, or NULL. */
static char *text_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char *text;
	ssize_t got;

	if (fd < 0)
		return NULL;
	text = g_malloc0(LOG_MAX + 1);
	got = read(fd, text, LOG_MAX);
	close(fd);
	text[MAX(got, 0)] = '\0';
	return text;
}

/* The one log of a QEMU in the root, or NULL. */
static char *logfile_read(const char *root)
{
	g_autofree char *folder = g_build_filename(root, "log", "qemu", NULL);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	g_autofree char *path = NULL;
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		if (!path && g_str_has_suffix(name, ".log"))
			path = g_build_filename(folder, name, NULL);
	return path ? text_read(path) : NULL;
}

/*
 * "2026-11-30T10:35:00.123456Z qemu-system-x86_64: ..."; the command line that libvirt logs names
 * the program too, but with blanks or a backslash after it.
 */
char *logfile_last_words_in(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = g_strv_length(lines); i-- > 0;) {
		const char *program = strstr(lines[i], "qemu-system-");
		const char *words = program ? strstr(program, ": ") : NULL;

		if (words && strcspn(program, " ") == (gsize)(words + 1 - program) &&
		    !g_str_has_prefix(words + 2, "warning:")) {
			g_autofree char *bounded = g_strndup(words + 2, WORDS_MAX);

			return g_utf8_make_valid(bounded, -1);
		}
	}
	return NULL;
}

char *logfile_last_words(const char *root)
{
	g_autofree char *text = logfile_read(root);

	return text ? logfile_last_words_in(text) : NULL;
}

char *logfile_probe_failure(const char *root)
{
	/* virQEMUCapsLogProbeFailure() of src/qemu/qemu_capabilities.c */
	static const char marker[] = "Failed to probe capabilities for ";
	g_autofree char *path = g_build_filename(root, "libvirt.log", NULL);
	g_autofree char *text = text_read(path);
	const char *found = text ? g_strrstr(text, marker) : NULL;
	g_autofree char *words = NULL;

	if (!found)
		return NULL;
	words = g_strndup(found, MIN(strcspn(found, "\n"), WORDS_MAX));
	return g_utf8_make_valid(words, -1);
}

void logfile_copy(const char *root, const char *folder)
{
	g_autofree char *text = logfile_read(root);
	g_autofree char *path = g_build_filename(folder, "qemu.log", NULL);

	if (text)
		g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_NONE, 0644, NULL);
}
