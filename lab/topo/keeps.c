// SPDX-License-Identifier: GPL-2.0-only
#include "topo/keeps.h"

#include "base/error.h"
#include "topo/model.h"

#include <string.h>

struct keep_row {
	const char *name;
	const char *help;
	/* What must be equal, as text; NULL: the machine has none, so there is nothing to keep. */
	char *(*value)(const struct topo *topo);
};

static char *numbering_value(const struct topo *topo)
{
	return g_strdup(topo_numbering_name(topo->numbering));
}

static char *cpu_value(const struct topo *topo)
{
	const struct topo_cpu_model *model = &topo->model;
	g_autofree char *lacks = topo_lacks_text(model->lacks);

	return g_strdup_printf("%s family %u model %u stepping %u%s%s",
			       topo_vendor_name(model->vendor), model->family, model->model,
			       model->stepping, *lacks ? " without " : "", lacks);
}

/* "2", or "1 2" when parts differ. @n counts at most CPUS_MAX things. */
static char *counts_text(const struct cpus *counts)
{
	GString *text = g_string_new(NULL);

	CPUS_FOREACH (n, counts)
		g_string_append_printf(text, "%s%d", text->len ? " " : "", n);
	return g_string_free(text, FALSE);
}

static bool is_first_of(const struct topo *topo, enum topo_level level, unsigned cpu)
{
	return cpus_next(topo->masks[level][cpu], -1) == (int)cpu;
}

static unsigned count_nodes(const struct topo *topo, const struct cpus *cpus)
{
	unsigned n = 0;

	for (unsigned node = 0; node < topo->n_nodes; node++)
		n += cpus_intersects(topo->node_cpus[node], cpus);
	return n;
}

static unsigned count_llcs(const struct topo *topo, const struct cpus *cpus)
{
	unsigned n = 0;

	for (unsigned cpu = 0; cpu < topo->n_cpus; cpu++)
		n += is_first_of(topo, TOPO_LLC, cpu) &&
		     cpus_intersects(topo->masks[TOPO_LLC][cpu], cpus);
	return n;
}

static unsigned count_members(const struct topo *topo, const struct cpus *cpus)
{
	(void)topo;
	return cpus_count(cpus);
}

/* The distinct counts over all parts at @level. */
static char *counts_of_parts(const struct topo *topo, enum topo_level level,
			     unsigned (*count)(const struct topo *topo, const struct cpus *cpus))
{
	AUTO(cpus) *counts = cpus_new();

	for (unsigned cpu = 0; cpu < topo->n_cpus; cpu++)
		if (is_first_of(topo, level, cpu))
			cpus_add(counts, count(topo, topo->masks[level][cpu]));
	return counts_text(counts);
}

static char *nodes_per_package_value(const struct topo *topo)
{
	return counts_of_parts(topo, TOPO_PACKAGE, count_nodes);
}

static char *l3_per_package_value(const struct topo *topo)
{
	return counts_of_parts(topo, TOPO_PACKAGE, count_llcs);
}

static char *threads_per_core_value(const struct topo *topo)
{
	return counts_of_parts(topo, TOPO_CORE, count_members);
}

static char *l3_per_node_value(const struct topo *topo)
{
	AUTO(cpus) *counts = cpus_new();

	for (unsigned node = 0; node < topo->n_nodes - topo->n_memory_nodes; node++)
		cpus_add(counts, count_llcs(topo, topo->node_cpus[node]));
	return counts_text(counts);
}

static char *memory_only_nodes_value(const struct topo *topo)
{
	return topo->n_memory_nodes ? g_strdup_printf("%u", topo->n_memory_nodes) : NULL;
}

static char *slit_value(const struct topo *topo)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < topo->n_nodes * topo->n_nodes; i++)
		g_string_append_printf(text, "%s%u",
				       !i		   ? ""
				       : i % topo->n_nodes ? " "
							   : "; ",
				       topo->distance[i]);
	return g_string_free(text, FALSE);
}

