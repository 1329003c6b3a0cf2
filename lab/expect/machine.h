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
#include "topo/topo.h"

struct machine {
	const struct topo *topo; /* borrowed, as the facts are */
	const struct kernel_facts *facts;
	unsigned version;
	unsigned n_cpus;
	struct cpus *all;	    /* the partition's CPUs, cpu_map in the kernel */
	bool numa;		    /* CONFIG_NUMA; without it all CPUs are on node 0 */
	unsigned n_nodes;	    /* node numbers are below this */
	struct cpus **node_cpus;    /* n_nodes elements, empty for a node with memory alone */
	unsigned *node_of;	    /* n_cpus elements */
	unsigned n_packages;	    /* that have CPUs */
	bool package_spans_nodes;   /* x86_has_numa_in_package of 6.x */
	unsigned nodes_per_package; /* topology_num_nodes_per_package() of 7.0 */
};

struct machine *machine_new(const struct topo *topo, const struct kernel_facts *facts);
void machine_free(struct machine *machine);
AUTO_DEFINE(machine, machine_free)

/* node_distance(): what the SLIT says, and the default for a node that it does not know. */
unsigned machine_distance(const struct machine *machine, unsigned from, unsigned to);

#endif
