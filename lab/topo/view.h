/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine as one witness describes it. The three witnesses (topology file; CPUID and ACPI
 * bytes; /sys) fill the same type, so that verdict/ compares like with like. What a witness did
 * not see stays NULL or -1 and is not compared.
 */
#ifndef TOPO_VIEW_H
#define TOPO_VIEW_H

#include "base/auto.h"
#include "base/cpus.h"
#include "topo/topo.h"

struct view_cpu {
	gint64 apic_id;			     /* -1: not seen */
	struct cpus *mask[TOPO_LEVEL_COUNT]; /* NULL: not seen; empty: the CPU has none */
	int node;			     /* -1: not seen */
};

struct view {
	const char *witness;  /* "topology file", "CPUID and ACPI tables", "/sys"; static */
	struct cpus *cpus;    /* the CPUs it knows; online ones for /sys */
	struct view_cpu *cpu; /* n_cpu_slots elements, indexed by CPU number */
	unsigned n_cpu_slots;
	char *vendor; /* NULL: not seen */
	int family, model, stepping;
	char *lacks;	    /* as topo_lacks_text() has it; NULL: not seen */
	struct cpus *nodes; /* node numbers with CPUs or memory; NULL: not seen */
	unsigned n_node_slots;
	struct cpus **node_cpus; /* n_node_slots elements; NULL: not seen */
	int *distance; /* n_node_slots squared, row = from; -1: not seen; NULL: none seen */
};

/* @n_cpu_slots: highest CPU number + 1. Everything starts as not seen, @cpus as empty. */
struct view *view_new(const char *witness, unsigned n_cpu_slots);
/* Makes room for node tables; until then they are NULL. */
void view_set_node_slots(struct view *view, unsigned n_node_slots);
void view_free(struct view *view);
AUTO_DEFINE(view, view_free)

/* What is seen of each CPU, without the nodes. New. */
struct view *view_copy_cpus(const struct view *view);
/* Forgets every CPU that is not in @cpus; nodes without CPUs stay. */
void view_keep_cpus(struct view *view, const struct cpus *cpus);
/* All CPUs on node 0, which is all there is. */
void view_merge_nodes(struct view *view);

/* Cuts each LLC in @split: cores of equal remainder of their number stay together. */
void view_split_llc(struct view *view, const struct topo *topo, unsigned split);

/* The first witness. */
struct view *view_of_topo(const struct topo *topo);
#endif
