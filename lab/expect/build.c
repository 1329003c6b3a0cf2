// SPDX-License-Identifier: GPL-2.0-only
#include "expect/build.h"

#include "expect/flags.h"
#include "expect/groups.h"
#include "expect/levels.h"
#include "expect/versions.h"

/* A domain of one CPU, while superfluous ones are being removed. */
struct link {
	unsigned level;
	guint32 flags;
	guint32 groups_flags; /* sd->groups->flags */
	struct cpus *span;
	struct ring ring;
};

static void link_clear(gpointer data)
{
	struct link *link = data;

	g_ptr_array_unref(link->ring.groups);
}

/* build_sched_domains() ends a CPU's chain at the first domain that spans the whole map. */
static void chains_cut(const struct cpus *map, GPtrArray *levels)
{
	CPUS_FOREACH (cpu, map) {
		bool whole = false;

		for (unsigned i = 0; i < levels->len; i++) {
			struct level *level = levels->pdata[i];

			if (whole)
				level->span[cpu] = NULL;
			else
				whole = cpus_equal(level->span[cpu], map);
		}
	}
}

static bool link_degenerate(const struct link *link, guint32 needing_groups)
{
	if (cpus_next(link->span, cpus_next(link->span, -1)) < 0)
		return true; /* one CPU */
	if (link->flags & needing_groups && link->ring.groups->len > 1)
		return false;
	return !(link->flags & SD_WAKE_AFFINE);
}

static bool parent_degenerate(const struct link *child, const struct link *parent,
			      guint32 needing_groups)
{
	guint32 flags = parent->flags;

	if (link_degenerate(parent, needing_groups))
		return true;
	if (child->span != parent->span)
		return false;
	if (parent->ring.groups->len == 1)
		flags &= ~needing_groups;
	return !(flags & ~child->flags);
}

/*
 * Since 6.6 the groups of the domain above the one that goes get the flags of the one below
 * (bf2dc42d6beb); before, they keep those of the one that went.
 */
static const struct versions groups_follow = {.since = RELEASE(6, 6)};

/* cpu_attach_domain(): removes the domains that contribute nothing. */
static void chain_degenerate(GArray *chain, unsigned version)
{
	guint32 needing_groups = flags_needing_groups(version);

	for (unsigned i = 0; i + 1 < chain->len;) {
		struct link *child = &g_array_index(chain, struct link, i);
		struct link *parent = child + 1;

		if (!parent_degenerate(child, parent, needing_groups)) {
			i++;
			continue;
		}
		if (i + 2 < chain->len && versions_have(&groups_follow, version))
			(parent + 1)->groups_flags = child->flags;
		child->flags |= parent->flags & SD_PREFER_SIBLING;
		g_array_remove_index(chain, i + 1);
	}
	if (chain->len > 0 &&
	    link_degenerate(&g_array_index(chain, struct link, 0), needing_groups)) {
		g_array_remove_index(chain, 0);
		/* The loop that clears them all never gets beyond the first group. */
		if (chain->len > 0)
			g_array_index(chain, struct link, 0).groups_flags = 0;
	}
}

/* set_domain_attribute(), before any domain is removed. */
static guint32 flags_relaxed(const struct machine *machine, unsigned level, guint32 flags)
{
	int request = machine->situation->relax_domain_level;

	return request >= 0 && (int)level >= request ? flags & ~(guint32)SD_BALANCE_NEWIDLE : flags;
}

static GArray *chain_new(const struct machine *machine, struct groups *groups, GPtrArray *levels,
			 unsigned cpu)
{
	GArray *chain = g_array_new(FALSE, TRUE, sizeof(struct link));
	guint32 below = 0;

	g_array_set_clear_func(chain, link_clear);
	for (unsigned i = 0; i < levels->len; i++) {
		const struct level *level = levels->pdata[i];
		struct link link = {.level = i, .groups_flags = below, .span = level->span[cpu]};

		if (!link.span)
			break;
		link.flags = flags_relaxed(machine, i, level->flags);
		link.ring = groups_of(groups, i, cpu);
		g_array_append_val(chain, link);
		below = link.flags;
	}
	return chain;
}

/* debugfs shows the level since 6.10, a group's flags since 6.6; 6.12 is the first read. */
static const struct versions level_shown = {.since = RELEASE(6, 10)};
static const struct versions groups_flags_shown = {.since = RELEASE(6, 12)};

