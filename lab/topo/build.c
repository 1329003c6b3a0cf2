// SPDX-License-Identifier: GPL-2.0-only
/* From a machine's shape to its CPUs: ids, APIC ids, Linux's numbers, masks. */
#include "topo/load.h"
#include "topo/model.h"

#include <string.h>

/* Bits that hold the values 0 to @n - 1: QEMU's apicid_bitwidth_for_count(). */
static unsigned bits_for(unsigned n)
{
	unsigned bits = 0;

	while ((1u << bits) < n)
		bits++;
	return bits;
}

/*
 * QEMU's APIC ids (include/hw/i386/topology.h) for -smp sockets=packages, dies=llcs, cores=slots,
 * threads: a field for each, wide enough for its count. A package with one LLC has no die field.
 */
unsigned topo_apic_shift(const struct topo_shape *shape, enum topo_level level)
{
	unsigned shift = bits_for(shape->threads);

	if (level == TOPO_CORE)
		return shift;
	if (level == TOPO_L2)
		return shift + bits_for(shape->l2_cores);
	shift += bits_for(shape->core_slots);
	if (level == TOPO_LLC)
		return shift;
	return shift + bits_for(shape->llcs);
}

struct topo_cpu topo_place(const struct topo_shape *shape, unsigned vcpu)
{
	struct topo_cpu place = {.vcpu = vcpu};
	unsigned rank = vcpu;

	place.thread = rank % shape->threads;
	rank /= shape->threads;
	place.core = rank % shape->core_slots;
	rank /= shape->core_slots;
	place.llc = rank % shape->llcs;
	place.package = rank / shape->llcs;
	place.apic_id = place.package << topo_apic_shift(shape, TOPO_PACKAGE) |
			place.llc << topo_apic_shift(shape, TOPO_LLC) |
			place.core << topo_apic_shift(shape, TOPO_CORE) | place.thread;
	return place;
}

unsigned topo_shape_positions(const struct topo_shape *shape)
{
	return shape->packages * shape->llcs * shape->core_slots * shape->threads;
}

static void build_positions(struct topo *topo)
{
	const struct topo_shape *shape = &topo->shape;

	topo->n_vcpus = topo_shape_positions(shape);
	topo->vcpu = g_new0(struct topo_position, topo->n_vcpus);
	for (unsigned vcpu = 0; vcpu < topo->n_vcpus; vcpu++) {
		topo->vcpu[vcpu].apic_id = topo_place(shape, vcpu).apic_id;
		topo->vcpu[vcpu].cpu = -1;
	}
}

/* Linux numbers CPUs in the order of the MADT, which is the firmware's choice. */
static unsigned number_of_cpu(const struct topo *topo, unsigned core, unsigned thread)
{
	switch (topo->numbering) {
	case TOPO_NUMBERING_THREADS_LAST:
		return thread * (topo->n_cpus / topo->shape.threads) + core;
	case TOPO_NUMBERING_THREADS_ADJACENT:
	case TOPO_NUMBERING_EXPLICIT:
	case TOPO_NUMBERING_COUNT:
		break;
	}
	return core * topo->shape.threads + thread;
}

/* The CPUs of a regular machine, their ids within their parents. */
static void build_regular_cpus(struct topo *topo)
{
	const struct topo_shape *shape = &topo->shape;
	unsigned cores_per_package = shape->llcs * shape->cores;

	topo->n_cpus = shape->packages * cores_per_package * shape->threads;
	topo->cpu = g_new0(struct topo_cpu, topo->n_cpus);
	for (unsigned vcpu = 0; vcpu < topo->n_vcpus; vcpu++) {
		struct topo_cpu cpu = topo_place(shape, vcpu);
		unsigned core_in_package = cpu.llc * shape->cores + cpu.core;
		unsigned core = cpu.package * cores_per_package + core_in_package;

		if (cpu.core >= shape->cores)
			continue;
		/* Nodes are consecutive equal slices of the package's cores. */
		cpu.node = cpu.package * shape->nodes +
			   core_in_package / (cores_per_package / shape->nodes);
		topo->cpu[number_of_cpu(topo, core, cpu.thread)] = cpu;
	}
}

