// SPDX-License-Identifier: GPL-2.0-only
/* Below NUMA, two spans of one level are equal or disjoint. */
#include "verdict/invariants.h"

#include <string.h>

static bool domain_is_numa(const struct domain *domain)
{
	return (domain->flags && strstr(domain->flags, "SD_NUMA")) ||
	       (domain->name && strcmp(domain->name, "NUMA") == 0);
}

/* A span of one level, and the CPUs whose span it is. */
struct part {
	const struct cpus *span;
	struct cpus *owners;
};

/* The parts into which one level, "MC" at level 2, cuts the machine. */
struct cut {
	const char *name;
	unsigned index;	  /* of the first domain seen */
	GHashTable *part; /* span -> struct part * */
};

static void part_free(gpointer data)
{
	struct part *part = data;

	cpus_unref(part->owners);
	g_free(part);
}

static void cut_free(gpointer data)
{
	struct cut *cut = data;

	g_hash_table_unref(cut->part);
	g_free(cut);
}

static void cut_add(GHashTable *cuts, unsigned cpu, const struct domain *domain)
{
	g_autofree char *key = g_strdup_printf("%d %s", domain->level, domain->name);
	struct cut *cut = g_hash_table_lookup(cuts, key);
	struct part *part;

	if (!cut) {
		cut = g_new(struct cut, 1);
		*cut = (struct cut){
			.name = domain->name,
			.index = domain->index,
			.part = g_hash_table_new_full(cpus_hash, cpus_hash_equal, NULL, part_free),
		};
		g_hash_table_insert(cuts, g_steal_pointer(&key), cut);
	}
	part = g_hash_table_lookup(cut->part, domain->span);
	if (!part) {
		part = g_new(struct part, 1);
		*part = (struct part){.span = domain->span, .owners = cpus_new()};
		g_hash_table_insert(cut->part, domain->span, part);
	}
	cpus_add(part->owners, cpu);
}

static void cut_overlap(const struct scene *scene, const struct cut *cut, const struct part *part,
			const struct part *other)
{
	g_autofree char *reason =
		g_strdup_printf("%s of the CPU overlaps that of CPU %d and is not the same",
				cut->name, cpus_next(other->owners, -1));

	CPUS_FOREACH (cpu, part->owners)
		scene_broken(scene, cpu, (int)cut->index, reason, other->span, part->span);
}

/* Healthy spans cost one step each; only one that overlaps is compared with all before it. */
static void cut_check(const struct scene *scene, const struct cut *cut)
{
	AUTO(cpus) *covered = cpus_new();
	g_autoptr(GPtrArray) before = g_ptr_array_new();
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, cut->part);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct part *part = value;

		for (guint i = 0; cpus_intersects(part->span, covered) && i < before->len; i++) {
			const struct part *other = before->pdata[i];

			if (!cpus_intersects(part->span, other->span))
				continue;
			cut_overlap(scene, cut, part, other);
			cut_overlap(scene, cut, other, part);
			break;
		}
		cpus_or(covered, part->span);
		g_ptr_array_add(before, part);
	}
}

/* NUMA levels overlap by design; below them a level cuts the machine into disjoint parts. */
void check_disjoint(const struct scene *scene)
{
	g_autoptr(GHashTable) cuts =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, cut_free);
	GHashTableIter iter;
	gpointer cut;

	CPUS_FOREACH (cpu, domain_tree_cpus(scene->tree)) {
		findings_compared(scene->findings, 1);
		for (unsigned i = 0; i < domain_tree_depth(scene->tree, (unsigned)cpu); i++) {
			const struct domain *domain =
				domain_tree_get(scene->tree, (unsigned)cpu, i);

			if (!domain->name || domain_is_numa(domain))
				continue;
			findings_compared(scene->findings, 1);
			cut_add(cuts, (unsigned)cpu, domain);
		}
	}
	g_hash_table_iter_init(&iter, cuts);
	while (g_hash_table_iter_next(&iter, NULL, &cut))
		cut_check(scene, cut);
}
