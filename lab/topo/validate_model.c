// SPDX-License-Identifier: GPL-2.0-only
/*
 * What holds of every machine, however it was described. What follows the loader relies on it; a
 * regular file that passed topo_validate_file() cannot break it, unless topo_build() is wrong.
 */
#include "topo/load_yaml.h"

static bool check_ids(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	g_autofree int *owner = g_new(int, TOPO_MAX_APIC_IDS);

	for (unsigned i = 0; i < TOPO_MAX_APIC_IDS; i++)
		owner[i] = -1;
	for (unsigned i = 0; i < topo->n_cpus; i++) {
		const struct topo_cpu *cpu = &topo->cpu[i];

		if (cpu->apic_id >= TOPO_MAX_APIC_IDS)
			return yaml_error(root, error,
					  "CPU %u has the APIC id %u, but KVM's ids end at %d", i,
					  cpu->apic_id, TOPO_MAX_APIC_IDS - 1);
		if (owner[cpu->apic_id] >= 0)
			return yaml_error(root, error, "CPU %d and CPU %u both have the APIC id %u",
					  owner[cpu->apic_id], i, cpu->apic_id);
		owner[cpu->apic_id] = (int)i;
		if (cpu->vcpu >= topo->n_vcpus || topo->vcpu[cpu->vcpu].cpu != (int)i)
			return yaml_error(root, error,
					  "CPU %u is vCPU %u, but that vCPU is another CPU's", i,
					  cpu->vcpu);
		if (cpu->apic_id != topo->vcpu[cpu->vcpu].apic_id)
			return yaml_error(root, error,
					  "CPU %u has the APIC id %u, but its vCPU %u has %u", i,
					  cpu->apic_id, cpu->vcpu, topo->vcpu[cpu->vcpu].apic_id);
	}
	return true;
}

/* vCPUs are in the order of their APIC ids; QEMU's tables are written in that order. */
static bool check_ranks(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	for (unsigned vcpu = 1; vcpu < topo->n_vcpus; vcpu++)
		if (topo->vcpu[vcpu - 1].apic_id >= topo->vcpu[vcpu].apic_id)
			return yaml_error(
				root, error,
				"vCPU %u has the APIC id %u, not less than the %u of vCPU %u",
				vcpu - 1, topo->vcpu[vcpu - 1].apic_id, topo->vcpu[vcpu].apic_id,
				vcpu);
	return true;
}

/* Equal masks or disjoint ones, around their CPUs: together they are then complete. */
static bool check_partition(const struct topo *topo, enum topo_level level,
			    const struct yaml_node *root, GError **error)
{
	for (unsigned i = 0; i < topo->n_cpus; i++) {
		const struct cpus *mask = topo->masks[level][i];

		if (!cpus_has(mask, i) || !cpus_subset(mask, topo->all))
			return yaml_error(
				root, error,
				"the %s mask of CPU %u lacks that CPU or has unknown ones",
				topo_level_name(level), i);
		CPUS_FOREACH (other, mask)
			if (!cpus_equal(mask, topo->masks[level][other]))
				return yaml_error(root, error,
						  "the %s masks of CPU %u and CPU %d overlap and "
						  "differ",
						  topo_level_name(level), i, other);
		if (level > 0 && !cpus_subset(topo->masks[level - 1][i], mask))
			return yaml_error(root, error,
					  "the %s mask of CPU %u is not within its %s mask",
					  topo_level_name((enum topo_level)(level - 1)), i,
					  topo_level_name(level));
	}
	return true;
}

/* Linux finds who shares what by shifting APIC ids, so the ids must say what the masks say. */
static bool check_widths(const struct topo *topo, enum topo_level level,
			 const struct yaml_node *root, GError **error)
{
	unsigned shift = topo_apic_shift(&topo->shape, level);

	for (unsigned i = 0; i < topo->n_cpus; i++) {
		for (unsigned other = 0; other < i; other++) {
			bool same_id =
				topo->cpu[i].apic_id >> shift == topo->cpu[other].apic_id >> shift;

			if (same_id == cpus_has(topo->masks[level][i], other))
				continue;
			return yaml_error(
				root, error,
				"APIC ids %u and %u of CPU %u and CPU %u %s above bit %u, "
				"but their %s masks %s",
				topo->cpu[other].apic_id, topo->cpu[i].apic_id, other, i,
				same_id ? "agree" : "differ", shift, topo_level_name(level),
				same_id ? "differ" : "agree");
		}
	}
	return true;
}

