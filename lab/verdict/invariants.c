// SPDX-License-Identifier: GPL-2.0-only
/*
 * What holds for the domains of any kernel on any machine. Nothing here knows an algorithm, so a
 * bug that the kernel and expect/ share is still found.
 */
#include "verdict/invariants.h"

void scene_broken(const struct scene *scene, int cpu, int level, const char *reason,
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

const char *domain_title(const struct domain *domain)
{
	return domain->name ? domain->name : "the domain";
}

const struct cpus *scene_map(const struct scene *scene, unsigned cpu)
{
	for (guint i = 0; i < scene->maps->len; i++)
		if (cpus_has(scene->maps->pdata[i], cpu))
			return scene->maps->pdata[i];
	return NULL;
}

static void check_present(const struct scene *scene)
{
	CPUS_FOREACH (cpu, scene->online) {
		const struct cpus *map = scene_map(scene, (unsigned)cpu);
		bool alone = !map || cpus_count(map) == 1;
		bool bare = domain_tree_depth(scene->tree, (unsigned)cpu) == 0;

		findings_compared(scene->findings, 1);
		if (bare && !alone)
			scene_broken(scene, cpu, -1, "an online CPU has no domain", NULL, NULL);
		else if (!bare && !map)
			scene_broken(scene, cpu, -1, "an isolated CPU has a domain", NULL, NULL);
	}
}

static void check_own_span(const struct scene *scene, unsigned cpu, const struct domain *domain,
			   const struct domain *child)
{
	g_autofree char *reason = NULL;

	(void)child;
	findings_compared(scene->findings, 1);
	if (cpus_has(domain->span, cpu))
		return;
	reason = g_strdup_printf("the span of %s leaves its own CPU out", domain_title(domain));
	scene_broken(scene, (int)cpu, (int)domain->index, reason, NULL, domain->span);
}

static void check_online(const struct scene *scene, unsigned cpu, const struct domain *domain,
			 const struct domain *child)
{
	const struct cpus *map = scene_map(scene, cpu);
	g_autofree char *reason = NULL;

	(void)child;
	findings_compared(scene->findings, 1);
	if (!map || cpus_subset(domain->span, map))
		return;
	reason = g_strdup_printf("the span of %s holds CPUs that are not online, or of another "
				 "partition",
				 domain_title(domain));
	scene_broken(scene, (int)cpu, (int)domain->index, reason, map, domain->span);
}

static void check_nested(const struct scene *scene, unsigned cpu, const struct domain *domain,
			 const struct domain *child)
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
	reason = g_strdup_printf("%s does not hold CPUs %s of its child %s", domain_title(domain),
				 list, domain_title(child));
	scene_broken(scene, (int)cpu, (int)domain->index, reason, child->span, domain->span);
}

static void check_ordered(const struct scene *scene, unsigned cpu, const struct domain *domain,
			  const struct domain *child)
{
	g_autofree char *reason = NULL;

	findings_compared(scene->findings, 1);
	if (!child)
		return;
	if (cpus_count(domain->span) < cpus_count(child->span)) {
		reason = g_strdup_printf("%s is smaller than its child %s", domain_title(domain),
					 domain_title(child));
		scene_broken(scene, (int)cpu, (int)domain->index, reason, child->span,
			     domain->span);
	} else if (domain->level >= 0 && child->level >= 0 && domain->level <= child->level) {
		reason = g_strdup_printf("%s is at level %d, its child %s at level %d",
					 domain_title(domain), domain->level, domain_title(child),
					 child->level);
		scene_broken(scene, (int)cpu, (int)domain->index, reason, NULL, NULL);
	}
}

/* The union of a CPU's spans is what it can ever be balanced with. */
static void check_meet(const struct scene *scene)
{
	CPUS_FOREACH (cpu, scene->online) {
		const struct cpus *map = scene_map(scene, (unsigned)cpu);
		AUTO(cpus) *met = cpus_new();
		AUTO(cpus) *lost = map ? cpus_copy(map) : cpus_new();
		g_autofree char *list = NULL;
		g_autofree char *reason = NULL;

		findings_compared(scene->findings, 1);
		cpus_add(met, (unsigned)cpu);
		for (unsigned i = 0; i < domain_tree_depth(scene->tree, (unsigned)cpu); i++)
			cpus_or(met, domain_tree_get(scene->tree, (unsigned)cpu, i)->span);
		cpus_andnot(lost, met);
		if (cpus_is_empty(lost))
			continue;
		list = cpus_to_list(lost);
		reason = g_strdup_printf("no domain of the CPU reaches CPUs %s", list);
		scene_broken(scene, cpu, -1, reason, map, met);
	}
}

/* update_group_capacity(): min_interval grows with the span, so that large domains balance less. */
static void check_intervals(const struct scene *scene, unsigned cpu, const struct domain *domain,
			    const struct domain *child)
{
	gint64 least = domain->number[DOMAIN_MIN_INTERVAL];
	gint64 most = domain->number[DOMAIN_MAX_INTERVAL];
	gint64 weight = cpus_count(domain->span);
	g_autofree char *reason = NULL;

	(void)child;
	if (least < 0 || most < 0)
		return;
	findings_compared(scene->findings, 1);
	if (least == weight && most == 2 * weight)
		return;
	reason = g_strdup_printf("%s balances every %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
				 " ms, and has %" G_GINT64_FORMAT " CPUs",
				 domain_title(domain), least, most, weight);
	scene_broken(scene, (int)cpu, (int)domain->index, reason, NULL, NULL);
}

