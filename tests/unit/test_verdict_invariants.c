// SPDX-License-Identifier: GPL-2.0-only
#include "test_verdict_help.h"

struct fault {
	const char *name;
	void (*make)(struct domain_tree *tree);
	const char *check;
	const char *cpus;
	const char *words; /* that the reason must have */
};

static void chain_lost(struct domain_tree *tree)
{
	/* A tree cannot forget, so CPU 16 is one that never had a chain. */
	domain_tree_touch(tree, 16);
	for (unsigned cpu = 0; cpu < 16; cpu++)
		replace_set(&domain_tree_get(tree, cpu, 2)->span, "0-16");
}

static void own_cpu_left_out(struct domain_tree *tree)
{
	replace_set(&domain_tree_get(tree, 6, 0)->span, "7");
}

static void offline_in_span(struct domain_tree *tree)
{
	replace_set(&domain_tree_get(tree, 6, 2)->span, "0-15,40");
}

static void child_sticks_out(struct domain_tree *tree)
{
	replace_set(&domain_tree_get(tree, 6, 1)->span, "4-7,12");
	replace_set(&domain_tree_get(tree, 6, 2)->span, "0-11,13-15");
}

static void parent_smaller(struct domain_tree *tree)
{
	replace_set(&domain_tree_get(tree, 8, 0)->span, "8-12");
}

static void levels_fall(struct domain_tree *tree)
{
	domain_tree_get(tree, 8, 1)->level = 0;
}

static void half_remote(struct domain_tree *tree)
{
	for (unsigned cpu = 0; cpu < 4; cpu++)
		replace_set(&domain_tree_get(tree, cpu, 2)->span, "0-11");
}

static void llcs_overlap(struct domain_tree *tree)
{
	for (unsigned cpu = 0; cpu < 4; cpu++)
		replace_set(&domain_tree_get(tree, cpu, 1)->span, "0-4");
}

static void set_group(struct domain_tree *tree, unsigned cpu, unsigned index, unsigned group,
		      const char *list)
{
	struct domain *domain = domain_tree_get(tree, cpu, index);
	struct domain_group *chosen = domain->groups->pdata[group];

	replace_set(&chosen->span, list);
}

static void first_group_other(struct domain_tree *tree)
{
	set_group(tree, 13, 1, 0, "14-15");
	set_group(tree, 13, 1, 1, "12-13");
}

static void bottom_group_wide(struct domain_tree *tree)
{
	set_group(tree, 13, 0, 0, "12-13");
}

static void group_lost_cpu(struct domain_tree *tree)
{
	set_group(tree, 3, 2, 2, "8,10-11");
}

static void group_reaches_out(struct domain_tree *tree)
{
	set_group(tree, 3, 1, 1, "0-1,9");
}

static void nobody_balances(struct domain_tree *tree)
{
	struct domain_group *group = domain_tree_get(tree, 10, 2)->groups->pdata[1];

	group->mask = cpus_new();
}

static void stranger_balances(struct domain_tree *tree)
{
	struct domain_group *group = domain_tree_get(tree, 10, 2)->groups->pdata[1];

	group->mask = set_of("0");
}

/* All CPUs balance with each other. */
static void check_one_map(const struct domain_tree *tree, struct cpus *online,
			  struct checks *checks)
{
	g_autoptr(GPtrArray) maps = g_ptr_array_new();

	g_ptr_array_add(maps, online);
	check_invariants(tree, online, maps, checks);
}

static const struct fault faults[] = {
	{"chain-lost", chain_lost, "invariants.present", "16", "no domain"},
	{"own-cpu", own_cpu_left_out, "invariants.own-span", "6", "SMT leaves its own CPU out"},
	{"offline", offline_in_span, "invariants.online", "6", "not online"},
	{"child-sticks-out", child_sticks_out, "invariants.nested", "6", "CPUs 12 of its child MC"},
	{"parent-smaller", parent_smaller, "invariants.ordered", "8", "smaller than its child SMT"},
	{"levels-fall", levels_fall, "invariants.ordered", "8", "level 0"},
	{"half-remote", half_remote, "invariants.meet", "0-3", "CPUs 12-15"},
	{"llcs-overlap", llcs_overlap, "invariants.disjoint", NULL, "and is not the same"},
	{"first-group", first_group_other, "invariants.first-group", "13", "span of SMT"},
	{"bottom-group", bottom_group_wide, "invariants.first-group", "13", "the CPU itself"},
	{"group-lost", group_lost_cpu, "invariants.groups-cover", "3", "CPUs 9 of its span"},
	{"group-out", group_reaches_out, "invariants.groups-cover", "3", "CPUs 9"},
	{"nobody-balances", nobody_balances, "invariants.balance-mask", "10", "nobody"},
	{"stranger-balances", stranger_balances, "invariants.balance-mask", "10", "outside"},
};

