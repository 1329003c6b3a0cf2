/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The jobs of a run, divided among machines that know nothing of each other: each computes the same
 * from the same machines, kernels and number of shards. The host and its accelerator do not count,
 * or two hosts would both leave out a job. Pure.
 */
#ifndef RUN_SHARD_H
#define RUN_SHARD_H

#include "run/boot_times.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

#define SHARDS_MAX 64

/* "2/4": the second of four. Zeroed: everything. */
struct shard {
	unsigned index, count;
};

/* Of --shard; ERROR_INPUT. */
bool shard_parse(const char *text, struct shard *shard, GError **error);

/* A job for the plan. Strings are borrowed. */
struct shard_job {
	const char *topology, *kernel;
	double seconds;
};

/* @topologies (struct topo *) x @kernels, in the order of a run: all kernels of the first machine
 * first. Caller frees; @n: their number. */
struct shard_job *shard_jobs(const GPtrArray *topologies, const char *const *kernels,
			     const struct boot_times *times, unsigned *n);

/*
 * The number, from 1, of the shard that each of @n jobs goes to: the longest job first, each to the
 * shard with the least to do. Shards beyond the number of jobs get none. Caller frees.
 */
unsigned *shard_split(const struct shard_job *jobs, unsigned n, unsigned n_shards);

/*
 * For `strategy.matrix` of GitHub: {"include": [{"shard": "1/2", "machines": "nps4 snc4",
 * "seconds": 95}, ...]}, an entry for each shard that has a job.
 */
json_t *shard_matrix(const struct shard_job *jobs, unsigned n, unsigned n_shards);

#endif
