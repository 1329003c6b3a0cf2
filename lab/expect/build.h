/* SPDX-License-Identifier: GPL-2.0-only */
/* build_sched_domains() and cpu_attach_domain(), kernel/sched/topology.c. */
#ifndef EXPECT_BUILD_H
#define EXPECT_BUILD_H

#include "expect/machine.h"
#include "topo/domains.h"

/*
 * Adds the domains of the CPUs in @map to @tree. @levels: from levels_new(), with the same @map and
 * @spans; the spans above a chain's end are cleared.
 */
void build_domains(struct domain_tree *tree, const struct machine *machine, GPtrArray *levels,
		   const struct cpus *map, GHashTable *spans);

#endif
