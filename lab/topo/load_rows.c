// SPDX-License-Identifier: GPL-2.0-only
/*
 * The explicit form of a topology file: a row for each CPU, in the order of Linux's numbers. The
 * shape says where the APIC id has room for CPUs, the rows say where there are some.
 */
#include "topo/load_yaml.h"

#include <string.h>

static const struct yaml_node *list(const struct yaml_node *root)
{
	return yaml_get(root, "cpus");
}

/* An id in a row, below @limit. */
static bool read_id(const struct yaml_node *row, const char *key, unsigned limit, unsigned *id,
		    GError **error)
{
	const struct yaml_node *node = yaml_require(row, key, error);

	return node && yaml_unsigned(node, 0, limit - 1, id, error);
}

static bool read_row(const struct topo *topo, const struct yaml_node *row, struct topo_cpu *cpu,
		     GError **error)
{
	static const char *const keys[] = {"package", "node", "l3", "core", "thread", "apic", NULL};
	const struct topo_shape *shape = &topo->shape;
	unsigned n_nodes = topo->n_nodes - topo->n_memory_nodes;

	if (!yaml_check_keys(row, keys, error) ||
	    !read_id(row, "package", shape->packages, &cpu->package, error) ||
	    !read_id(row, "node", n_nodes, &cpu->node, error) ||
	    !read_id(row, "l3", shape->llcs, &cpu->llc, error) ||
	    !read_id(row, "core", shape->core_slots, &cpu->core, error) ||
	    !read_id(row, "thread", shape->threads, &cpu->thread, error) ||
	    !read_id(row, "apic", TOPO_MAX_APIC_IDS, &cpu->apic_id, error))
		return false;
	cpu->vcpu = ((cpu->package * shape->llcs + cpu->llc) * shape->core_slots + cpu->core) *
			    shape->threads +
		    cpu->thread;
	return true;
}

bool topo_read_rows(struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *rows = list(root);

	if (!yaml_check_list(rows, error))
		return false;
	topo->n_cpus = yaml_count(rows);
	if (topo->n_cpus == 0 || topo->n_cpus > TOPO_MAX_CPUS)
		return yaml_error(rows, error, "'cpus' has %u rows, it must have 1 to %d",
				  topo->n_cpus, TOPO_MAX_CPUS);
	topo->cpu = g_new0(struct topo_cpu, topo->n_cpus);
	for (unsigned i = 0; i < topo->n_cpus; i++)
		if (!read_row(topo, yaml_item(rows, i), &topo->cpu[i], error))
			return false;
	topo->numbering = TOPO_NUMBERING_EXPLICIT;
	return true;
}

static bool check_places(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	const struct topo_shape *shape = &topo->shape;
	unsigned n = shape->packages * shape->llcs * shape->core_slots * shape->threads;
	g_autofree int *owner = g_new(int, n);

	for (unsigned i = 0; i < n; i++)
		owner[i] = -1;
	for (unsigned i = 0; i < topo->n_cpus; i++) {
		const struct yaml_node *row = yaml_item(list(root), i);
		const struct topo_cpu *cpu = &topo->cpu[i];
		guint32 apic_id = topo_place(shape, cpu->vcpu).apic_id;

		if (cpu->apic_id != apic_id)
			return yaml_error(yaml_get(row, "apic"), error,
					  "CPU %u has the APIC id %u, but package %u, L3 %u, core "
					  "%u, thread %u is %u",
					  i, cpu->apic_id, cpu->package, cpu->llc, cpu->core,
					  cpu->thread, apic_id);
		if (owner[cpu->vcpu] >= 0)
			return yaml_error(row, error,
					  "CPU %d and CPU %u are both package %u, L3 %u, core %u, "
					  "thread %u",
					  owner[cpu->vcpu], i, cpu->package, cpu->llc, cpu->core,
					  cpu->thread);
		owner[cpu->vcpu] = (int)i;
	}
	return true;
}

/* QEMU starts at its vCPU 0, and Linux gives the CPU that it starts on the number 0. */
static bool check_boot_cpu(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	if (topo->cpu[0].vcpu == 0)
		return true;
	return yaml_error(yaml_item(list(root), 0), error,
			  "CPU 0 has the APIC id %u, but Linux's CPU 0 is the one that the machine "
			  "starts on, with the APIC id 0",
			  topo->cpu[0].apic_id);
}

static int compare_vcpus(const void *left, const void *right)
{
	const struct topo_cpu *const *a = left, *const *b = right;

	return (*a)->vcpu < (*b)->vcpu ? -1 : 1;
}

/* acpi_map_pxm_to_node(): Linux counts nodes as the SRAT names them, which goes by APIC ids. */
static bool check_node_order(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	g_autofree const struct topo_cpu **sorted = g_new(const struct topo_cpu *, topo->n_cpus);
	unsigned next = 0;

	for (unsigned i = 0; i < topo->n_cpus; i++)
		sorted[i] = &topo->cpu[i];
	qsort(sorted, topo->n_cpus, sizeof(*sorted), compare_vcpus);
	for (unsigned i = 0; i < topo->n_cpus; i++) {
		unsigned cpu = (unsigned)(sorted[i] - topo->cpu);

		if (sorted[i]->node > next)
			return yaml_error(
				yaml_get(yaml_item(list(root), cpu), "node"), error,
				"CPU %u with the APIC id %u is in node %u, but no CPU with "
				"a smaller APIC id is in node %u: Linux numbers nodes in "
				"the order of the APIC ids",
				cpu, sorted[i]->apic_id, sorted[i]->node, next);
		next = MAX(next, sorted[i]->node + 1);
	}
	if (next < topo->n_nodes - topo->n_memory_nodes)
		return yaml_error(yaml_get(root, "nodes"), error,
				  "'nodes' is %u, but no row is in node %u",
				  topo->n_nodes - topo->n_memory_nodes, next);
	return true;
}

bool topo_validate_rows(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	if (topo_cpu_model_fixes_llc(&topo->model))
		return yaml_error(list(root), error,
				  "rows cannot describe family 23 model %u, whose CPUID counts the "
				  "nodes of a package: use 'nodes_per_package'",
				  topo->model.model);
	return check_places(topo, root, error) && check_boot_cpu(topo, root, error) &&
	       (topo->firmware.own_srat || check_node_order(topo, root, error));
}
