// SPDX-License-Identifier: GPL-2.0-only
#include "expect/machine.h"

/* include/linux/topology.h */
#define LOCAL_DISTANCE	10
#define REMOTE_DISTANCE 20

static void machine_find_nodes(struct machine *machine)
{
	machine->n_nodes = machine->numa ? topo_n_nodes(machine->topo) : 1;
	machine->node_cpus = g_new0(struct cpus *, machine->n_nodes);
	machine->node_of = g_new0(unsigned, machine->n_cpus);
	for (unsigned node = 0; node < machine->n_nodes; node++)
		machine->node_cpus[node] = cpus_ref(
			machine->numa ? topo_node_cpus(machine->topo, node) : machine->all);
	for (unsigned cpu = 0; machine->numa && cpu < machine->n_cpus; cpu++)
		machine->node_of[cpu] = topo_cpu(machine->topo, cpu)->node;
}

/*
 * set_cpu_sibling_map() of 6.x sets x86_has_numa_in_package when two CPUs share a package and not a
 * node. topology_init_possible_cpus() of 7.0 and later divides the nodes that have CPUs by the
 * packages, rounding up.
 */
static void machine_find_packages(struct machine *machine)
{
	g_autofree int *first_node = g_new(int, machine->n_cpus);
	unsigned n_cpu_nodes = 0;

	for (unsigned i = 0; i < machine->n_cpus; i++)
		first_node[i] = -1;
	for (unsigned cpu = 0; cpu < machine->n_cpus; cpu++) {
		int *first = &first_node[topo_cpu(machine->topo, cpu)->package];

		if (*first < 0) {
			*first = (int)machine->node_of[cpu];
			machine->n_packages++;
		} else if (*first != (int)machine->node_of[cpu]) {
			machine->package_spans_nodes = true;
		}
	}
	for (unsigned node = 0; node < machine->n_nodes; node++)
		n_cpu_nodes += !cpus_is_empty(machine->node_cpus[node]);
	machine->nodes_per_package = (n_cpu_nodes + machine->n_packages - 1) / machine->n_packages;
}

struct machine *machine_new(const struct topo *topo, const struct kernel_facts *facts)
{
	struct machine *machine = g_new0(struct machine, 1);

	machine->topo = topo;
	machine->facts = facts;
	machine->version = kernel_facts_version(facts);
	machine->n_cpus = topo_n_cpus(topo);
	machine->all = topo_all_cpus(topo);
	machine->numa = kernel_facts_builtin(facts, "NUMA");
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

unsigned machine_distance(const struct machine *machine, unsigned from, unsigned to)
{
	/* __node_distance(), arch/x86/mm/numa.c */
	if (from >= machine->n_nodes || to >= machine->n_nodes)
		return from == to ? LOCAL_DISTANCE : REMOTE_DISTANCE;
	return topo_distance(machine->topo, from, to);
}
