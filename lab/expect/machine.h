/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine as the kernel's topology code knows it before it builds domains: nodes by CPU, and
 * the two ways in which kernels notice that a package holds several nodes.
 */
#ifndef EXPECT_MACHINE_H
#define EXPECT_MACHINE_H

#include "base/auto.h"
#include "base/cpus.h"
#include "base/kernel_facts.h"
#include "expect/situation.h"
#include "topo/topo.h"

struct machine {
	const struct topo *topo; /* borrowed, as the facts are */
	const struct kernel_facts *facts;
	const struct situation *situation;
	unsigned version;
	unsigned n_cpus;	    /* online or not */
	bool numa;		    /* the kernel knows nodes; else all CPUs are on node 0 */
	unsigned n_nodes;	    /* node numbers are below this */
	struct cpus **node_cpus;    /* n_nodes elements: cpumask_of_node(), online CPUs alone */
	unsigned *node_of;	    /* n_cpus elements */
	unsigned n_packages;	    /* that have CPUs */
	bool siblings;		    /* the kernel looks for CPUs that share something */
	bool package_spans_nodes;   /* x86_has_numa_in_package of 6.x */
	unsigned nodes_per_package; /* topology_num_nodes_per_package() of 7.0 */
};

struct machine *machine_new(const struct topo *topo, const struct kernel_facts *facts,
			    const struct situation *situation);
void machine_free(struct machine *machine);
AUTO_DEFINE(machine, machine_free)

/*
 * The online CPUs that share @level with @cpu, which is one of them, as the kernel has found. New.
 */
struct cpus *machine_mask(const struct machine *machine, enum topo_level level, unsigned cpu);

/* node_distance(): what the SLIT says, and the default for a node that it does not know. */
unsigned machine_distance(const struct machine *machine, unsigned from, unsigned to);

#endif
