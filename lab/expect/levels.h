/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's sched_domain_topology_level list for one machine, from the inside out. */
#ifndef EXPECT_LEVELS_H
#define EXPECT_LEVELS_H

#include "expect/machine.h"
#include "expect/numa.h"

/*
 * Sets of CPUs of which there is only one copy each, so that equal spans are equal pointers.
 * spans_intern() takes @set over and returns the copy that the table owns.
 */
GHashTable *spans_new(void);
struct cpus *spans_intern(GHashTable *spans, struct cpus *set);

struct level {
	const char *name;
	char *rule;    /* the row that made it: "MC/6.1+" */
	guint32 flags; /* before degeneration */
	bool overlaps; /* groups are built by build_overlap_sched_groups() */
	/*
	 * Of every CPU of the map, interned; NULL for others, and above the end of its chain. Cut
	 * to the map, as sched_domain_span() is; weight counts the level's whole mask.
	 */
	struct cpus **span;
	unsigned *weight;
};

/*
 * struct level *, for the CPUs of @map (cpu_map in the kernel); spans are interned in @spans, which
 * must outlive the levels.
 */
GPtrArray *levels_new(const struct machine *machine, const struct numa *numa,
		      const struct cpus *map, GHashTable *spans);

#endif
