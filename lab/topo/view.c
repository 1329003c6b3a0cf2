// SPDX-License-Identifier: GPL-2.0-only
#include "topo/view.h"

struct view *view_new(const char *witness, unsigned n_cpu_slots)
{
	struct view *view = g_new0(struct view, 1);

	view->witness = witness;
	view->cpus = cpus_new();
	view->n_cpu_slots = n_cpu_slots;
	view->cpu = g_new0(struct view_cpu, n_cpu_slots);
	view->family = view->model = view->stepping = -1;
	for (unsigned i = 0; i < n_cpu_slots; i++) {
		view->cpu[i].apic_id = -1;
		view->cpu[i].node = -1;
	}
	return view;
}

static void node_tables_free(struct view *view)
{
	for (unsigned i = 0; i < view->n_node_slots; i++)
		cpus_unref(view->node_cpus[i]);
	g_clear_pointer(&view->node_cpus, g_free);
	g_clear_pointer(&view->distance, g_free);
}

void view_set_node_slots(struct view *view, unsigned n_node_slots)
{
	node_tables_free(view);
	view->n_node_slots = n_node_slots;
	view->node_cpus = g_new0(struct cpus *, n_node_slots);
	view->distance = g_new(int, (gsize)n_node_slots *n_node_slots);
	for (gsize i = 0; i < (gsize)n_node_slots * n_node_slots; i++)
		view->distance[i] = -1;
}

void view_free(struct view *view)
{
	if (!view)
		return;
	for (unsigned i = 0; i < view->n_cpu_slots; i++)
		for (int level = 0; level < TOPO_LEVEL_COUNT; level++)
			cpus_unref(view->cpu[i].mask[level]);
	g_free(view->cpu);
	node_tables_free(view);
	cpus_unref(view->cpus);
	cpus_unref(view->nodes);
	g_free(view->vendor);
	g_free(view);
}

static void view_fill_nodes(struct view *view, const struct topo *topo)
{
	unsigned n = topo_n_nodes(topo);

	view_set_node_slots(view, n);
	view->nodes = cpus_new();
	for (unsigned from = 0; from < n; from++) {
		cpus_add(view->nodes, from);
		view->node_cpus[from] = cpus_ref(topo_node_cpus(topo, from));
		for (unsigned to = 0; to < n; to++)
			view->distance[from * n + to] = (int)topo_distance(topo, from, to);
	}
}

struct view *view_of_topo(const struct topo *topo)
{
	const struct topo_cpu_model *model = topo_cpu_model(topo);
	struct view *view = view_new("topology file", topo_n_cpus(topo));

	view->vendor = g_strdup(topo_vendor_name(model->vendor));
	view->family = (int)model->family;
	view->model = (int)model->model;
	view->stepping = (int)model->stepping;
	for (unsigned i = 0; i < topo_n_cpus(topo); i++) {
		const struct topo_cpu *cpu = topo_cpu(topo, i);

		cpus_add(view->cpus, i);
		view->cpu[i].apic_id = cpu->apic_id;
		view->cpu[i].node = (int)cpu->node;
		for (int level = 0; level < TOPO_LEVEL_COUNT; level++)
			view->cpu[i].mask[level] =
				cpus_ref(topo_mask(topo, (enum topo_level)level, i));
	}
	view_fill_nodes(view, topo);
	return view;
}

/* The members of @set that are in @order, under their new numbers. */
static struct cpus *set_renumbered(const struct cpus *set, const int *order, unsigned n)
{
	struct cpus *renumbered;

	if (!set)
		return NULL;
	renumbered = cpus_new();
	for (unsigned i = 0; i < n; i++)
		if (cpus_has(set, (unsigned)order[i]))
			cpus_add(renumbered, i);
	return renumbered;
}

static void renumber_nodes(struct view *renumbered, const struct view *view, const int *order,
			   unsigned n)
{
	view_set_node_slots(renumbered, view->n_node_slots);
	renumbered->nodes = view->nodes ? cpus_ref(view->nodes) : NULL;
	for (unsigned node = 0; node < view->n_node_slots; node++)
		renumbered->node_cpus[node] = set_renumbered(view->node_cpus[node], order, n);
	for (unsigned i = 0; i < view->n_node_slots * view->n_node_slots; i++)
		renumbered->distance[i] = view->distance[i];
}

struct view *view_renumbered(const struct view *view, const int *order, unsigned n)
{
	struct view *renumbered = view_new(view->witness, n);

	renumbered->vendor = g_strdup(view->vendor);
	renumbered->family = view->family;
	renumbered->model = view->model;
	renumbered->stepping = view->stepping;
	for (unsigned i = 0; i < n; i++) {
		const struct view_cpu *cpu = &view->cpu[order[i]];

		cpus_add(renumbered->cpus, i);
		renumbered->cpu[i].apic_id = cpu->apic_id;
		renumbered->cpu[i].node = cpu->node;
		for (int level = 0; level < TOPO_LEVEL_COUNT; level++)
			renumbered->cpu[i].mask[level] = set_renumbered(cpu->mask[level], order, n);
	}
	if (view->node_cpus)
		renumber_nodes(renumbered, view, order, n);
	return renumbered;
}
