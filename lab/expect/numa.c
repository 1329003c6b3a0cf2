// SPDX-License-Identifier: GPL-2.0-only
#include "expect/numa.h"

#include "base/error.h"
#include "expect/versions.h"

/* RECLAIM_DISTANCE, include/linux/topology.h */
#define RECLAIM_DISTANCE 30
/* DISTANCE_BITS is 8: sched_init_numa() takes no distance from here on. */
#define N_DISTANCES 256

struct identity {
	enum topo_vendor vendor;
	unsigned family, last_family;
	unsigned model, last_model;
};

/* All models of the families @first to @last. */
#define AMD_FAMILIES(first, last)                                                                  \
	{                                                                                          \
		.vendor = TOPO_VENDOR_AMD, .family = (first), .last_family = (last),               \
		.last_model = 0xff                                                                 \
	}
/* One model of family 6. */
#define INTEL_MODEL(number)                                                                        \
	{                                                                                          \
		.vendor = TOPO_VENDOR_INTEL, .family = 6, .last_family = 6, .model = (number),     \
		.last_model = (number)                                                             \
	}
#define GRANITERAPIDS_X INTEL_MODEL(0xad)
#define ATOM_DARKMONT_X INTEL_MODEL(0xdd)

static bool identity_matches(const struct identity *identity, const struct machine *machine)
{
	const struct topo_cpu_model *cpu = topo_cpu_model(machine->topo);

	return cpu->vendor == identity->vendor && cpu->family >= identity->family &&
	       cpu->family <= identity->last_family && cpu->model >= identity->model &&
	       cpu->model <= identity->last_model;
}

struct reclaim_row {
	struct versions versions;
	struct identity identity;
	unsigned distance;
};

/*
 * init_amd_zen_common() in arch/x86/kernel/cpu/amd.c raises node_reclaim_distance. Before 6.8 each
 * Zen generation calls it by itself, and none of family 1Ah is known (6.1.192); since then every
 * family from 17h does (6.12.117, 7.3.4).
 */
static const struct reclaim_row reclaim_rows[] = {
	{
		.versions = {.since = RELEASE(6, 1), .until = RELEASE(6, 8)},
		.identity = AMD_FAMILIES(0x17, 0x17),
		.distance = 32,
	},
	{
		.versions = {.since = RELEASE(6, 1), .until = RELEASE(6, 8)},
		.identity = AMD_FAMILIES(0x19, 0x19),
		.distance = 32,
	},
	{
		.versions = {.since = RELEASE(6, 8)},
		.identity = AMD_FAMILIES(0x17, G_MAXUINT),
		.distance = 32,
	},
};

static unsigned reclaim_distance(const struct machine *machine)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(reclaim_rows); i++)
		if (versions_have(&reclaim_rows[i].versions, machine->version) &&
		    identity_matches(&reclaim_rows[i].identity, machine))
			return reclaim_rows[i].distance;
	return RECLAIM_DISTANCE;
}

#define PACKAGE_NONE (-1)
/* The kernel reads the CPUs of a node that is not there. */
#define PACKAGE_FAULT (-2)

/* The package of all CPUs in a package's worth of nodes from @first on. */
static int slit_cluster_package(const struct machine *machine, unsigned first)
{
	int package = PACKAGE_NONE;

	for (unsigned node = first; node < first + machine->nodes_per_package; node++) {
		if (node >= machine->n_nodes)
			return PACKAGE_FAULT;
		CPUS_FOREACH (cpu, machine->node_cpus[node]) {
			int own = (int)topo_cpu(machine->topo, (unsigned)cpu)->package;

			if (package != PACKAGE_NONE && package != own)
				return PACKAGE_NONE;
			package = own;
		}
	}
	return package;
}

static bool slit_cluster_symmetric(const struct machine *machine, unsigned first)
{
	for (unsigned k = first; k < first + machine->nodes_per_package; k++)
		for (unsigned l = k; l < first + machine->nodes_per_package; l++)
			if (machine_distance(machine, k, l) != machine_distance(machine, l, k))
				return false;
	return true;
}

enum slit { SLIT_UNFIT, SLIT_FIT, SLIT_FAULT };

/*
 * slit_validate(): node numbers go package by package, and each package is symmetric in itself.
 * Where the packages do not all have that many nodes, the last ones may lie behind the last node
 * that there is, and cpumask_of_node() is NULL (7.3.4).
 */
static enum slit slit_validate(const struct machine *machine)
{
	int previous = PACKAGE_NONE;

	for (unsigned i = 0; i < machine->n_packages; i++) {
		unsigned first = i * machine->nodes_per_package;
		int package;

		if (!slit_cluster_symmetric(machine, first))
			return SLIT_UNFIT;
		package = slit_cluster_package(machine, first);
		if (package == PACKAGE_FAULT)
			return SLIT_FAULT;
		if (package == PACKAGE_NONE || package == previous)
			return SLIT_UNFIT;
		previous = package;
	}
	return SLIT_FIT;
}

/* slit_cluster_distance(): all distances between two packages become their mean, both ways. */
static unsigned snc_distance(const struct machine *machine, unsigned from, unsigned to)
{
	unsigned per_package = machine->nodes_per_package;
	unsigned x = from - from % per_package, y = to - to % per_package;
	unsigned sum = 0;

	if (x == y)
		return machine_distance(machine, from, to);
	for (unsigned i = x; i < x + per_package; i++)
		for (unsigned j = y; j < y + per_package; j++)
			sum += machine_distance(machine, i, j) + machine_distance(machine, j, i);
	return sum / (2 * per_package * per_package);
}

