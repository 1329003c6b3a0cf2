// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/options.h"
#include "base/table.h"
#include "cmd/command.h"
#include "kernel/cache_store.h"

#include <stdio.h>
#include <string.h>

enum { KEY_MAX = 256 };

struct cache_settings {
	const char *max; /* as it was typed; NULL: not given */
	guint64 max_bytes;
};

static const struct argp_option cache_options[] = {
	{.name = "max",
	 .key = KEY_MAX,
	 .arg = "SIZE",
	 .doc = "prune: leave at most SIZE, such as 500M or 2G"},
	{0},
};

static bool cache_option(int key G_GNUC_UNUSED, const char *value, void *data, GError **error)
{
	struct cache_settings *settings = data;

	settings->max = value;
	return option_size("--max", value, &settings->max_bytes, error);
}

static char *size_text(guint64 bytes)
{
	return g_strdup_printf("%.1f MiB", (double)bytes / (1 << 20));
}

static char *time_text(gint64 seconds)
{
	g_autoptr(GDateTime) when = g_date_time_new_from_unix_local(seconds);

	return when && seconds ? g_date_time_format(when, "%Y-%m-%d %H:%M") : g_strdup("never");
}

static void print_total(guint64 bytes)
{
	g_autofree char *size = size_text(bytes);

	printf("total %s\n", size);
}

static int cache_print(GError **error)
{
	static const struct table_column columns[] = {
		{"LAST-USE", TABLE_LEFT},
		{"SIZE", TABLE_RIGHT},
		{"STATE", TABLE_LEFT},
		{"ENTRY", TABLE_LEFT},
		{0},
	};
	g_autoptr(GPtrArray) entries = cache_entries(error);
	AUTO(table) *table = NULL;

	if (!entries)
		return 3;
	table = table_new(columns);
	for (guint i = 0; i < entries->len; i++) {
		const struct cache_entry *entry = entries->pdata[i];
		g_autofree char *size = size_text(entry->bytes);
		g_autofree char *used = time_text(entry->used);

		table_add(table, used, size,
			  entry->in_use ? "in use"
			  : entry->kept ? "kept"
					: NULL,
			  entry->name);
	}
	if (entries->len)
		table_print(table);
	print_total(cache_entries_bytes(entries));
	return 0;
}

static int cache_prune(guint64 max_bytes, GError **error)
{
	g_autoptr(GPtrArray) entries = cache_entries(error);
	guint64 bytes;

	if (!entries)
		return 3;
	bytes = cache_entries_bytes(entries);
	for (guint i = 0; i < entries->len && bytes > max_bytes; i++) {
		const struct cache_entry *entry = entries->pdata[i];
		g_autofree char *size = size_text(entry->bytes);
		GError *problem = NULL;

		if (entry->kept || !entry->bytes)
			continue;
		if (cache_entry_remove(entry, &problem)) {
			printf("removed %s, %s\n", entry->name, size);
			bytes -= entry->bytes;
		} else if (problem) {
			g_propagate_error(error, problem);
			return 3;
		} else {
			printf("kept %s, %s, which is in use\n", entry->name, size);
		}
	}
	print_total(bytes);
	return 0;
}

static int cache_run(char **arguments, void *data, GError **error)
{
	struct cache_settings *settings = data;

	if (arguments[0] && strcmp(arguments[0], "prune") != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "cache does not know '%s', only prune", arguments[0]);
		return 2;
	}
	if (!arguments[0] != !settings->max) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    arguments[0] ? "cache prune needs --max SIZE"
					 : "--max is for cache prune");
		return 2;
	}
	return arguments[0] ? cache_prune(settings->max_bytes, error) : cache_print(error);
}

const struct command command_cache = {
	.name = "cache",
	.arguments = "[prune]",
	.summary = "List what is cached, or remove what was not used for longest",
	.details =
		"prune removes the least recently used entries until at most --max is left, never "
		"one that a running topolab uses. What is gone is fetched again when it is needed.",
	.options = cache_options,
	.max_arguments = 1,
	.settings_size = sizeof(struct cache_settings),
	.option = cache_option,
	.run = cache_run,
};
