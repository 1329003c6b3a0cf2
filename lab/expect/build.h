/* SPDX-License-Identifier: GPL-2.0-only */
/* build_sched_domains() and cpu_attach_domain(), kernel/sched/topology.c. */
#ifndef EXPECT_BUILD_H
#define EXPECT_BUILD_H

#include "expect/machine.h"
#include "topo/domains.h"

/* @levels: from levels_new(), with the same @spans; the spans above a chain's end are cleared. */
struct domain_tree *build_domains(const struct machine *machine, GPtrArray *levels,
				  GHashTable *spans);

#endif
