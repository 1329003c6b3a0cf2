// SPDX-License-Identifier: GPL-2.0-only
#include "run/shard.h"

#include "base/error.h"
#include "base/options.h"
#include "topo/topo.h"

#include <string.h>

bool shard_parse(const char *text, struct shard *shard, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, "/", -1);

	if (g_strv_length(parts) == 2 &&
	    option_number("--shard", parts[1], 1, SHARDS_MAX, &shard->count, NULL) &&
	    option_number("--shard", parts[0], 1, shard->count, &shard->index, NULL))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "--shard takes I/N, the Ith of N shards and N at most %d, not '%s'", SHARDS_MAX,
		    text);
	return false;
}

struct shard_job *shard_jobs(const GPtrArray *topologies, const char *const *kernels,
			     const struct boot_times *times, unsigned *n)
{
	unsigned n_kernels = g_strv_length((char **)(guintptr)kernels);
	struct shard_job *jobs = g_new(struct shard_job, topologies->len * n_kernels + 1);

	*n = 0;
	for (unsigned t = 0; t < topologies->len; t++) {
		const struct topo *topo = topologies->pdata[t];

		for (unsigned k = 0; k < n_kernels; k++)
			jobs[(*n)++] = (struct shard_job){
				.topology = topo_name(topo),
				.kernel = kernels[k],
				.seconds = boot_times_seconds(times, topo_name(topo),
							      topo_n_cpus(topo)),
			};
	}
	return jobs;
}

/* The longest of the jobs that have no shard yet, the first of equals. */
static unsigned longest(const struct shard_job *jobs, const unsigned *shards, unsigned n)
{
	unsigned best = n;

	for (unsigned i = 0; i < n; i++)
		if (!shards[i] && (best == n || jobs[i].seconds > jobs[best].seconds))
			best = i;
	return best;
}

static unsigned lightest(const double *loads, unsigned n_shards)
{
	unsigned best = 0;

	for (unsigned i = 1; i < n_shards; i++)
		if (loads[i] < loads[best])
			best = i;
	return best;
}

unsigned *shard_split(const struct shard_job *jobs, unsigned n, unsigned n_shards)
{
	unsigned *shards = g_new0(unsigned, n + 1);
	g_autofree double *loads = g_new0(double, n_shards);

	for (unsigned i = 0; i < n; i++) {
		unsigned job = longest(jobs, shards, n);
		unsigned shard = lightest(loads, n_shards);

		shards[job] = shard + 1;
		loads[shard] += jobs[job].seconds;
	}
	return shards;
}

/* A machine with several kernels is named once: its jobs stand together. */
static json_t *shard_entry(const struct shard_job *jobs, const unsigned *shards, unsigned n,
			   struct shard shard)
{
	g_autofree char *name = g_strdup_printf("%u/%u", shard.index, shard.count);
	g_autoptr(GString) machines = g_string_new(NULL);
	const char *last = NULL;
	double seconds = 0;

	for (unsigned i = 0; i < n; i++) {
		if (shards[i] != shard.index)
			continue;
		seconds += jobs[i].seconds;
		if (g_strcmp0(last, jobs[i].topology) != 0)
			g_string_append_printf(machines, "%s%s", last ? " " : "", jobs[i].topology);
		last = jobs[i].topology;
	}
	return json_pack("{s:s, s:s, s:i}", "shard", name, "machines", machines->str, "seconds",
			 (int)(seconds + 0.5));
}

json_t *shard_matrix(const struct shard_job *jobs, unsigned n, unsigned n_shards)
{
	struct shard shard = {.count = MIN(n, n_shards)};
	g_autofree unsigned *shards = shard_split(jobs, n, shard.count);
	json_t *include = json_array();

	for (shard.index = 1; shard.index <= shard.count; shard.index++)
		json_array_append_new(include, shard_entry(jobs, shards, n, shard));
	return json_pack("{s:o}", "include", include);
}
