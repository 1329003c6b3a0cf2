// SPDX-License-Identifier: GPL-2.0-only
/* What holds for the groups of any domain. */
#include "verdict/invariants.h"

/* NULL when the domain has no group, which groups_cover tells, or when groups are not shown. */
static const struct domain_group *first_group(const struct domain *domain)
{
	return domain->groups && domain->groups->len ? domain->groups->pdata[0] : NULL;
}

/* The innermost domain has no child left: its own group is the CPU itself. */
void check_first_group(const struct scene *scene, unsigned cpu, const struct domain *domain,
		       const struct domain *child)
{
	const struct domain_group *first = first_group(domain);
	AUTO(cpus) *own = NULL;
	g_autofree char *reason = NULL;

	if (!domain->groups)
		return;
	findings_compared(scene->findings, 1);
	if (!first)
		return;
	own = child ? cpus_ref(child->span) : cpus_new();
	if (!child)
		cpus_add(own, cpu);
	if (cpus_equal(first->span, own))
		return;
	reason =
		g_strdup_printf("the first group of %s is not the span of %s", domain_title(domain),
				child ? domain_title(child) : "the CPU itself");
	scene_broken(scene, (int)cpu, (int)domain->index, reason, own, first->span);
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

	if (!domain->groups)
		return NULL;
	all = groups_union(domain);
	lacking = cpus_copy(domain->span);
	cpus_andnot(lacking, all);
	return lacking;
}

void check_groups_cover(const struct scene *scene, unsigned cpu, const struct domain *domain,
			const struct domain *child)
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
					 domain_title(domain), list);
	} else {
		cpus_andnot(all, domain->span);
		list = cpus_to_list(all);
		reason = g_strdup_printf("the groups of %s hold CPUs %s, which its span does not",
					 domain_title(domain), list);
		cpus_or(all, domain->span);
	}
	scene_broken(scene, (int)cpu, (int)domain->index, reason, domain->span, all);
}

/* Who balances for a group must be one of the group. */
void check_balance_mask(const struct scene *scene, unsigned cpu, const struct domain *domain,
			const struct domain *child)
{
	(void)child;
	if (!domain->groups)
		return;
	findings_compared(scene->findings, 1);
	for (guint i = 0; i < domain->groups->len; i++) {
		const struct domain_group *group = domain->groups->pdata[i];
		g_autofree char *reason = NULL;

		if (!group->mask ||
		    (!cpus_is_empty(group->mask) && cpus_subset(group->mask, group->span)))
			continue;
		reason = g_strdup_printf("a group of %s is balanced by nobody, or by CPUs outside",
					 domain_title(domain));
		scene_broken(scene, (int)cpu, (int)domain->index, reason, group->span, group->mask);
	}
}
