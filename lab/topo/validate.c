// SPDX-License-Identifier: GPL-2.0-only
/* What a topology file may say: everything that can be judged before the machine is built. */
#include "topo/load_yaml.h"

#include <string.h>

/*
 * Families and models that Linux has a name for. Any other AMD model makes bsp_init_amd()
 * (arch/x86/kernel/cpu/amd.c, 6.12.117) warn, and the guest would fail for the lab's fault. Family
 * 0x18 is Hygon's. Intel's model list is open: an unknown one boots without a warning.
 */
static const struct known_model {
	enum topo_vendor vendor;
	unsigned family, first_model, last_model;
} known_models[] = {
	{TOPO_VENDOR_AMD, 0x17, 0x00, 0x7f},   {TOPO_VENDOR_AMD, 0x17, 0x90, 0x91},
	{TOPO_VENDOR_AMD, 0x17, 0xa0, 0xaf},   {TOPO_VENDOR_AMD, 0x19, 0x00, 0xaf},
	{TOPO_VENDOR_AMD, 0x1a, 0x00, 0x2f},   {TOPO_VENDOR_AMD, 0x1a, 0x40, 0x4f},
	{TOPO_VENDOR_AMD, 0x1a, 0x60, 0x7f},   {TOPO_VENDOR_AMD, 0x1a, 0xd0, 0xd7},
	{TOPO_VENDOR_INTEL, 0x06, 0x00, 0xff},
};

/*
 * A node needs room for its own memory map, per-CPU units and page tables. The whole guest needs
 * the kernel and its initrd unpacked, and about a MiB for each CPU: x86 gives every CPU a per-CPU
 * unit (setup_per_cpu_areas()), stacks, run queue and page lists.
 */
#define NODE_MIN_MIB   64u
#define KERNEL_MIN_MIB 128u
#define CPU_MIN_MIB    1u

static const struct yaml_node *place(const struct yaml_node *root, const char *key)
{
	return yaml_get(root, key);
}

/* The base name of "topologies/nps4.yaml" is "nps4"; a file that is not .yaml may have any name. */
static bool check_name(const struct topo *topo, const struct yaml_node *root, const char *file,
		       GError **error)
{
	g_autofree char *base = g_path_get_basename(file);

	if (!g_str_has_suffix(base, ".yaml"))
		return true;
	base[strlen(base) - strlen(".yaml")] = '\0';
	if (strcmp(base, topo->name) != 0)
		return yaml_error(place(root, "name"), error,
				  "'name' is '%s', but the file is named '%s.yaml'", topo->name,
				  base);
	return true;
}

static bool check_cpu_model(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct topo_cpu_model *model = &topo->model;
	const struct yaml_node *cpu = place(root, "cpu");
	bool family_known = false;

	for (unsigned i = 0; i < G_N_ELEMENTS(known_models); i++) {
		const struct known_model *known = &known_models[i];

		if (known->vendor != model->vendor || known->family != model->family)
			continue;
		family_known = true;
		if (model->model >= known->first_model && model->model <= known->last_model)
			return true;
	}
	if (!family_known)
		return yaml_error(
			yaml_get(cpu, "family"), error,
			"family %u of vendor '%s' is not one that topolab knows, known are "
			"%s",
			model->family, topo_vendor_name(model->vendor),
			model->vendor == TOPO_VENDOR_AMD ? "23, 25 and 26" : "6");
	return yaml_error(yaml_get(cpu, "model"), error,
			  "Linux knows no model %u of family %u of vendor '%s' and would warn",
			  model->model, model->family, topo_vendor_name(model->vendor));
}

static bool check_size(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct topo_shape *shape = &topo->shape;
	guint64 n = (guint64)shape->packages * shape->llcs * shape->core_slots * shape->threads;

	if (n <= TOPO_MAX_CPUS)
		return true;
	return yaml_error(place(root, "packages"), error,
			  "%u packages x %u L3 x %u cores x %u threads are %" G_GUINT64_FORMAT
			  " CPUs, more than the %d that KVM gives a guest",
			  shape->packages, shape->llcs, shape->core_slots, shape->threads, n,
			  TOPO_MAX_CPUS);
}

/* QEMU describes several LLCs of a package as dies, which Linux takes as such on Intel. */
static bool check_llcs(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct topo_shape *shape = &topo->shape;
	unsigned width = topo_apic_shift(shape, TOPO_LLC);

	if (topo->model.vendor == TOPO_VENDOR_INTEL && shape->llcs != 1)
		return yaml_error(
			place(root, "l3_per_package"), error,
			"'l3_per_package' is %u, but a package of vendor '%s' has one L3; "
			"for sub-NUMA clusters set 'nodes_per_package'",
			shape->llcs, topo_vendor_name(TOPO_VENDOR_INTEL));
	/* Linux then takes a package, or an L2, for what its CPUs share. */
	if (topo->model.lacks && shape->llcs != 1)
		return yaml_error(
			place(root, "l3_per_package"), error,
			"'l3_per_package' is %u, but 'cpu.lacks' leaves no CPUID leaf that tells "
			"the CPUs of one from those of another: it must be 1",
			shape->llcs);
	if (!topo_cpu_model_fixes_llc(&topo->model))
		return true;
	if (width != 3)
		return yaml_error(
			place(root, "cores_per_l3"), error,
			"%u cores of %u threads take %u bits of the APIC id, but Linux takes "
			"an L3 of family 23 model %u to have 3; 'core_slots_per_l3' widens it",
			shape->core_slots, shape->threads, width, topo->model.model);
	return true;
}

