// SPDX-License-Identifier: GPL-2.0-only
/*
 * What holds for the domains of any kernel on any machine. Nothing here knows an algorithm, so a
 * bug that the kernel and expect/ share is still found.
 */
#include "base/cpus.h"
#include "verdict/compare.h"
#include "verdict/findings.h"

#include <string.h>

struct scene {
	const struct domain_tree *tree;
	const struct cpus *online;
	const char *sentence;
	struct findings *findings;
};

static void broken(const struct scene *scene, int cpu, int level, const char *reason,
		   const struct cpus *expected, const struct cpus *observed)
{
	g_autofree char *expected_text = expected ? cpus_to_list(expected) : NULL;
	g_autofree char *observed_text = observed ? cpus_to_list(observed) : NULL;

	findings_add(scene->findings, &(struct finding){
					      .cpu = cpu,
					      .level = level,
					      .expected = expected_text,
					      .observed = observed_text,
					      .rule = scene->sentence,
					      .reason = reason,
				      });
}

static const char *domain_name(const struct domain *domain)
{
	return domain->name ? domain->name : "the domain";
}

/* Isolated CPUs have no domain; none is isolated here, so each needs one unless it is alone. */
static void check_present(const struct scene *scene)
{
	if (cpus_count(scene->online) < 2)
		findings_compared(scene->findings, 1);
	else
		CPUS_FOREACH(cpu, scene->online) {
			findings_compared(scene->findings, 1);
			if (!cpus_has(domain_tree_cpus(scene->tree), (unsigned)cpu) ||
			    domain_tree_depth(scene->tree, (unsigned)cpu) == 0)
				broken(scene, cpu, -1, "an online CPU has no domain", NULL, NULL);
		}
}

/* Calls @check for every domain; @child is NULL for the innermost. */
static void each_domain(const struct scene *scene,
			void (*check)(const struct scene *scene, unsigned cpu,
				      const struct domain *domain, const struct domain *child))
{
	CPUS_FOREACH(cpu, domain_tree_cpus(scene->tree)) {
		const struct domain *child = NULL;

		for (unsigned i = 0; i < domain_tree_depth(scene->tree, (unsigned)cpu); i++) {
			const struct domain *domain =
				domain_tree_get(scene->tree, (unsigned)cpu, i);

			check(scene, (unsigned)cpu, domain, child);
			child = domain;
		}
	}
}

static void check_own_span_domain(const struct scene *scene, unsigned cpu,
				  const struct domain *domain, const struct domain *child)
{
	g_autofree char *reason = NULL;

	(void)child;
	findings_compared(scene->findings, 1);
	if (cpus_has(domain->span, cpu))
		return;
	reason = g_strdup_printf("the span of %s leaves its own CPU out", domain_name(domain));
	broken(scene, (int)cpu, (int)domain->index, reason, NULL, domain->span);
}

static void check_own_span(const struct scene *scene)
{
	each_domain(scene, check_own_span_domain);
}

static void check_online_domain(const struct scene *scene, unsigned cpu,
				const struct domain *domain, const struct domain *child)
{
	g_autofree char *reason = NULL;

	(void)child;
	findings_compared(scene->findings, 1);
	if (cpus_subset(domain->span, scene->online))
		return;
	reason = g_strdup_printf("the span of %s holds CPUs that are not online",
				 domain_name(domain));
	broken(scene, (int)cpu, (int)domain->index, reason, scene->online, domain->span);
}

static void check_online(const struct scene *scene)
{
	each_domain(scene, check_online_domain);
}

static void check_nested_domain(const struct scene *scene, unsigned cpu,
				const struct domain *domain, const struct domain *child)
{
	AUTO(cpus) *outside = NULL;
	g_autofree char *list = NULL;
	g_autofree char *reason = NULL;

	findings_compared(scene->findings, 1);
	if (!child || cpus_subset(child->span, domain->span))
		return;
	outside = cpus_copy(child->span);
	cpus_andnot(outside, domain->span);
	list = cpus_to_list(outside);
	reason = g_strdup_printf("%s does not hold CPUs %s of its child %s", domain_name(domain),
				 list, domain_name(child));
	broken(scene, (int)cpu, (int)domain->index, reason, child->span, domain->span);
}

static void check_nested(const struct scene *scene)
{
	each_domain(scene, check_nested_domain);
}

