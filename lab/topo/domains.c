// SPDX-License-Identifier: GPL-2.0-only
#include "topo/domains.h"

#include "base/names.h"

ENUM_NAMES(domain_number, DOMAIN_NUMBER_COUNT, [DOMAIN_MIN_INTERVAL] = "min_interval",
	   [DOMAIN_MAX_INTERVAL] = "max_interval", [DOMAIN_BUSY_FACTOR] = "busy_factor",
	   [DOMAIN_IMBALANCE_PCT] = "imbalance_pct", [DOMAIN_CACHE_NICE_TRIES] = "cache_nice_tries")

struct domain_tree {
	struct cpus *cpus;
	GPtrArray *chains; /* by CPU number: GPtrArray of struct domain *, NULL when it has none */
};

static void domain_group_free(gpointer data)
{
	struct domain_group *group = data;

	cpus_unref(group->span);
	cpus_unref(group->mask);
	g_free(group);
}

static void domain_free(gpointer data)
{
	struct domain *domain = data;

	g_free(domain->name);
	g_free(domain->flags);
	g_free(domain->groups_flags);
	g_free(domain->rule);
	cpus_unref(domain->span);
	g_clear_pointer(&domain->groups, g_ptr_array_unref);
	g_free(domain);
}

static void chain_free(gpointer data)
{
	if (data)
		g_ptr_array_unref(data);
}

struct domain_tree *domain_tree_new(void)
{
	struct domain_tree *tree = g_new0(struct domain_tree, 1);

	tree->cpus = cpus_new();
	tree->chains = g_ptr_array_new_with_free_func(chain_free);
	return tree;
}

void domain_tree_free(struct domain_tree *tree)
{
	if (!tree)
		return;
	cpus_unref(tree->cpus);
	g_ptr_array_unref(tree->chains);
	g_free(tree);
}

void domain_tree_touch(struct domain_tree *tree, unsigned cpu)
{
	cpus_add(tree->cpus, cpu);
}

static GPtrArray *chain_of(const struct domain_tree *tree, unsigned cpu)
{
	return cpu < tree->chains->len ? g_ptr_array_index(tree->chains, cpu) : NULL;
}

struct domain *domain_tree_append(struct domain_tree *tree, unsigned cpu)
{
	GPtrArray *chain = chain_of(tree, cpu);
	struct domain *domain = g_new0(struct domain, 1);

	cpus_add(tree->cpus, cpu);
	if (!chain) {
		chain = g_ptr_array_new_with_free_func(domain_free);
		if (tree->chains->len <= cpu)
			g_ptr_array_set_size(tree->chains, (int)cpu + 1);
		g_ptr_array_index(tree->chains, cpu) = chain;
	}
	domain->index = chain->len;
	domain->level = -1;
	for (unsigned i = 0; i < DOMAIN_NUMBER_COUNT; i++)
		domain->number[i] = -1;
	g_ptr_array_add(chain, domain);
	return domain;
}

void domain_show_groups(struct domain *domain)
{
	if (!domain->groups)
		domain->groups = g_ptr_array_new_with_free_func(domain_group_free);
}

struct domain_group *domain_add_group(struct domain *domain, struct cpus *span)
{
	struct domain_group *group = g_new0(struct domain_group, 1);

	group->span = span;
	group->id = -1;
	domain_show_groups(domain);
	g_ptr_array_add(domain->groups, group);
	return group;
}

const struct cpus *domain_tree_cpus(const struct domain_tree *tree)
{
	return tree->cpus;
}

unsigned domain_tree_depth(const struct domain_tree *tree, unsigned cpu)
{
	const GPtrArray *chain = chain_of(tree, cpu);

	return chain ? chain->len : 0;
}

struct domain *domain_tree_get(const struct domain_tree *tree, unsigned cpu, unsigned index)
{
	GPtrArray *chain = chain_of(tree, cpu);

	return chain && index < chain->len ? g_ptr_array_index(chain, index) : NULL;
}

/* Equal strings <=> equal shape; names and flags come from kernels, hence the escaping. */
static char *shape_key(const struct domain_tree *tree, unsigned cpu)
{
	GString *key = g_string_new(NULL);

	for (unsigned i = 0; i < domain_tree_depth(tree, cpu); i++) {
		const struct domain *domain = domain_tree_get(tree, cpu, i);
		g_autofree char *name = g_strescape(domain->name ? domain->name : "", NULL);
		g_autofree char *flags = g_strescape(domain->flags ? domain->flags : "", NULL);

		g_string_append_printf(key, "\"%s\" \"%s\" %u\n", name, flags,
				       cpus_count(domain->span));
	}
	return g_string_free(key, FALSE);
}

static void set_unref(gpointer data)
{
	cpus_unref(data);
}

GPtrArray *domain_tree_shapes(const struct domain_tree *tree)
{
	g_autoptr(GHashTable) classes =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *shapes = g_ptr_array_new_with_free_func(set_unref);

	CPUS_FOREACH (cpu, tree->cpus) {
		g_autofree char *key = shape_key(tree, (unsigned)cpu);
		struct cpus *class = g_hash_table_lookup(classes, key);

		if (!class) {
			class = cpus_new();
			g_ptr_array_add(shapes, class);
			g_hash_table_insert(classes, g_steal_pointer(&key), class);
		}
		cpus_add(class, (unsigned)cpu);
	}
	return shapes;
}
