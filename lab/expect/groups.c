// SPDX-License-Identifier: GPL-2.0-only
#include "expect/groups.h"

#include "expect/levels.h"

struct groups {
	GPtrArray *levels;
	GHashTable *spans;
	GHashTable **rings; /* by level: span -> its groups, for domains that do not overlap */
	GHashTable **masks; /* by level: a group's span -> its balance mask */
};

struct groups *groups_new(GPtrArray *levels, GHashTable *spans)
{
	struct groups *groups = g_new0(struct groups, 1);

	groups->levels = levels;
	groups->spans = spans;
	groups->rings = g_new0(GHashTable *, levels->len);
	groups->masks = g_new0(GHashTable *, levels->len);
	for (unsigned i = 0; i < levels->len; i++) {
		groups->rings[i] =
			g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
		groups->masks[i] = g_hash_table_new(NULL, NULL);
	}
	return groups;
}

void groups_free(struct groups *groups)
{
	for (unsigned i = 0; i < groups->levels->len; i++) {
		g_hash_table_unref(groups->rings[i]);
		g_hash_table_unref(groups->masks[i]);
	}
	g_free(groups->rings);
	g_free(groups->masks);
	g_free(groups);
}

const struct group *ring_get(const struct ring *ring, unsigned i)
{
	return ring->groups->pdata[(ring->first + i) % ring->groups->len];
}

/* The span that @cpu's domain has at @level, NULL when its chain does not reach so far. */
static struct cpus *span_of(const struct groups *groups, unsigned level, unsigned cpu)
{
	const struct level *own = groups->levels->pdata[level];

	return own->span[cpu];
}

static void group_add(GPtrArray *list, struct cpus *span, struct cpus *mask, int id)
{
	struct group *group = g_new(struct group, 1);

	*group = (struct group){.span = span, .mask = mask, .id = id};
	g_ptr_array_add(list, group);
}

/* for_each_cpu_wrap() over what is left of @set: the next CPU after @after; -1 at the end. */
static int next_wrapping(const struct cpus *set, int after)
{
	int cpu = cpus_next(set, after);

	return cpu >= 0 ? cpu : cpus_next(set, -1);
}

/* get_group(): the child's span, or the CPU alone in the innermost domain. */
static struct cpus *group_span(const struct groups *groups, unsigned level, unsigned cpu)
{
	struct cpus *alone;

	if (level > 0)
		return span_of(groups, level - 1, cpu);
	alone = cpus_new();
	cpus_add(alone, cpu);
	return spans_intern(groups->spans, alone);
}

/*
 * build_sched_groups(). The groups are shared and each CPU of the span links them anew, in the
 * order in which it meets them: the links that stay are those of the highest CPU.
 */
static GPtrArray *plain_groups(const struct groups *groups, unsigned level, struct cpus *span)
{
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
	AUTO(cpus) *left = cpus_copy(span);
	int last = -1;

	CPUS_FOREACH (cpu, span)
		last = cpu;
	for (int cpu = last; cpu >= 0; cpu = next_wrapping(left, cpu)) {
		struct cpus *own = group_span(groups, level, (unsigned)cpu);

		group_add(list, own, NULL, cpus_next(own, -1));
		cpus_andnot(left, own);
	}
	return list;
}

static struct ring plain_ring(struct groups *groups, unsigned level, unsigned cpu)
{
	struct cpus *span = span_of(groups, level, cpu);
	struct cpus *own = group_span(groups, level, cpu);
	GPtrArray *list = g_hash_table_lookup(groups->rings[level], span);
	unsigned first = 0;

	if (!list) {
		list = plain_groups(groups, level, span);
		g_hash_table_insert(groups->rings[level], span, list);
	}
	for (unsigned i = 0; i < list->len; i++) {
		const struct group *group = list->pdata[i];

		if (group->span == own)
			first = i;
	}
	return (struct ring){.groups = g_ptr_array_ref(list), .first = first};
}

/*
 * find_descended_sibling(): the level of @cpu whose child stays within @span; a child's node always
 * does. The kernel then skips levels that equal their child, but this one never does: it does not
 * lie within @span itself.
 */
static unsigned descended_level(const struct groups *groups, unsigned level, unsigned cpu,
				const struct cpus *span)
{
	while (level > 0 && !cpus_subset(span_of(groups, level - 1, cpu), span))
		level--;
	return level;
}

/*
 * build_balance_mask(): the CPUs of the group that come to it from their own child domain. CPUs
 * without a domain at @level need no test: the last one that they have spans the whole machine.
 */
static struct cpus *balance_mask(struct groups *groups, unsigned level, struct cpus *span)
{
	struct cpus *mask = g_hash_table_lookup(groups->masks[level], span);

	if (mask)
		return mask;
	mask = cpus_new();
	CPUS_FOREACH (cpu, span)
		if (level > 0 && span_of(groups, level - 1, (unsigned)cpu) == span)
			cpus_add(mask, (unsigned)cpu);
	mask = spans_intern(groups->spans, mask);
	g_hash_table_insert(groups->masks[level], span, mask);
	return mask;
}

/* build_overlap_sched_groups(): these groups belong to one CPU's domain alone. */
static struct ring overlap_ring(struct groups *groups, unsigned level, unsigned cpu)
{
	struct cpus *span = span_of(groups, level, cpu);
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
	AUTO(cpus) *left = cpus_copy(span);

	for (int i = (int)cpu; i >= 0; i = next_wrapping(left, i)) {
		unsigned sibling = level;
		struct cpus *own, *mask;

		/* The sibling's chain ended below, where its span was that of the whole machine. */
		if (!span_of(groups, level, (unsigned)i)) {
			cpus_remove(left, (unsigned)i);
			continue;
		}
		if (level > 0 && !cpus_subset(span_of(groups, level - 1, (unsigned)i), span))
			sibling = descended_level(groups, level, (unsigned)i, span);
		own = span_of(groups, sibling > 0 ? sibling - 1 : 0, (unsigned)i);
		mask = balance_mask(groups, sibling, own);
		group_add(list, own, mask, cpus_next(mask, -1));
		cpus_andnot(left, own);
	}
	return (struct ring){.groups = list};
}

struct ring groups_of(struct groups *groups, unsigned level, unsigned cpu)
{
	const struct level *own = groups->levels->pdata[level];

	return own->overlaps ? overlap_ring(groups, level, cpu) : plain_ring(groups, level, cpu);
}