/* The package of the node's CPUs, by the first of them; -1: it has none. */
static int package_of_node(const struct topo *topo, unsigned node)
{
	int cpu = cpus_next(topo->node_cpus[node], -1);

	return cpu < 0 ? -1 : (int)topo->cpu[cpu].package;
}

/* "same-package 12; other-package 32; memory-only 17 28": distinct distances by relation. */
static char *distances_value(const struct topo *topo)
{
	static const char *const relations[] = {"same-package", "other-package", "memory-only"};
	struct cpus *seen[] = {cpus_new(), cpus_new(), cpus_new()};
	GString *text = g_string_new(NULL);

	for (unsigned from = 0; from < topo->n_nodes; from++) {
		for (unsigned to = 0; to < topo->n_nodes; to++) {
			int a = package_of_node(topo, from), b = package_of_node(topo, to);

			if (from != to)
				cpus_add(seen[a < 0 || b < 0 ? 2 : a != b],
					 topo->distance[from * topo->n_nodes + to]);
		}
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(relations); i++) {
		g_autofree char *list = counts_text(seen[i]);

		if (*list)
			g_string_append_printf(text, "%s%s %s", text->len ? "; " : "", relations[i],
					       list);
		cpus_unref(seen[i]);
	}
	if (text->len)
		return g_string_free(text, FALSE);
	g_string_free(text, TRUE);
	return NULL;
}

/* Ids that need x2APIC: they do not fit 8 bits. */
static char *wide_apic_ids_value(const struct topo *topo)
{
	for (unsigned cpu = 0; cpu < topo->n_cpus; cpu++)
		if (topo->cpu[cpu].apic_id > 255)
			return g_strdup("above 255");
	return NULL;
}

static char *l3_by_apic_id_value(const struct topo *topo)
{
	return topo_cpu_model_fixes_llc(&topo->model) ? g_strdup("APIC id >> 3") : NULL;
}

static const struct keep_row keep_rows[] = {
	{"numbering", "how Linux's CPU numbers go over the threads", numbering_value},
	{"nodes-per-package", "NUMA nodes in a package", nodes_per_package_value},
	{"l3-per-node", "L3 caches that a node has CPUs of", l3_per_node_value},
	{"l3-per-package", "L3 caches in a package", l3_per_package_value},
	{"distances", "the distances between nodes, by relation", distances_value},
	{"slit", "the whole matrix of distances", slit_value},
	{"cpu", "vendor, family, model and stepping", cpu_value},
	{"threads-per-core", "threads in a core", threads_per_core_value},
	{"wide-apic-ids", "APIC ids above 255", wide_apic_ids_value},
	{"l3-by-apic-id", "an L3 that Linux takes from the APIC id, >> 3", l3_by_apic_id_value},
	{"memory-only-nodes", "nodes without CPUs", memory_only_nodes_value},
};

static const struct keep_row *keep_find(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(keep_rows); i++)
		if (strcmp(keep_rows[i].name, name) == 0)
			return &keep_rows[i];
	return NULL;
}

const char *topo_keep_help(const char *name)
{
	const struct keep_row *row = keep_find(name);

	return row ? row->help : NULL;
}

char *topo_keep_names(void)
{
	GString *names = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(keep_rows); i++)
		g_string_append_printf(names, "%s%s", i ? ", " : "", keep_rows[i].name);
	return g_string_free(names, FALSE);
}

static bool keep_holds(const struct keep_row *row, const struct topo *mini, const struct topo *full,
		       GError **error)
{
	g_autofree char *own = row->value(mini);
	g_autofree char *wanted = row->value(full);

	if (own && wanted && strcmp(own, wanted) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "topology '%s' does not keep '%s' of '%s': it has '%s' and '%s' has '%s'",
		    mini->name, row->name, full->name, own ? own : "none", full->name,
		    wanted ? wanted : "none");
	return false;
}

bool topo_keeps_check(const struct topo *mini, const struct topo *full, GError **error)
{
	for (unsigned i = 0; mini->keeps && mini->keeps[i]; i++)
		if (!keep_holds(keep_find(mini->keeps[i]), mini, full, error))
			return false;
	return true;
}
