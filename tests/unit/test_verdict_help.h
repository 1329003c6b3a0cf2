/* SPDX-License-Identifier: GPL-2.0-only */
/* Domain trees by hand, and what the checks said about them. */
#ifndef TEST_VERDICT_HELP_H
#define TEST_VERDICT_HELP_H

#include "base/cpus.h"
#include "verdict/compare.h"

#include <string.h>

#define FLAGS_SMT                                                                                  \
	"SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE SD_SHARE_CPUCAPACITY "  \
	"SD_SHARE_LLC SD_PREFER_SIBLING"
#define FLAGS_MC                                                                                   \
	"SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE SD_SHARE_LLC "          \
	"SD_PREFER_SIBLING"
#define FLAGS_NUMA                                                                                 \
	"SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE SD_SERIALIZE "          \
	"SD_OVERLAP "                                                                              \
	"SD_NUMA"

static inline struct cpus *set_of(const char *list)
{
	struct cpus *set = cpus_parse_list(list, NULL);

	g_assert_nonnull(set);
	return set;
}

static inline void replace_set(struct cpus **set, const char *list)
{
	cpus_unref(*set);
	*set = set_of(list);
}

/* @groups: lists, ';' between them; NULL: not shown. */
static inline struct domain *add_domain(struct domain_tree *tree, unsigned cpu, const char *name,
					int level, const char *span, const char *flags,
					const char *groups)
{
	struct domain *domain = domain_tree_append(tree, cpu);
	g_auto(GStrv) lists = groups ? g_strsplit(groups, ";", -1) : NULL;

	domain->name = g_strdup(name);
	domain->level = level;
	domain->flags = g_strdup(flags);
	domain->rule = g_strdup("the test's row");
	if (domain->span)
		cpus_unref(domain->span);
	domain->span = set_of(span);
	for (unsigned i = 0; lists && lists[i]; i++) {
		AUTO(cpus) *group = set_of(lists[i]);

		domain_add_group(domain, cpus_ref(group));
	}
	return domain;
}

/*
 * 16 CPUs: 4 nodes of 2 cores of 2 threads. sched-ext/scx pull request 1434 shows it on a healthy
 * kernel: CPU 0 has SMT 0-1, MC 0-3 and NUMA 0-15 with the groups 0-3, 4-7, 8-11, 12-15.
 */
static inline struct domain_tree *tree_of_scx_1434(void)
{
	static const char *const numa_groups[] = {
		"0-3;4-7;8-11;12-15",
		"4-7;8-11;12-15;0-3",
		"8-11;12-15;0-3;4-7",
		"12-15;0-3;4-7;8-11",
	};
	struct domain_tree *tree = domain_tree_new();

	for (unsigned cpu = 0; cpu < 16; cpu++) {
		unsigned core = cpu & ~1u, node = cpu & ~3u;
		g_autofree char *smt = g_strdup_printf("%u-%u", core, core + 1);
		g_autofree char *mc = g_strdup_printf("%u-%u", node, node + 3);
		g_autofree char *smt_groups = g_strdup_printf("%u;%u", cpu, cpu ^ 1);
		g_autofree char *mc_groups =
			g_strdup_printf("%u-%u;%u-%u", core, core + 1, core ^ 2, (core ^ 2) + 1);

		add_domain(tree, cpu, "SMT", 0, smt, FLAGS_SMT, smt_groups);
		add_domain(tree, cpu, "MC", 2, mc, FLAGS_MC, mc_groups);
		add_domain(tree, cpu, "NUMA", 4, "0-15", FLAGS_NUMA, numa_groups[cpu / 4]);
	}
	return tree;
}

/* The first check of that name that did not pass, or the one that did; NULL: no such check. */
static inline const struct check *find_check(const struct checks *checks, const char *name)
{
	const struct check *passed = NULL;

	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);

		if (strcmp(check->name, name) != 0)
			continue;
		if (check->verdict != VERDICT_PASS)
			return check;
		passed = check;
	}
	return passed;
}

static inline void assert_check(const struct checks *checks, const char *name, enum verdict verdict,
				const char *cpus)
{
	const struct check *check = find_check(checks, name);

	g_assert_nonnull(check);
	g_assert_cmpstr(verdict_name(check->verdict), ==, verdict_name(verdict));
	g_assert_cmpstr(check->cpus, ==, cpus);
}

#endif
