// SPDX-License-Identifier: GPL-2.0-only
#include "run/boot_times.h"

#include "base/error.h"
#include "base/options.h"
#include "base/paths.h"

#include <stdbool.h>
#include <string.h>

/* A line through what was recorded. */
#define SECONDS_ANY	5.0
#define SECONDS_PER_CPU 0.17

#define SECONDS_MAX 86400

struct boot_times {
	GHashTable *seconds; /* name -> guint */
};

void boot_times_free(struct boot_times *times)
{
	g_hash_table_unref(times->seconds);
	g_free(times);
}

static bool line_parse(struct boot_times *times, char *line, GError **error)
{
	char *blank = strchr(line, ' ');
	unsigned seconds;

	if (!blank) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "a line is MACHINE SECONDS, not '%s'", line);
		return false;
	}
	*blank = '\0';
	if (!option_number(line, blank + 1, 1, SECONDS_MAX, &seconds, error))
		return false;
	if (g_hash_table_insert(times->seconds, g_strdup(line), GUINT_TO_POINTER(seconds)))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "'%s' is there twice", line);
	return false;
}

struct boot_times *boot_times_parse(const char *text, const char *file, GError **error)
{
	AUTO(boot_times) *times = g_new0(struct boot_times, 1);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	times->seconds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (unsigned i = 0; lines[i]; i++) {
		if (*lines[i] == '#' || !*lines[i])
			continue;
		if (!line_parse(times, lines[i], error)) {
			g_prefix_error(error, "%s:%u: ", file, i + 1);
			return NULL;
		}
	}
	return g_steal_pointer(&times);
}

struct boot_times *boot_times_load(GError **error)
{
	g_autofree char *path = paths_data("topologies/boot-times.txt");
	g_autofree char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, error)) {
		g_prefix_error(error, "the recorded boot times cannot be read: ");
		return NULL;
	}
	return boot_times_parse(text, path, error);
}

double boot_times_seconds(const struct boot_times *times, const char *name, unsigned cpus)
{
	unsigned seconds = GPOINTER_TO_UINT(g_hash_table_lookup(times->seconds, name));

	return seconds ? seconds : SECONDS_ANY + SECONDS_PER_CPU * cpus;
}