/*
 * sd_init() takes the interval from the weight of the level's whole mask. Since 7.1 it is the part
 * in the map (8e8e23dea43e), which stable kernels may take over: what came after the newest that
 * was read is not predicted.
 */
static const struct versions weighs_span = {.since = RELEASE(7, 1)};
static const struct versions weighs_level[] = {
	{RELEASE(6, 1), KERNEL_VERSION_OF(6, 1, 193)},
	{RELEASE(6, 12), KERNEL_VERSION_OF(6, 12, 118)},
};

/*
 * From 6.10 on levels weigh a CPU that goes, see leaving_cpu(); stable kernels may have taken that
 * commit (2125c0034c5d) over.
 */
static const struct versions may_weigh_the_gone = {RELEASE(6, 6), RELEASE(6, 10)};

/* A map that a change left as it was keeps its domains, which weigh what their levels did before.
 */
static bool may_be_stale(const struct machine *machine)
{
	const struct situation *situation = machine->situation;

	if (situation->last_gone >= 0 && versions_have(&may_weigh_the_gone, machine->version))
		return true;
	return situation->rebuilt &&
	       (situation->partitions->len || !cpus_is_empty(situation->singles) ||
		!cpus_is_empty(situation->isolated));
}

/* -1: not known. */
static gint64 interval_weight(const struct machine *machine, const struct link *link,
			      gint64 level_weight)
{
	gint64 weight = cpus_count(link->span);

	if (versions_have(&weighs_span, machine->version))
		return weight;
	if (may_be_stale(machine))
		return -1;
	if (weight == level_weight)
		return weight;
	for (unsigned i = 0; i < G_N_ELEMENTS(weighs_level); i++)
		if (versions_have(&weighs_level[i], machine->version))
			return level_weight;
	return -1;
}

/* sd_init() of 6.1.192, 6.12.117 and 7.3.4. */
static void domain_fill_numbers(struct domain *domain, guint32 flags, gint64 weight)
{
	domain->number[DOMAIN_MIN_INTERVAL] = weight;
	domain->number[DOMAIN_MAX_INTERVAL] = weight < 0 ? -1 : 2 * weight;
	domain->number[DOMAIN_BUSY_FACTOR] = 16;
	domain->number[DOMAIN_IMBALANCE_PCT] = flags & SD_SHARE_CPUCAPACITY ? 110 : 117;
	domain->number[DOMAIN_CACHE_NICE_TRIES] = flags & SD_SHARE_CPUCAPACITY ? 0
						  : flags & SD_NUMA	       ? 2
									       : 1;
}

static void domain_fill(struct domain *domain, const struct link *link, const struct level *level,
			unsigned version)
{
	domain->level = versions_have(&level_shown, version) ? (int)link->level : -1;
	domain->name = g_strdup(level->name);
	domain->flags = flags_text(link->flags, version);
	if (versions_have(&groups_flags_shown, version))
		domain->groups_flags = flags_text(link->groups_flags, version);
	domain->span = cpus_ref(link->span);
	domain->rule = g_strdup(level->rule);
	for (unsigned i = 0; i < link->ring.groups->len; i++) {
		const struct group *group = ring_get(&link->ring, i);
		struct domain_group *shown = domain_add_group(domain, cpus_ref(group->span));

		shown->mask = group->mask ? cpus_ref(group->mask) : NULL;
		shown->id = group->id;
	}
}

void build_domains(struct domain_tree *tree, const struct machine *machine, GPtrArray *levels,
		   const struct cpus *map, GHashTable *spans)
{
	AUTO(groups) *groups = NULL;

	chains_cut(map, levels);
	groups = groups_new(levels, spans);
	CPUS_FOREACH (cpu, map) {
		g_autoptr(GArray) chain = chain_new(machine, groups, levels, (unsigned)cpu);

		chain_degenerate(chain, machine->version);
		for (unsigned i = 0; i < chain->len; i++) {
			const struct link *link = &g_array_index(chain, struct link, i);
			const struct level *level = levels->pdata[link->level];
			struct domain *domain = domain_tree_append(tree, (unsigned)cpu);

			domain_fill(domain, link, level, machine->version);
			domain_fill_numbers(domain, level->flags,
					    interval_weight(machine, link, level->weight[cpu]));
		}
	}
}