#define SCHEDSTAT "proc/schedstat"

/* Only debugfs has them; that it must have them the rules know. */
static bool tree_shows_intervals(const struct domain_tree *tree)
{
	CPUS_FOREACH (cpu, domain_tree_cpus(tree))
		if (domain_tree_depth(tree, (unsigned)cpu) &&
		    domain_tree_get(tree, (unsigned)cpu, 0)->number[DOMAIN_MIN_INTERVAL] >= 0)
			return true;
	return false;
}

/* One of the two functions looks: at the whole, or at each domain. */
static const struct invariant {
	const char *name, *unit, *evidence;
	const char *sentence;
	void (*check)(const struct scene *scene);
	domain_check check_domain;
	bool of_cpus; /* it compares CPUs, and so does even where there is no domain */
	/* NULL: what it looks at is always there, or its absence is told elsewhere */
	bool (*is_shown)(const struct domain_tree *tree);
} invariants[] = {
	{
		.name = "invariants.present",
		.unit = "online CPUs",
		.evidence = SCHEDSTAT,
		.sentence = "every online CPU has a domain, unless it is alone or isolated",
		.check = check_present,
		.of_cpus = true,
	},
	{
		.name = "invariants.own-span",
		.unit = "spans",
		.evidence = SCHEDSTAT,
		.sentence = "a CPU lies in the span of each of its domains",
		.check_domain = check_own_span,
	},
	{
		.name = "invariants.online",
		.unit = "spans",
		.evidence = SCHEDSTAT,
		.sentence = "a span holds only CPUs of the partition that are online",
		.check_domain = check_online,
	},
	{
		.name = "invariants.nested",
		.unit = "spans",
		.evidence = SCHEDSTAT,
		.sentence = "a domain holds all of its child",
		.check_domain = check_nested,
	},
	{
		.name = "invariants.ordered",
		.unit = "domains",
		.evidence = SCHEDSTAT,
		.sentence = "a chain grows from the inside out, and its level numbers rise",
		.check_domain = check_ordered,
	},
	{
		.name = "invariants.meet",
		.unit = "online CPUs",
		.evidence = SCHEDSTAT,
		.sentence = "every two CPUs of a partition meet in some domain",
		.check = check_meet,
		.of_cpus = true,
	},
	{
		.name = "invariants.disjoint",
		.unit = "CPUs and domains below NUMA",
		.evidence = SCHEDSTAT,
		.sentence = "two spans of one level below NUMA are equal or disjoint",
		.check = check_disjoint,
	},
	{
		.name = "invariants.intervals",
		.unit = "intervals",
		.evidence = "sys/kernel/debug/sched/domains",
		.sentence = "a domain balances every weight to twice its weight milliseconds",
		.check_domain = check_intervals,
		.is_shown = tree_shows_intervals,
	},
	{
		.name = "invariants.first-group",
		.unit = "first groups",
		.evidence = "kmsg",
		.sentence = "a domain's first group is its child's span",
		.check_domain = check_first_group,
	},
	{
		.name = "invariants.groups-cover",
		.unit = "domains with groups",
		.evidence = "kmsg",
		.sentence = "the groups of a domain cover its span and nothing else",
		.check_domain = check_groups_cover,
	},
	{
		.name = "invariants.balance-mask",
		.unit = "domains with groups",
		.evidence = "kmsg",
		.sentence = "a balance mask is not empty and lies within its group",
		.check_domain = check_balance_mask,
	},
};

static void scene_each_domain(const struct scene *scene, domain_check check)
{
	CPUS_FOREACH (cpu, domain_tree_cpus(scene->tree)) {
		const struct domain *child = NULL;

		for (unsigned i = 0; i < domain_tree_depth(scene->tree, (unsigned)cpu); i++) {
			const struct domain *domain =
				domain_tree_get(scene->tree, (unsigned)cpu, i);

			check(scene, (unsigned)cpu, domain, child);
			child = domain;
		}
	}
}

static bool tree_is_bare(const struct domain_tree *tree)
{
	CPUS_FOREACH (cpu, domain_tree_cpus(tree))
		if (domain_tree_depth(tree, (unsigned)cpu))
			return false;
	return true;
}

/* A kernel that made no domain at all failed; that there is nothing more to compare is no error. */
void check_invariants(const struct domain_tree *tree, const struct cpus *online,
		      const GPtrArray *maps, struct checks *checks)
{
	bool bare = tree_is_bare(tree);

	for (gsize i = 0; i < G_N_ELEMENTS(invariants); i++) {
		const struct invariant *invariant = &invariants[i];
		struct scene scene = {
			.tree = tree,
			.online = online,
			.maps = maps,
			.sentence = invariant->sentence,
		};

		if ((bare && !invariant->of_cpus) ||
		    (invariant->is_shown && !invariant->is_shown(tree)))
			continue;
		scene.findings = findings_new(invariant->name, VERDICT_FAIL, invariant->unit,
					      invariant->evidence);
		if (invariant->check)
			invariant->check(&scene);
		else
			scene_each_domain(&scene, invariant->check_domain);
		findings_close(scene.findings, checks);
	}
}