static bool check_nodes(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	AUTO(cpus) *seen = cpus_new();

	for (unsigned node = 0; node < topo->n_nodes; node++) {
		const struct cpus *cpus = topo->node_cpus[node];
		bool has_cpus = node < topo->n_nodes - topo->n_memory_nodes;

		if (has_cpus && cpus_is_empty(cpus))
			return yaml_error(root, error, "node %u has no CPU", node);
		if (!has_cpus && !cpus_is_empty(cpus))
			return yaml_error(
				root, error,
				"node %u has CPUs, but it is one of the memory-only nodes", node);
		if (cpus_intersects(cpus, seen))
			return yaml_error(root, error, "node %u has a CPU of another node", node);
		cpus_or(seen, cpus);
		CPUS_FOREACH (cpu, cpus)
			if ((unsigned)cpu >= topo->n_cpus || topo->cpu[cpu].node != node)
				return yaml_error(root, error,
						  "node %u lists CPU %d, which is not in it", node,
						  cpu);
	}
	if (!cpus_equal(seen, topo->all))
		return yaml_error(root, error, "some CPU is in no node");
	return true;
}

/*
 * match_llc(), arch/x86/kernel/smpboot.c: nodes within an LLC are sub-NUMA clusters on any Intel
 * but Haswell-X and Broadwell-X.
 */
static bool llc_may_span_nodes(const struct topo_cpu_model *model)
{
	return model->vendor == TOPO_VENDOR_INTEL &&
	       !(model->family == 6 && (model->model == 0x3f || model->model == 0x4f));
}

/* A CPU that shares @level's cache or core with one of another node; -1: there is none. */
static int find_over_nodes(const struct topo *topo, enum topo_level level)
{
	for (unsigned i = 0; i < topo->n_cpus; i++) {
		int first = cpus_next(topo->masks[level][i], -1);

		if (topo->cpu[first].node != topo->cpu[i].node)
			return (int)i;
	}
	return -1;
}

static const struct sharing {
	enum topo_level level;
	const char *noun;
} sharings[TOPO_FAULT_COUNT] = {
	[TOPO_FAULT_L3_OVER_NODES] = {TOPO_LLC, "an L3"},
	[TOPO_FAULT_CORE_OVER_NODES] = {TOPO_CORE, "a core"},
};

/*
 * topology_sane() warns once of siblings on several nodes, and a guest that warns has failed. Rows
 * that say so are taken for a slip unless the file asks for it. The compact form always does.
 */
static bool check_fault(const struct topo *topo, enum topo_fault fault,
			const struct yaml_node *root, GError **error)
{
	const struct sharing *sharing = &sharings[fault];
	bool sane = fault == TOPO_FAULT_L3_OVER_NODES && llc_may_span_nodes(&topo->model);
	int cpu = sane ? -1 : find_over_nodes(topo, sharing->level);
	int first = cpu < 0 ? -1 : cpus_next(topo->masks[sharing->level][cpu], -1);
	bool wanted = topo_has_fault(topo, fault);

	if (wanted && cpu < 0)
		return yaml_error(yaml_get(yaml_get(root, "firmware"), "faults"), error,
				  "'firmware.faults' names '%s', but the machine has no such fault",
				  topo_fault_name(fault));
	if (wanted || cpu < 0 || topo->shape.nodes)
		return true;
	return yaml_error(yaml_get(yaml_item(yaml_get(root, "cpus"), (unsigned)cpu), "node"), error,
			  "CPU %d and CPU %d share %s, but are in node %u and node %u; Linux warns "
			  "of that on such a processor, so its guest would always fail; where that "
			  "is wanted 'firmware.faults' names '%s'",
			  first, cpu, sharing->noun, topo->cpu[first].node, topo->cpu[cpu].node,
			  topo_fault_name(fault));
}

bool topo_validate_model(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	if (topo->n_cpus == 0 || topo->n_cpus > TOPO_MAX_CPUS ||
	    cpus_count(topo->all) != topo->n_cpus)
		return yaml_error(root, error, "the machine has %u CPUs, it must have 1 to %d",
				  topo->n_cpus, TOPO_MAX_CPUS);
	if (!check_ids(topo, root, error) || !check_ranks(topo, root, error))
		return false;
	for (int i = 0; i < TOPO_LEVEL_COUNT; i++) {
		enum topo_level level = (enum topo_level)i;

		if (!check_partition(topo, level, root, error) ||
		    !check_widths(topo, level, root, error))
			return false;
	}
	return check_nodes(topo, root, error) &&
	       check_fault(topo, TOPO_FAULT_CORE_OVER_NODES, root, error) &&
	       check_fault(topo, TOPO_FAULT_L3_OVER_NODES, root, error) &&
	       topo_validate_firmware(topo, root, error);
}