/* Firmware lists empty positions too, so they get a node; one that has CPUs adds no node. */
static void fill_positions(struct topo *topo)
{
	unsigned node = 0;

	for (unsigned i = 0; i < topo->n_cpus; i++)
		topo->vcpu[topo->cpu[i].vcpu].cpu = (int)i;
	for (unsigned vcpu = 0; vcpu < topo->n_vcpus; vcpu++) {
		struct topo_position *position = &topo->vcpu[vcpu];

		if (position->cpu >= 0)
			node = topo->cpu[position->cpu].node;
		position->node = node;
	}
}

/* From ids within their parents to machine-wide ones: those that have CPUs, counted. */
static void number_ids(struct topo *topo)
{
	struct topo_cpu before = {0}, id = {0};
	bool first = true;

	for (unsigned vcpu = 0; vcpu < topo->n_vcpus; vcpu++) {
		struct topo_cpu *cpu, place;
		bool package, llc, core;

		if (topo->vcpu[vcpu].cpu < 0)
			continue;
		cpu = &topo->cpu[topo->vcpu[vcpu].cpu];
		place = *cpu;
		package = !first && place.package != before.package;
		llc = package || (!first && place.llc != before.llc);
		core = llc || (!first && place.core != before.core);
		cpu->package = id.package += package;
		cpu->llc = id.llc += llc;
		cpu->core = id.core += core;
		before = place;
		first = false;
	}
}

static unsigned id_at_level(const struct topo *topo, const struct topo_cpu *cpu,
			    enum topo_level level)
{
	switch (level) {
	case TOPO_CORE:
		return cpu->core;
	case TOPO_L2:
		return cpu->core / topo->shape.l2_cores;
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
	/* The ids of CPUs that are not there stay free. */
	g_autofree struct cpus **by_id = g_new0(struct cpus *, topo->n_vcpus);

	topo->masks[level] = g_new0(struct cpus *, topo->n_cpus);
	for (unsigned i = 0; i < topo->n_cpus; i++) {
		unsigned id = id_at_level(topo, &topo->cpu[i], level);

		if (by_id[id])
			topo->masks[level][i] = cpus_ref(by_id[id]);
		else
			topo->masks[level][i] = by_id[id] = cpus_new();
		cpus_add(by_id[id], i);
	}
}

static void build_sets(struct topo *topo)
{
	topo->all = cpus_new();
	topo->node_cpus = g_new0(struct cpus *, topo->n_nodes);
	for (unsigned node = 0; node < topo->n_nodes; node++)
		topo->node_cpus[node] = cpus_new();
	for (unsigned i = 0; i < topo->n_cpus; i++) {
		cpus_add(topo->all, i);
		cpus_add(topo->node_cpus[topo->cpu[i].node], i);
	}
	for (int level = 0; level < TOPO_LEVEL_COUNT; level++)
		build_masks(topo, (enum topo_level)level);
}

void topo_build(struct topo *topo)
{
	build_positions(topo);
	if (topo->shape.nodes)
		build_regular_cpus(topo);
	fill_positions(topo);
	number_ids(topo);
	build_sets(topo);
	topo_build_firmware(topo);
}

struct topo *topo_renumbered(const struct topo *topo, const int *order, unsigned n,
			     unsigned n_added)
{
	struct topo *other = topo_load_text(topo->text, strlen(topo->text), topo->name, NULL);
	struct topo_cpu *cpus = g_new(struct topo_cpu, n);

	g_assert(other);
	topo_clear_sets(other);
	for (unsigned i = 0; i < n; i++)
		cpus[i] = topo->cpu[order[i]];
	g_free(other->cpu);
	other->cpu = cpus;
	other->n_cpus = n;
	other->n_added = n_added;
	for (unsigned vcpu = 0; vcpu < other->n_vcpus; vcpu++)
		other->vcpu[vcpu].cpu = -1;
	for (unsigned i = 0; i < n; i++)
		other->vcpu[cpus[i].vcpu].cpu = (int)i;
	build_sets(other);
	return other;
}
