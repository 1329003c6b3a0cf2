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
	struct cpus *span;
	struct ring ring;
};

static void link_clear(gpointer data)
{
	struct link *link = data;

	g_ptr_array_unref(link->ring.groups);
}

/* build_sched_domains() ends a CPU's chain at the first domain that spans the whole partition. */
static void chains_cut(const struct machine *machine, GPtrArray *levels)
{
	for (unsigned cpu = 0; cpu < machine->n_cpus; cpu++) {
		bool whole = false;

		for (unsigned i = 0; i < levels->len; i++) {
			struct level *level = levels->pdata[i];

			if (whole)
				level->span[cpu] = NULL;
			else
				whole = cpus_equal(level->span[cpu], machine->all);
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
		child->flags |= parent->flags & SD_PREFER_SIBLING;
		g_array_remove_index(chain, i + 1);
	}
	if (chain->len > 0 &&
	    link_degenerate(&g_array_index(chain, struct link, 0), needing_groups))
		g_array_remove_index(chain, 0);
}

static GArray *chain_new(struct groups *groups, GPtrArray *levels, unsigned cpu)
{
	GArray *chain = g_array_new(FALSE, TRUE, sizeof(struct link));

	g_array_set_clear_func(chain, link_clear);
	for (unsigned i = 0; i < levels->len; i++) {
		const struct level *level = levels->pdata[i];
		struct link link = {.level = i, .flags = level->flags, .span = level->span[cpu]};

		if (!link.span)
			break;
		link.ring = groups_of(groups, i, cpu);
		g_array_append_val(chain, link);
	}
	return chain;
}

/* debugfs shows the level since 6.10. */
static const struct versions level_shown = {.since = RELEASE(6, 10)};

static void domain_fill(struct domain *domain, const struct link *link, const struct level *level,
			unsigned version)
{
	domain->level = versions_have(&level_shown, version) ? (int)link->level : -1;
	domain->name = g_strdup(level->name);
	domain->flags = flags_text(link->flags, version);
	domain->span = cpus_ref(link->span);
	domain->rule = g_strdup(level->rule);
	for (unsigned i = 0; i < link->ring.groups->len; i++) {
		const struct group *group = ring_get(&link->ring, i);
		struct domain_group *shown = domain_add_group(domain, cpus_ref(group->span));

		shown->mask = group->mask ? cpus_ref(group->mask) : NULL;
		shown->id = group->id;
	}
}

struct domain_tree *build_domains(const struct machine *machine, GPtrArray *levels,
				  GHashTable *spans)
{
	struct domain_tree *tree = domain_tree_new();
	AUTO(groups) *groups = NULL;

	chains_cut(machine, levels);
	groups = groups_new(levels, spans);
	for (unsigned cpu = 0; cpu < machine->n_cpus; cpu++) {
		g_autoptr(GArray) chain = chain_new(groups, levels, cpu);

		chain_degenerate(chain, machine->version);
		domain_tree_touch(tree, cpu);
		for (unsigned i = 0; i < chain->len; i++) {
			const struct link *link = &g_array_index(chain, struct link, i);

			domain_fill(domain_tree_append(tree, cpu), link, levels->pdata[link->level],
				    machine->version);
		}
	}
	return tree;
}
