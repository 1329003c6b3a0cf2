/* SPDX-License-Identifier: GPL-2.0-only */
/* What a kernel makes of a random machine's table before it builds domains from it. */
#ifndef TESTS_NUMA_SEEN_H
#define TESTS_NUMA_SEEN_H

#include "machine.h"

/* The three that are known: what is said of one is said of its series. */
enum seen_kernel { SEEN_6_1, SEEN_6_12, SEEN_7_3 };

struct seen {
	const struct random_machine *machine;
	enum seen_kernel kernel;
	bool has_fixup; /* the kernel may change distances of this processor */
	bool mended;	/* and does so */
	bool symmetric; /* what it builds from is, between nodes with CPUs */
	unsigned most;	/* the largest of these */
};

/*
 * arch_sched_node_distance() of 7.0 and later, for clusters of three nodes or more that are
 * symmetric in themselves. Of machines with rows this does not know.
 */
static inline bool seen_is_mended(const struct random_machine *machine)
{
	unsigned n = machine_nodes(machine);

	if (machine->nodes_per_package < 3 || machine->packages == 1)
		return false;
	for (unsigned a = 0; a < machine->n_nodes; a++)
		for (unsigned b = 0; b < a; b++)
			if (machine->cluster[a] == machine->cluster[b] &&
			    machine->distance[a * n + b] != machine->distance[b * n + a])
				return false;
	return true;
}

/* The mean of all distances from one package to another and back, of commit 528d89a4707e. */
static inline unsigned seen_mean(const struct random_machine *machine, unsigned one, unsigned other)
{
	unsigned n = machine_nodes(machine), sum = 0, count = 0;

	for (unsigned a = 0; a < machine->n_nodes; a++) {
		for (unsigned b = 0; b < machine->n_nodes; b++) {
			if (machine->cluster[a] != one || machine->cluster[b] != other)
				continue;
			sum += machine->distance[a * n + b] + machine->distance[b * n + a];
			count += 2;
		}
	}
	return sum / count;
}

static inline unsigned seen_distance(const struct seen *seen, unsigned from, unsigned to)
{
	const struct random_machine *machine = seen->machine;

	if (seen->mended && machine->cluster[from] != machine->cluster[to])
		return seen_mean(machine, machine->cluster[from], machine->cluster[to]);
	return machine->distance[from * machine_nodes(machine) + to];
}

static inline struct seen seen_of(const struct random_machine *machine, enum seen_kernel kernel)
{
	struct seen seen = {.machine = machine, .kernel = kernel, .symmetric = true};

	/* INTEL_GRANITERAPIDS_X and INTEL_ATOM_DARKMONT_X */
	seen.has_fixup = kernel >= SEEN_7_3 && !machine->amd &&
			 (machine->model == 173 || machine->model == 221);
	seen.mended = seen.has_fixup && seen_is_mended(machine);
	for (unsigned a = 0; a < machine->n_nodes; a++) {
		for (unsigned b = 0; b < machine->n_nodes; b++) {
			seen.most = MAX(seen.most, seen_distance(&seen, a, b));
			seen.symmetric &= seen_distance(&seen, a, b) == seen_distance(&seen, b, a);
		}
	}
	return seen;
}

/* Packages that have CPUs. */
static inline unsigned seen_packages(const struct seen *seen)
{
	const struct random_machine *machine = seen->machine;
	AUTO(cpus) *packages = cpus_new();

	if (!machine->row)
		return machine->packages;
	for (unsigned i = 0; i < machine->n_cpus; i++)
		cpus_add(packages, machine->row[i].package);
	return cpus_count(packages);
}

/* topology_num_nodes_per_package(): rounded up. */
static inline unsigned seen_nodes_per_package(const struct seen *seen)
{
	unsigned packages = seen_packages(seen);

	return (seen->machine->n_nodes + packages - 1) / packages;
}

/*
 * set_cpu_sibling_map() since 6.9: without a second thread anywhere, and with one CPU in the
 * package of the first one, no CPU has siblings, whatever the other packages hold.
 */
static inline bool seen_without_siblings(const struct seen *seen)
{
	const struct random_machine *machine = seen->machine;
	unsigned of_first = 0;

	if (seen->kernel < SEEN_6_12 || !machine->row)
		return false;
	for (unsigned i = 0; i < machine->n_cpus; i++) {
		if (machine->row[i].thread)
			return false;
		of_first += machine->row[i].package == machine->row[0].package;
	}
	return of_first == 1;
}

/* The same of 7.3 warns of a package on several nodes when it counted one node a package. */
static inline bool seen_warns(const struct seen *seen)
{
	const struct random_machine *machine = seen->machine;

	if (seen->kernel < SEEN_7_3 || !machine->row || seen_without_siblings(seen) ||
	    seen_nodes_per_package(seen) > 1)
		return false;
	for (unsigned i = 0; i < machine->n_cpus; i++)
		for (unsigned j = 0; j < i; j++)
			if (machine->row[i].package == machine->row[j].package &&
			    machine->row[i].node != machine->row[j].node)
				return true;
	return false;
}

/* Does the kernel look at each package's nodes, to see if it should mend distances? */
static inline bool seen_is_examined(const struct seen *seen)
{
	return seen->has_fixup && seen_packages(seen) > 1 && seen_nodes_per_package(seen) >= 3;
}

/*
 * slit_cluster_package() of 7.3.4 reads the CPUs of as many nodes for each package, and of one that
 * is not there it reads from NULL. Some such machines get by, since what comes first already does
 * not fit.
 */
static inline bool seen_may_kill(const struct seen *seen)
{
	return seen_is_examined(seen) &&
	       seen_packages(seen) * seen_nodes_per_package(seen) > machine_nodes(seen->machine);
}

/*
 * A domain of one group is removed, whatever its span, once nothing wakes across it: beyond
 * node_reclaim_distance, which is 30 or more. One group without the whole span needs an asymmetric
 * table.
 */
static inline bool seen_loses_domains(const struct seen *seen)
{
	return !seen->symmetric && seen->most > 30;
}

/*
 * What an asymmetric table breaks: groups do not cover their domain (the CPUs that would are at the
 * end of their own chain), and domains are lost, of which others, and CPUs, then lack something. On
 * symmetric tables nothing breaks.
 */
static inline bool seen_may_break(const struct seen *seen, const char *check)
{
	static const char *const with_domain_lost[] = {
		"invariants.first-group",
		"invariants.meet",
		"invariants.present",
		NULL,
	};

	if (strcmp(check, "invariants.groups-cover") == 0)
		return !seen->symmetric;
	return seen_loses_domains(seen) && g_strv_contains(with_domain_lost, check);
}

#endif
