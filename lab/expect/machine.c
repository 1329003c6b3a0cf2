// SPDX-License-Identifier: GPL-2.0-only
#include "expect/machine.h"

#include "expect/sharing.h"
#include "expect/versions.h"

/* include/linux/topology.h */
#define LOCAL_DISTANCE	10
#define REMOTE_DISTANCE 20

static struct cpus *online_of(const struct machine *machine, const struct cpus *set)
{
	struct cpus *online = cpus_copy(set);

	cpus_and(online, machine->situation->online);
	return online;
}

static void machine_find_nodes(struct machine *machine)
{
	machine->n_nodes = machine->numa ? topo_n_nodes(machine->topo) : 1;
	machine->node_cpus = g_new0(struct cpus *, machine->n_nodes);
	machine->node_of = g_new0(unsigned, machine->n_cpus);
	for (unsigned node = 0; node < machine->n_nodes; node++)
		machine->node_cpus[node] =
			online_of(machine, machine->numa ? topo_node_cpus(machine->topo, node)
							 : topo_all_cpus(machine->topo));
	for (unsigned cpu = 0; machine->numa && cpu < machine->n_cpus; cpu++)
		machine->node_of[cpu] = topo_cpu(machine->topo, cpu)->node;
}

/*
 * has_mp in set_cpu_sibling_map(). Since 6.9 (6.12.117, 7.3.4) topology_init_possible_cpus() counts
 * the cores of the first package alone: where that has a single CPU, and no core has two threads,
 * CPUs of other packages have no siblings. Before, it was CPUID that told, alike on all CPUs.
 */
static bool looks_for_siblings(const struct machine *machine)
{
	static const struct versions counts = {.since = RELEASE(6, 9)};
	const struct cpus *present = machine->situation->present;
	AUTO(cpus) *package = NULL;

	if (!versions_have(&counts, machine->version))
		return true;
	CPUS_FOREACH (cpu, present) {
		AUTO(cpus) *core =
			sharing_mask(machine->topo, machine->version, TOPO_CORE, (unsigned)cpu);

		cpus_and(core, present);
		if (cpus_count(core) > 1)
			return true;
	}
	/* The package of the smallest APIC id, which is 0: a machine starts there. */
	package = cpus_copy(topo_mask(machine->topo, TOPO_PACKAGE, 0));
	cpus_and(package, present);
	return cpus_count(package) > 1;
}

/*
 * set_cpu_sibling_map() of 6.x sets x86_has_numa_in_package when two CPUs that were started share a
 * package and not a node; native_smp_cpus_done() looks at it once.
 */
static bool booted_package_spans_nodes(const struct machine *machine)
{
	CPUS_FOREACH (cpu, machine->situation->booted)
		CPUS_FOREACH (other, topo_mask(machine->topo, TOPO_PACKAGE, (unsigned)cpu))
			if (cpus_has(machine->situation->booted, (unsigned)other) &&
			    machine->node_of[other] != machine->node_of[cpu])
				return true;
	return false;
}

/*
 * topology_init_possible_cpus() of 7.0 and later divides the nodes that the SRAT has CPUs in by the
 * packages of the CPUs that it numbers, rounding up.
 */
static void machine_find_packages(struct machine *machine)
{
	AUTO(cpus) *packages = cpus_new();
	unsigned n_cpu_nodes = 0;

	CPUS_FOREACH (cpu, machine->situation->present)
		cpus_add(packages, topo_cpu(machine->topo, (unsigned)cpu)->package);
	machine->n_packages = cpus_count(packages);
	for (unsigned node = 0; machine->numa && node < machine->n_nodes; node++)
		n_cpu_nodes += !cpus_is_empty(topo_node_cpus(machine->topo, node));
	machine->nodes_per_package =
		(MAX(n_cpu_nodes, 1) + machine->n_packages - 1) / machine->n_packages;
	machine->siblings = looks_for_siblings(machine);
	machine->package_spans_nodes = machine->siblings && booted_package_spans_nodes(machine);
}

struct machine *machine_new(const struct topo *topo, const struct kernel_facts *facts,
			    const struct situation *situation)
{
	struct machine *machine = g_new0(struct machine, 1);

	machine->topo = topo;
	machine->facts = facts;
	machine->situation = situation;
	machine->version = kernel_facts_version(facts);
	machine->n_cpus = topo_n_cpus(topo);
	machine->numa = kernel_facts_builtin(facts, "NUMA") && !situation->one_node;
	machine_find_nodes(machine);
	machine_find_packages(machine);
	return machine;
}

void machine_free(struct machine *machine)
{
	for (unsigned node = 0; node < machine->n_nodes; node++)
		cpus_unref(machine->node_cpus[node]);
	g_free(machine->node_cpus);
	g_free(machine->node_of);
	g_free(machine);
}

struct cpus *machine_mask(const struct machine *machine, enum topo_level level, unsigned cpu)
{
	struct cpus *mask;

	if (machine->siblings) {
		mask = sharing_mask(machine->topo, machine->version, level, cpu);
		cpus_and(mask, machine->situation->online);
		return mask;
	}
	mask = cpus_new();
	cpus_add(mask, cpu);
	return mask;
}

unsigned machine_distance(const struct machine *machine, unsigned from, unsigned to)
{
	/* __node_distance(), arch/x86/mm/numa.c */
	if (from >= machine->n_nodes || to >= machine->n_nodes)
		return from == to ? LOCAL_DISTANCE : REMOTE_DISTANCE;
	return topo_distance(machine->topo, from, to);
}