static void test_fault(gconstpointer data)
{
	const struct fault *fault = data;
	AUTO(domain_tree) *tree = tree_of_scx_1434();
	AUTO(cpus) *online = cpus_new();
	AUTO(checks) *checks = checks_new();

	fault->make(tree);
	cpus_or(online, domain_tree_cpus(tree));
	check_one_map(tree, online, checks);
	/* Which of two overlapping spans is told first is not defined. */
	if (fault->cpus)
		assert_check(checks, fault->check, VERDICT_FAIL, fault->cpus);
	g_assert_nonnull(strstr(find_check(checks, fault->check)->reason, fault->words));
	g_assert_nonnull(find_check(checks, fault->check)->rule);
}

static void test_healthy(void)
{
	AUTO(domain_tree) *tree = tree_of_scx_1434();
	AUTO(cpus) *online = set_of("0-15");
	AUTO(checks) *checks = checks_new();

	check_one_map(tree, online, checks);
	for (guint i = 0; i < checks_count(checks); i++)
		g_assert_cmpint(checks_get(checks, i)->verdict, ==, VERDICT_PASS);
	g_assert_cmpint(checks_verdict(checks), ==, VERDICT_PASS);
}

/*
 * What 6.12 builds from the SLIT of Granite Rapids in SNC3, as its own log shows for CPU 0: the top
 * domain spans all twelve CPUs and its groups lack node 4, which is CPUs 8 and 9 (Linux commit
 * 4d6dd05d07d0 describes the fault).
 */
static void test_snc3_slit(void)
{
	AUTO(domain_tree) *tree = domain_tree_new();
	AUTO(cpus) *online = set_of("0-11");
	AUTO(checks) *checks = checks_new();

	for (unsigned cpu = 0; cpu < 12; cpu++) {
		g_autofree char *mc = g_strdup_printf("%u-%u", cpu & ~1u, cpu | 1);
		g_autofree char *own = g_strdup_printf("%u;%u", cpu, cpu ^ 1);

		add_domain(tree, cpu, "MC", 2, mc, FLAGS_MC, own);
		if (cpu < 2) {
			add_domain(tree, cpu, "NUMA", 7, "0-7,10-11", FLAGS_NUMA,
				   "0-1;2-3;4-5;6-7;10-11");
			add_domain(tree, cpu, "NUMA", 8, "0-11", FLAGS_NUMA, "0-7,10-11");
		}
	}
	check_one_map(tree, online, checks);
	assert_check(checks, "invariants.groups-cover", VERDICT_FAIL, "0-1");
	g_assert_cmpint(find_check(checks, "invariants.groups-cover")->level, ==, 2);
	g_assert_nonnull(strstr(find_check(checks, "invariants.groups-cover")->reason, "CPUs 8-9"));
}

/* Without groups nothing is known about them, and that is not a pass. */
static void test_groups_not_shown(void)
{
	AUTO(domain_tree) *tree = domain_tree_new();
	AUTO(cpus) *online = set_of("0-1");
	AUTO(checks) *checks = checks_new();

	for (unsigned cpu = 0; cpu < 2; cpu++)
		add_domain(tree, cpu, "MC", 2, "0-1", FLAGS_MC, NULL);
	check_one_map(tree, online, checks);
	assert_check(checks, "invariants.meet", VERDICT_PASS, NULL);
	assert_check(checks, "invariants.first-group", VERDICT_ERROR, NULL);
	assert_check(checks, "invariants.groups-cover", VERDICT_ERROR, NULL);
}

/* Levels below NUMA are disjoint; NUMA levels overlap on machines whose nodes form a ring. */
static void test_numa_may_overlap(void)
{
	static const char *const spans[] = {"0-1,3", "0-2", "1-3", "0,2-3"};
	AUTO(domain_tree) *tree = domain_tree_new();
	AUTO(cpus) *online = set_of("0-3");
	AUTO(checks) *checks = checks_new();

	for (unsigned cpu = 0; cpu < 4; cpu++) {
		add_domain(tree, cpu, "NUMA", 4, spans[cpu], FLAGS_NUMA, NULL);
		add_domain(tree, cpu, "NUMA", 5, "0-3", FLAGS_NUMA, NULL);
	}
	check_one_map(tree, online, checks);
	assert_check(checks, "invariants.disjoint", VERDICT_PASS, NULL);
	assert_check(checks, "invariants.nested", VERDICT_PASS, NULL);
	assert_check(checks, "invariants.meet", VERDICT_PASS, NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/verdict/invariants/healthy", test_healthy);
	g_test_add_func("/verdict/invariants/snc3-slit", test_snc3_slit);
	g_test_add_func("/verdict/invariants/groups-not-shown", test_groups_not_shown);
	g_test_add_func("/verdict/invariants/numa-may-overlap", test_numa_may_overlap);
	for (unsigned i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *path =
			g_strdup_printf("/verdict/invariants/fault/%s", faults[i].name);

		g_test_add_data_func(path, &faults[i], test_fault);
	}
	return g_test_run();
}
