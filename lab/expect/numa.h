/* SPDX-License-Identifier: GPL-2.0-only */
/* The distances that sched_init_numa() makes levels from. */
#ifndef EXPECT_NUMA_H
#define EXPECT_NUMA_H

#include "expect/machine.h"

struct numa {
	unsigned n_levels;
	unsigned *level_distance; /* the distinct distances between nodes with CPUs, ascending */
	unsigned n_nodes;
	unsigned *distance; /* n_nodes squared, as the scheduler sees them; row = from */
	const char *fixup;  /* name of the row that changed distances; NULL: none */
	unsigned reclaim;   /* node_reclaim_distance */
};

/*
 * ERROR_UNSUPPORTED for a kernel that changes distances in a way that is not transcribed, and for
 * one that does not survive this machine's nodes.
 */
struct numa *numa_new(const struct machine *machine, GError **error);
void numa_free(struct numa *numa);
AUTO_DEFINE(numa, numa_free)

/* The CPUs of all nodes that are no farther from @node than the level's distance. New. */
struct cpus *numa_span(const struct numa *numa, const struct machine *machine, unsigned level,
		       unsigned node);

#endif
