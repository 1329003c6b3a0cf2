// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/options.h"
#include "base/table.h"
#include "cmd/command.h"
#include "cmd/inputs.h"
#include "run/shard.h"

#include <stdio.h>
#include <string.h>

enum { KEY_SHARDS = 256, KEY_FORMAT };

struct matrix_settings {
	char **kernels; /* NULL: the default */
	unsigned shards;
	bool github;
};

static const struct argp_option matrix_options[] = {
	{.name = "kernel",
	 .key = 'k',
	 .arg = "K",
	 .doc = "As of run; may be repeated (default " KERNEL_DEFAULT "). Nothing is fetched or "
		"built, and a path need not exist"},
	{.name = "shards",
	 .key = KEY_SHARDS,
	 .arg = "N",
	 .doc = "Divide the jobs among N shards (default 1), fewer where there are fewer jobs"},
	{.name = "format",
	 .key = KEY_FORMAT,
	 .arg = "text|github",
	 .doc = "github: the JSON of a job's strategy.matrix, on one line"},
	{0},
};

static bool matrix_option(int key, const char *value, void *data, GError **error)
{
	struct matrix_settings *settings = data;

	switch (key) {
	case 'k':
		option_append(&settings->kernels, value);
		return true;
	case KEY_SHARDS:
		return option_number("--shards", value, 1, SHARDS_MAX, &settings->shards, error);
	case KEY_FORMAT:
		settings->github = strcmp(value, "github") == 0;
		if (settings->github || strcmp(value, "text") == 0)
			return true;
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "--format takes text or github, not '%s'", value);
		return false;
	default:
		return false;
	}
}

static void topo_release(gpointer topo)
{
	topo_unref(topo);
}

static void print_github(const struct shard_job *jobs, unsigned n, unsigned n_shards)
{
	json_t *matrix = shard_matrix(jobs, n, n_shards);

	json_dumpf(matrix, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(matrix);
}

static void print_text(const struct shard_job *jobs, unsigned n, unsigned n_shards)
{
	static const struct table_column columns[] = {
		{"SHARD", TABLE_LEFT},
		{"TOPOLOGY", TABLE_LEFT},
		{"KERNEL", TABLE_LEFT},
		{"SECONDS", TABLE_RIGHT},
		{0},
	};
	unsigned count = MIN(n, n_shards);
	g_autofree unsigned *shards = shard_split(jobs, n, count);
	AUTO(table) *table = table_new(columns);

	for (unsigned shard = 1; shard <= count; shard++)
		for (unsigned i = 0; i < n; i++) {
			g_autofree char *name = g_strdup_printf("%u/%u", shard, count);
			g_autofree char *seconds = g_strdup_printf("%.0f", jobs[i].seconds);

			if (shards[i] == shard)
				table_add(table, name, jobs[i].topology, jobs[i].kernel, seconds);
		}
	table_print(table);
}

static int matrix_run(char **arguments, void *data, GError **error)
{
	static const char *const default_kernels[] = {KERNEL_DEFAULT, NULL};
	struct matrix_settings *settings = data;
	g_auto(GStrv) kernels = settings->kernels;
	const char *const *names = kernels ? (const char *const *)kernels : default_kernels;
	g_autoptr(GPtrArray) topologies = g_ptr_array_new_with_free_func(topo_release);
	AUTO(boot_times) *times = boot_times_load(error);
	g_autofree struct shard_job *jobs = NULL;
	unsigned n, n_shards = settings->shards ?: 1;

	if (!times)
		return 2;
	for (unsigned i = 0; arguments[i]; i++) {
		struct topo *topo = inputs_topology(arguments[i], error);

		if (!topo)
			return 2;
		g_ptr_array_add(topologies, topo);
	}
	jobs = shard_jobs(topologies, names, times, &n);
	if (settings->github)
		print_github(jobs, n, n_shards);
	else
		print_text(jobs, n, n_shards);
	return 0;
}

const struct command command_matrix = {
	.name = "matrix",
	.arguments = "TOPOLOGY...",
	.summary = "Divide the jobs of a run among machines of a CI",
	.details = "What run --shard I/N will boot, with the same machines and kernels, and how "
		   "long that takes by the times recorded in topologies/boot-times.txt (TCG, "
		   "two cores).",
	.options = matrix_options,
	.min_arguments = 1,
	.max_arguments = G_MAXUINT,
	.settings_size = sizeof(struct matrix_settings),
	.option = matrix_option,
	.run = matrix_run,
};
