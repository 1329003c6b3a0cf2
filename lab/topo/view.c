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

struct view *view_copy_cpus(const struct view *view)
{
	struct view *copy = view_new(view->witness, view->n_cpu_slots);

	cpus_or(copy->cpus, view->cpus);
	for (unsigned i = 0; i < view->n_cpu_slots; i++) {
		copy->cpu[i] = view->cpu[i];
		for (int level = 0; level < TOPO_LEVEL_COUNT; level++)
			if (copy->cpu[i].mask[level])
				cpus_ref(copy->cpu[i].mask[level]);
	}
	return copy;
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
	g_free(view->lacks);
	g_free(view);
}

static void set_keep(struct cpus **set, const struct cpus *cpus)
{
	struct cpus *kept;

	if (!*set)
		return;
	kept = cpus_copy(*set);
	cpus_and(kept, cpus);
	cpus_unref(*set);
	*set = kept;
}

void view_keep_cpus(struct view *view, const struct cpus *cpus)
{
	set_keep(&view->cpus, cpus);
	for (unsigned i = 0; i < view->n_cpu_slots; i++)
		for (int level = 0; level < TOPO_LEVEL_COUNT; level++)
			set_keep(&view->cpu[i].mask[level], cpus);
	for (unsigned node = 0; view->node_cpus && node < view->n_node_slots; node++)
		set_keep(&view->node_cpus[node], cpus);
}

void view_merge_nodes(struct view *view)
{
	cpus_unref(view->nodes);
	view->nodes = cpus_new();
	cpus_add(view->nodes, 0);
	view_set_node_slots(view, 1);
	view->node_cpus[0] = cpus_ref(view->cpus);
	view->distance[0] = 10; /* LOCAL_DISTANCE, include/linux/topology.h */
	CPUS_FOREACH (cpu, view->cpus)
		view->cpu[cpu].node = 0;
}

void view_split_llc(struct view *view, const struct topo *topo, unsigned split)
{
	CPUS_FOREACH (cpu, view->cpus) {
		AUTO(cpus) *alike = cpus_new();

		for (unsigned other = 0; other < topo_n_cpus(topo); other++)
			if (topo_core_id(topo, other) % split ==
			    topo_core_id(topo, (unsigned)cpu) % split)
				cpus_add(alike, other);
		set_keep(&view->cpu[cpu].mask[TOPO_LLC], alike);
	}
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

/*
 * No L3: no CPU shares one, nor has one of its own. AMD's leaf 0x80000006, which is all there is of
 * caches without TOPOEXT, knows no sharing of an L2.
 */
static struct cpus *mask_of_topo(const struct topo *topo, enum topo_level level, unsigned cpu)
{
	const struct topo_cpu_model *model = topo_cpu_model(topo);
	struct cpus *mask;

	if (level == TOPO_LLC && !topo_cpu_model_tells_llc(model))
		return cpus_new();
	if (level != TOPO_L2 || !topo_cpu_model_lacks(model, TOPO_LACK_TOPOEXT))
		return cpus_ref(topo_mask(topo, level, cpu));
	mask = cpus_new();
	cpus_add(mask, cpu);
	return mask;
}

struct view *view_of_topo(const struct topo *topo)
{
	const struct topo_cpu_model *model = topo_cpu_model(topo);
	struct view *view = view_new("topology file", topo_n_cpus(topo));

	view->vendor = g_strdup(topo_vendor_name(model->vendor));
	view->family = (int)model->family;
	view->model = (int)model->model;
	view->stepping = (int)model->stepping;
	view->lacks = topo_lacks_text(model->lacks);
	for (unsigned i = 0; i < topo_n_cpus(topo); i++) {
		const struct topo_cpu *cpu = topo_cpu(topo, i);

		cpus_add(view->cpus, i);
		view->cpu[i].apic_id = cpu->apic_id;
		view->cpu[i].node = (int)cpu->node;
		for (int level = 0; level < TOPO_LEVEL_COUNT; level++)
			view->cpu[i].mask[level] = mask_of_topo(topo, (enum topo_level)level, i);
	}
	view_fill_nodes(view, topo);
	return view;
}
