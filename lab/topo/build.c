// SPDX-License-Identifier: GPL-2.0-only
/* From a machine's shape to its CPUs: ids, APIC ids, Linux's numbers, masks. */
#include "topo/model.h"

/* Bits that hold the values 0 to @n - 1: QEMU's apicid_bitwidth_for_count(). */
static unsigned bits_for(unsigned n)
{
	unsigned bits = 0;

	while ((1u << bits) < n)
		bits++;
	return bits;
}

/*
 * QEMU's APIC ids (include/hw/i386/topology.h) for -smp sockets=packages, dies=llcs, cores,
 * threads: a field for each, wide enough for its count. A package with one LLC has no die field.
 * Each core has an L2 of its own.
 */
unsigned topo_apic_shift(const struct topo_shape *shape, enum topo_level level)
{
	unsigned shift = bits_for(shape->threads);

	if (level == TOPO_CORE || level == TOPO_L2)
		return shift;
	shift += bits_for(shape->cores);
	if (level == TOPO_LLC)
		return shift;
	return shift + bits_for(shape->llcs);
}

/* @rank: of the APIC id, counted through threads, cores, LLCs, packages. */
static struct topo_cpu cpu_of_rank(const struct topo_shape *shape, unsigned rank)
{
	struct topo_cpu cpu = {
		.vcpu = rank,
		.thread = rank % shape->threads,
		.core = rank / shape->threads,
	};
	unsigned cores_per_package = shape->llcs * shape->cores;
	unsigned core_in_package;

	cpu.llc = cpu.core / shape->cores;
	cpu.package = cpu.llc / shape->llcs;
	core_in_package = cpu.core % cores_per_package;
	/* Nodes are consecutive equal slices of the package's cores. */
	cpu.node =
		cpu.package * shape->nodes + core_in_package / (cores_per_package / shape->nodes);
	cpu.apic_id = cpu.package << topo_apic_shift(shape, TOPO_PACKAGE) |
		      cpu.llc % shape->llcs << topo_apic_shift(shape, TOPO_LLC) |
		      cpu.core % shape->cores << topo_apic_shift(shape, TOPO_CORE) | cpu.thread;
	return cpu;
}

/* Linux numbers CPUs in the order of the MADT, which is the firmware's choice. */
static unsigned number_of_cpu(const struct topo *topo, const struct topo_cpu *cpu)
{
	switch (topo->numbering) {
	case TOPO_NUMBERING_THREADS_LAST:
		return cpu->thread * (topo->n_cpus / topo->shape.threads) + cpu->core;
	case TOPO_NUMBERING_THREADS_ADJACENT:
	case TOPO_NUMBERING_COUNT:
		break;
	}
	return cpu->vcpu;
}

static unsigned id_at_level(const struct topo_cpu *cpu, enum topo_level level)
{
	switch (level) {
	case TOPO_CORE:
	case TOPO_L2:
		return cpu->core;
	case TOPO_LLC:
		return cpu->llc;
	case TOPO_PACKAGE:
	case TOPO_LEVEL_COUNT:
		break;
	}
	return cpu->package;
}

static void build_masks(struct topo *topo, enum topo_level level)
{
	g_autofree struct cpus **by_id = g_new0(struct cpus *, topo->n_cpus);

	topo->masks[level] = g_new0(struct cpus *, topo->n_cpus);
	for (unsigned i = 0; i < topo->n_cpus; i++) {
		unsigned id = id_at_level(&topo->cpu[i], level);

		if (by_id[id])
			topo->masks[level][i] = cpus_ref(by_id[id]);
		else
			topo->masks[level][i] = by_id[id] = cpus_new();
		cpus_add(by_id[id], i);
	}
}

void topo_build(struct topo *topo)
{
	const struct topo_shape *shape = &topo->shape;

	topo->n_cpus = shape->packages * shape->llcs * shape->cores * shape->threads;
	topo->cpu = g_new0(struct topo_cpu, topo->n_cpus);
	topo->cpu_of_vcpu = g_new0(unsigned, topo->n_cpus);
	topo->node_cpus = g_new0(struct cpus *, topo->n_nodes);
	topo->all = cpus_new();
	for (unsigned node = 0; node < topo->n_nodes; node++)
		topo->node_cpus[node] = cpus_new();
	for (unsigned vcpu = 0; vcpu < topo->n_cpus; vcpu++) {
		struct topo_cpu cpu = cpu_of_rank(shape, vcpu);
		unsigned number = number_of_cpu(topo, &cpu);

		topo->cpu[number] = cpu;
		topo->cpu_of_vcpu[vcpu] = number;
		cpus_add(topo->node_cpus[cpu.node], number);
		cpus_add(topo->all, number);
	}
	for (int level = 0; level < TOPO_LEVEL_COUNT; level++)
		build_masks(topo, (enum topo_level)level);
}
