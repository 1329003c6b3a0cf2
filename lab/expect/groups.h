/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The groups of every domain before degeneration: build_sched_groups() and
 * build_overlap_sched_groups() in kernel/sched/topology.c, equal in 6.1.192, 6.12.117 and 7.3.4.
 */
#ifndef EXPECT_GROUPS_H
#define EXPECT_GROUPS_H

#include "base/auto.h"
#include "base/cpus.h"

#include <glib.h>

struct group {
	struct cpus *span; /* interned */
	struct cpus *mask; /* balance mask; NULL where domains cannot overlap: all of it */
	int id;		   /* first CPU of the balance mask */
};

/* A domain's groups: a ring, since domains that do not overlap share it and begin elsewhere. */
struct ring {
	GPtrArray *groups; /* struct group *; one reference held */
	unsigned first;
};

struct groups;

/* Both are borrowed: what levels_new() returned, with chains cut to length, and its spans. */
struct groups *groups_new(GPtrArray *levels, GHashTable *spans);
void groups_free(struct groups *groups);
AUTO_DEFINE(groups, groups_free)

/* The ring of the domain that @cpu has at @level; the level's span must be there. */
struct ring groups_of(struct groups *groups, unsigned level, unsigned cpu);
const struct group *ring_get(const struct ring *ring, unsigned i);

#endif