static void check_ordered_domain(const struct scene *scene, unsigned cpu,
				 const struct domain *domain, const struct domain *child)
{
	g_autofree char *reason = NULL;

	findings_compared(scene->findings, 1);
	if (!child)
		return;
	if (cpus_count(domain->span) < cpus_count(child->span)) {
		reason = g_strdup_printf("%s is smaller than its child %s", domain_name(domain),
					 domain_name(child));
		broken(scene, (int)cpu, (int)domain->index, reason, child->span, domain->span);
	} else if (domain->level >= 0 && child->level >= 0 && domain->level <= child->level) {
		reason = g_strdup_printf("%s is at level %d, its child %s at level %d",
					 domain_name(domain), domain->level, domain_name(child),
					 child->level);
		broken(scene, (int)cpu, (int)domain->index, reason, NULL, NULL);
	}
}

static void check_ordered(const struct scene *scene)
{
	each_domain(scene, check_ordered_domain);
}

/* One partition: the union of a CPU's spans is what it can ever be balanced with. */
static void check_meet(const struct scene *scene)
{
	CPUS_FOREACH(cpu, scene->online) {
		AUTO(cpus) *met = cpus_new();
		AUTO(cpus) *lost = cpus_copy(scene->online);
		g_autofree char *list = NULL;
		g_autofree char *reason = NULL;

		findings_compared(scene->findings, 1);
		cpus_add(met, (unsigned)cpu);
		if (cpus_has(domain_tree_cpus(scene->tree), (unsigned)cpu))
			for (unsigned i = 0; i < domain_tree_depth(scene->tree, (unsigned)cpu); i++)
				cpus_or(met, domain_tree_get(scene->tree, (unsigned)cpu, i)->span);
		cpus_andnot(lost, met);
		if (cpus_is_empty(lost))
			continue;
		list = cpus_to_list(lost);
		reason = g_strdup_printf("no domain of the CPU reaches CPUs %s", list);
		broken(scene, cpu, -1, reason, scene->online, met);
	}
}

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
	g_autofree char *reason = g_strdup_printf(
		"%s of the CPU overlaps that of CPU %d and is not the same", cut->name,
		cpus_next(other->owners, -1));

	CPUS_FOREACH(cpu, part->owners)
		broken(scene, cpu, (int)cut->index, reason, other->span, part->span);
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
static void check_disjoint(const struct scene *scene)
{
	g_autoptr(GHashTable) cuts =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, cut_free);
	GHashTableIter iter;
	gpointer cut;

	CPUS_FOREACH(cpu, domain_tree_cpus(scene->tree)) {
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

static bool groups_shown(const struct domain *domain)
{
	return domain->groups && domain->groups->len > 0;
}

/* The innermost domain has no child left: its own group is the CPU itself. */
static void check_first_group_domain(const struct scene *scene, unsigned cpu,
				     const struct domain *domain, const struct domain *child)
{
	const struct domain_group *first;
	AUTO(cpus) *own = NULL;
	g_autofree char *reason = NULL;

	if (!groups_shown(domain))
		return;
	findings_compared(scene->findings, 1);
	first = domain->groups->pdata[0];
	own = child ? cpus_ref(child->span) : cpus_new();
	if (!child)
		cpus_add(own, cpu);
	if (cpus_equal(first->span, own))
		return;
	reason = g_strdup_printf("the first group of %s is not the span of %s", domain_name(domain),
				 child ? domain_name(child) : "the CPU itself");
	broken(scene, (int)cpu, (int)domain->index, reason, own, first->span);
}

static void check_first_group(const struct scene *scene)
{
	each_domain(scene, check_first_group_domain);
}

static struct cpus *groups_union(const struct domain *domain)
{
	struct cpus *all = cpus_new();

	for (guint i = 0; i < domain->groups->len; i++) {
		const struct domain_group *group = domain->groups->pdata[i];

		cpus_or(all, group->span);
	}
	return all;
}

struct cpus *domain_uncovered(const struct domain *domain)
{
	AUTO(cpus) *all = NULL;
	struct cpus *lacking;

	if (!groups_shown(domain))
		return NULL;
	all = groups_union(domain);
	lacking = cpus_copy(domain->span);
	cpus_andnot(lacking, all);
	return lacking;
}

static void check_groups_cover_domain(const struct scene *scene, unsigned cpu,
				      const struct domain *domain, const struct domain *child)
{
	AUTO(cpus) *all = NULL;
	AUTO(cpus) *lacking = domain_uncovered(domain);
	g_autofree char *list = NULL;
	g_autofree char *reason = NULL;

	(void)child;
	if (!lacking)
		return;
	findings_compared(scene->findings, 1);
	all = groups_union(domain);
	if (cpus_equal(all, domain->span))
		return;
	if (!cpus_is_empty(lacking)) {
		list = cpus_to_list(lacking);
		reason = g_strdup_printf("no group of %s holds CPUs %s of its span",
					 domain_name(domain), list);
	} else {
		cpus_andnot(all, domain->span);
		list = cpus_to_list(all);
		reason = g_strdup_printf("the groups of %s hold CPUs %s, which its span does not",
					 domain_name(domain), list);
		cpus_or(all, domain->span);
	}
	broken(scene, (int)cpu, (int)domain->index, reason, domain->span, all);
}

static void check_groups_cover(const struct scene *scene)
{
	each_domain(scene, check_groups_cover_domain);
}

/* Who balances for a group must be one of the group. */
static void check_balance_mask_domain(const struct scene *scene, unsigned cpu,
				      const struct domain *domain, const struct domain *child)
{
	(void)child;
	if (!groups_shown(domain))
		return;
	findings_compared(scene->findings, 1);
	for (guint i = 0; i < domain->groups->len; i++) {
		const struct domain_group *group = domain->groups->pdata[i];
		g_autofree char *reason = NULL;

		if (!group->mask ||
		    (!cpus_is_empty(group->mask) && cpus_subset(group->mask, group->span)))
			continue;
		reason = g_strdup_printf("a group of %s is balanced by nobody, or by CPUs outside",
					 domain_name(domain));
		broken(scene, (int)cpu, (int)domain->index, reason, group->span, group->mask);
	}
}

static void check_balance_mask(const struct scene *scene)
{
	each_domain(scene, check_balance_mask_domain);
}

#define SCHEDSTAT "proc/schedstat"

static const struct invariant {
	const char *name, *unit, *evidence;
	const char *sentence;
	void (*check)(const struct scene *scene);
} invariants[] = {
	{
		.name = "invariants.present",
		.unit = "online CPUs",
		.evidence = SCHEDSTAT,
		.sentence = "every online CPU has a domain, unless it is the only one",
		.check = check_present,
	},
	{
		.name = "invariants.own-span",
		.unit = "spans",
		.evidence = SCHEDSTAT,
		.sentence = "a CPU lies in the span of each of its domains",
		.check = check_own_span,
	},
	{
		.name = "invariants.online",
		.unit = "spans",
		.evidence = SCHEDSTAT,
		.sentence = "a span holds only CPUs that are online",
		.check = check_online,
	},
	{
		.name = "invariants.nested",
		.unit = "spans",
		.evidence = SCHEDSTAT,
		.sentence = "a domain holds all of its child",
		.check = check_nested,
	},
	{
		.name = "invariants.ordered",
		.unit = "domains",
		.evidence = SCHEDSTAT,
		.sentence = "a chain grows from the inside out, and its level numbers rise",
		.check = check_ordered,
	},
	{
		.name = "invariants.meet",
		.unit = "online CPUs",
		.evidence = SCHEDSTAT,
		.sentence = "every two CPUs of a partition meet in some domain",
		.check = check_meet,
	},
	{
		.name = "invariants.disjoint",
		.unit = "CPUs and domains below NUMA",
		.evidence = SCHEDSTAT,
		.sentence = "two spans of one level below NUMA are equal or disjoint",
		.check = check_disjoint,
	},
	{
		.name = "invariants.first-group",
		.unit = "first groups",
		.evidence = "kmsg",
		.sentence = "a domain's first group is its child's span",
		.check = check_first_group,
	},
	{
		.name = "invariants.groups-cover",
		.unit = "domains with groups",
		.evidence = "kmsg",
		.sentence = "the groups of a domain cover its span and nothing else",
		.check = check_groups_cover,
	},
	{
		.name = "invariants.balance-mask",
		.unit = "domains with groups",
		.evidence = "kmsg",
		.sentence = "a balance mask is not empty and lies within its group",
		.check = check_balance_mask,
	},
};

void check_invariants(const struct domain_tree *tree, const struct cpus *online,
		      struct checks *checks)
{
	for (gsize i = 0; i < G_N_ELEMENTS(invariants); i++) {
		const struct invariant *invariant = &invariants[i];
		struct scene scene = {
			.tree = tree,
			.online = online,
			.sentence = invariant->sentence,
			.findings = findings_new(invariant->name, VERDICT_FAIL, invariant->unit,
						 invariant->evidence),
		};

		invariant->check(&scene);
		findings_close(scene.findings, checks);
	}
}