struct fixup_row {
	const char *name;
	struct versions versions;
	struct identity identity;
	/* NULL: this kernel computes something else, which no row of ours knows */
	unsigned (*distance)(const struct machine *machine, unsigned from, unsigned to);
};

/*
 * arch_sched_node_distance(), arch/x86/kernel/smpboot.c of 7.3.4, from 528d89a4707e; 6.19 had a
 * first form that took one mean over the whole machine (4d6dd05d07d0).
 */
static const struct fixup_row fixup_rows[] = {
	{
		.name = "snc-mean",
		.versions = {.since = RELEASE(6, 19), .until = RELEASE(7, 0)},
		.identity = GRANITERAPIDS_X,
	},
	{
		.name = "snc-mean",
		.versions = {.since = RELEASE(6, 19), .until = RELEASE(7, 0)},
		.identity = ATOM_DARKMONT_X,
	},
	{
		.name = "snc-slit",
		.versions = {.since = RELEASE(7, 0)},
		.identity = GRANITERAPIDS_X,
		.distance = snc_distance,
	},
	{
		.name = "snc-slit",
		.versions = {.since = RELEASE(7, 0)},
		.identity = ATOM_DARKMONT_X,
		.distance = snc_distance,
	},
};

/* The row that changes this machine's distances, or NULL. */
static const struct fixup_row *fixup_find(const struct machine *machine)
{
	/* Both forms only take SNC-3 and above on more than one package. */
	if (machine->n_packages == 1 || machine->nodes_per_package < 3)
		return NULL;
	for (unsigned i = 0; i < G_N_ELEMENTS(fixup_rows); i++)
		if (versions_have(&fixup_rows[i].versions, machine->version) &&
		    identity_matches(&fixup_rows[i].identity, machine))
			return &fixup_rows[i];
	return NULL;
}

static void numa_fill_distances(struct numa *numa, const struct machine *machine,
				const struct fixup_row *fixup)
{
	for (unsigned from = 0; from < numa->n_nodes; from++)
		for (unsigned to = 0; to < numa->n_nodes; to++)
			numa->distance[from * numa->n_nodes + to] =
				fixup ? fixup->distance(machine, from, to)
				      : machine_distance(machine, from, to);
}

static void numa_find_levels(struct numa *numa, const struct machine *machine)
{
	bool seen[N_DISTANCES] = {false};

	for (unsigned from = 0; from < numa->n_nodes; from++) {
		for (unsigned to = 0; to < numa->n_nodes; to++) {
			if (cpus_is_empty(machine->node_cpus[from]) ||
			    cpus_is_empty(machine->node_cpus[to]))
				continue;
			g_assert(numa->distance[from * numa->n_nodes + to] < N_DISTANCES);
			seen[numa->distance[from * numa->n_nodes + to]] = true;
		}
	}
	for (unsigned distance = 0; distance < N_DISTANCES; distance++)
		if (seen[distance])
			numa->level_distance[numa->n_levels++] = distance;
}

static bool error_fault(const struct machine *machine, GError **error)
{
	g_set_error(
		error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
		"kernel '%s' dies of '%s' before it builds a domain: it looks for %u nodes in each "
		"of %u packages, and there are only %u",
		kernel_facts_release(machine->facts), topo_name(machine->topo),
		machine->nodes_per_package, machine->n_packages, machine->n_nodes);
	return false;
}

/* Sets @fixup to NULL where the kernel finds that the table is not what it mends. */
static bool fixup_validate(const struct machine *machine, const struct fixup_row **fixup,
			   GError **error)
{
	switch (slit_validate(machine)) {
	case SLIT_FAULT:
		return error_fault(machine, error);
	case SLIT_UNFIT:
		*fixup = NULL;
		return true;
	case SLIT_FIT:
		break;
	}
	return true;
}

struct numa *numa_new(const struct machine *machine, GError **error)
{
	const struct fixup_row *fixup = fixup_find(machine);
	struct numa *numa;

	if (fixup && !fixup->distance) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
			    "kernel '%s' changes the node distances of '%s' in a way that no rule "
			    "knows; 7.0 and later, and before 6.19, are known",
			    kernel_facts_release(machine->facts), topo_name(machine->topo));
		return NULL;
	}
	if (fixup && !fixup_validate(machine, &fixup, error))
		return NULL;
	numa = g_new0(struct numa, 1);
	numa->n_nodes = machine->n_nodes;
	numa->distance = g_new0(unsigned, numa->n_nodes * numa->n_nodes);
	numa->level_distance = g_new0(unsigned, N_DISTANCES);
	numa->fixup = fixup ? fixup->name : NULL;
	numa->reclaim = reclaim_distance(machine);
	numa_fill_distances(numa, machine, fixup);
	numa_find_levels(numa, machine);
	return numa;
}

void numa_free(struct numa *numa)
{
	g_free(numa->distance);
	g_free(numa->level_distance);
	g_free(numa);
}

struct cpus *numa_span(const struct numa *numa, const struct machine *machine, unsigned level,
		       unsigned node)
{
	struct cpus *span = cpus_new();

	for (unsigned to = 0; to < numa->n_nodes; to++)
		if (numa->distance[node * numa->n_nodes + to] <= numa->level_distance[level])
			cpus_or(span, machine->node_cpus[to]);
	return span;
}