static bool is_power_of_two(unsigned n)
{
	return n && !(n & (n - 1));
}

/* Nodes are equal slices of a package's cores, and whole LLCs or whole parts of one. */
static bool check_nodes(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct topo_shape *shape = &topo->shape;
	const struct yaml_node *node = place(root, "nodes_per_package");
	unsigned cores = shape->llcs * shape->cores;

	/* Both are fields of the APIC id there: the package's dies, and their L3. */
	if (topo_cpu_model_fixes_llc(&topo->model) &&
	    (!is_power_of_two(shape->llcs) || !is_power_of_two(shape->nodes) ||
	     shape->nodes > shape->llcs))
		return yaml_error(
			node, error,
			"%u nodes of a package with %u L3: on family 23 model %u both must "
			"be powers of two, with at least one L3 in a node",
			shape->nodes, shape->llcs, topo->model.model);
	if (cores % shape->nodes)
		return yaml_error(node, error,
				  "the %u cores of a package do not divide into %u nodes", cores,
				  shape->nodes);
	if (shape->nodes <= shape->llcs ? shape->llcs % shape->nodes : shape->nodes % shape->llcs)
		return yaml_error(
			node, error,
			"the %u L3 of a package do not divide over %u nodes: a node would "
			"hold parts of two",
			shape->llcs, shape->nodes);
	return true;
}

static bool check_memory(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct topo_shape *shape = &topo->shape;
	unsigned n_cpus = shape->nodes
				  ? shape->packages * shape->llcs * shape->cores * shape->threads
				  : topo->n_cpus;
	unsigned needed = KERNEL_MIN_MIB + CPU_MIN_MIB * n_cpus;
	const struct yaml_node *node = place(root, "memory_per_node");
	guint64 total = 0;

	for (unsigned i = 0; i < topo->n_nodes; i++) {
		if (topo->node_memory_mib[i] < NODE_MIN_MIB)
			return yaml_error(
				yaml_type(node) == YAML_LIST ? yaml_item(node, i) : node, error,
				"node %u has %u MiB, less than the %u MiB that its memory "
				"map and per-CPU areas need",
				i, topo->node_memory_mib[i], NODE_MIN_MIB);
		total += topo->node_memory_mib[i];
	}
	if (total >= needed)
		return true;
	return yaml_error(node, error,
			  "%u nodes have %" G_GUINT64_FORMAT " MiB together, but a kernel with %u "
			  "CPUs needs %u MiB",
			  topo->n_nodes, total, n_cpus, needed);
}

/* Where the distance is written: in a cell, in a relation, or nowhere but in the whole. */
static const struct yaml_node *place_distance(const struct topo *topo, const struct yaml_node *root,
					      unsigned from, unsigned to)
{
	const struct yaml_node *node = place(root, "distances");

	if (yaml_type(node) == YAML_LIST)
		return yaml_item(yaml_item(node, from), to);
	return yaml_get(node, from / topo->shape.nodes == to / topo->shape.nodes ? "same-package"
										 : "other-package");
}

/* Linux drops the whole table otherwise: slit_valid(), arch/x86/mm/srat.c and drivers/acpi/numa. */
static bool check_distances(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	for (unsigned from = 0; from < topo->n_nodes; from++) {
		for (unsigned to = 0; to < topo->n_nodes; to++) {
			unsigned distance = topo->distance[from * topo->n_nodes + to];

			if (from == to && distance != TOPO_LOCAL_DISTANCE)
				return yaml_error(
					place_distance(topo, root, from, to), error,
					"the distance of node %u to itself is %u, it must "
					"be %d",
					from, distance, TOPO_LOCAL_DISTANCE);
			if (from != to &&
			    (distance <= TOPO_LOCAL_DISTANCE || distance > TOPO_MAX_DISTANCE))
				return yaml_error(place_distance(topo, root, from, to), error,
						  "the distance from node %u to node %u is %u, it "
						  "must be from %d to %d",
						  from, to, distance, TOPO_LOCAL_DISTANCE + 1,
						  TOPO_MAX_DISTANCE);
		}
	}
	return true;
}

bool topo_validate_file(const struct topo *topo, const struct yaml_node *root, const char *file,
			GError **error)
{
	return check_name(topo, root, file, error) && check_cpu_model(topo, root, error) &&
	       check_size(topo, root, error) && check_llcs(topo, root, error) &&
	       (topo->shape.nodes ? check_nodes(topo, root, error)
				  : topo_validate_rows(topo, root, error)) &&
	       check_memory(topo, root, error) && check_distances(topo, root, error);
}
