// SPDX-License-Identifier: GPL-2.0-only
#include "test_verdict_help.h"

struct fault {
	const char *name;
	void (*make)(struct domain_tree *tree);
	const char *check;
	enum verdict verdict;
	int level;
	const char *cpus;
};

static void other_span(struct domain_tree *tree)
{
	for (unsigned cpu = 0; cpu < 4; cpu++)
		replace_set(&domain_tree_get(tree, cpu, 1)->span, "0-4");
}

static void other_name(struct domain_tree *tree)
{
	struct domain *domain = domain_tree_get(tree, 5, 2);

	g_free(domain->name);
	domain->name = g_strdup("NODE");
}

static void flag_lost(struct domain_tree *tree)
{
	struct domain *domain = domain_tree_get(tree, 15, 0);

	g_free(domain->flags);
	domain->flags =
		g_strdup("SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
			 "SD_SHARE_CPUCAPACITY SD_SHARE_LLC");
}

static void flags_swapped(struct domain_tree *tree)
{
	struct domain *domain = domain_tree_get(tree, 3, 1);

	g_free(domain->flags);
	domain->flags =
		g_strdup("SD_BALANCE_EXEC SD_BALANCE_NEWIDLE SD_BALANCE_FORK SD_WAKE_AFFINE "
			 "SD_SHARE_LLC SD_PREFER_SIBLING");
}

static void other_level(struct domain_tree *tree)
{
	domain_tree_get(tree, 0, 1)->level = 3;
}

static void level_hidden(struct domain_tree *tree)
{
	domain_tree_get(tree, 0, 1)->level = -1;
}

static void flags_hidden(struct domain_tree *tree)
{
	g_clear_pointer(&domain_tree_get(tree, 2, 0)->flags, g_free);
}

static void groups_hidden(struct domain_tree *tree)
{
	g_clear_pointer(&domain_tree_get(tree, 2, 0)->groups, g_ptr_array_unref);
}

static void domain_more(struct domain_tree *tree)
{
	add_domain(tree, 9, "NUMA", 5, "0-15", FLAGS_NUMA, "0-15");
}

static void cpu_more(struct domain_tree *tree)
{
	add_domain(tree, 16, "NUMA", 4, "0-16", FLAGS_NUMA, "0-16");
}

static void group_moved(struct domain_tree *tree)
{
	struct domain_group *group = domain_tree_get(tree, 7, 2)->groups->pdata[3];

	replace_set(&group->span, "0-2");
}

/* The kernel's id of a group is its first CPU that balances; 0 belongs to the node before. */
static void group_id(struct domain_tree *tree)
{
	struct domain_group *group = domain_tree_get(tree, 7, 2)->groups->pdata[0];

	group->id = 0;
}

static void group_mask(struct domain_tree *tree)
{
	struct domain_group *group = domain_tree_get(tree, 7, 2)->groups->pdata[3];

	group->mask = set_of("1");
}

static const struct fault faults[] = {
	{"group", group_moved, "domains.rules", VERDICT_FAIL, 2, "7"},
	{"group-mask", group_mask, "domains.rules", VERDICT_FAIL, 2, "7"},
	{"group-id", group_id, "domains.rules", VERDICT_FAIL, 2, "7"},
	{"span", other_span, "domains.rules", VERDICT_FAIL, 1, "0-3"},
	{"name", other_name, "domains.rules", VERDICT_FAIL, 2, "5"},
	{"flag-lost", flag_lost, "domains.rules", VERDICT_FAIL, 0, "15"},
	{"flags-swapped", flags_swapped, "domains.rules", VERDICT_FAIL, 1, "3"},
	{"level", other_level, "domains.rules", VERDICT_FAIL, 1, "0"},
	{"domain-more", domain_more, "domains.rules", VERDICT_FAIL, 3, "9"},
	{"level-hidden", level_hidden, "domains.cpus", VERDICT_ERROR, 1, "0"},
	{"flags-hidden", flags_hidden, "domains.cpus", VERDICT_ERROR, 0, "2"},
	{"groups-hidden", groups_hidden, "domains.cpus", VERDICT_ERROR, 0, "2"},
	{"cpu-more", cpu_more, "domains.cpus", VERDICT_ERROR, -1, NULL},
};

static void test_fault(gconstpointer data)
{
	const struct fault *fault = data;
	AUTO(domain_tree) *expected = tree_of_scx_1434();
	AUTO(domain_tree) *observed = tree_of_scx_1434();
	AUTO(cpus) *online = set_of("0-15");
	AUTO(checks) *checks = checks_new();

	fault->make(observed);
	compare_rules(expected, observed, online, checks);
	g_assert_cmpint(checks_verdict(checks), ==, fault->verdict);
	assert_check(checks, fault->check, fault->verdict, fault->cpus);
	g_assert_cmpint(find_check(checks, fault->check)->level, ==, fault->level);
}

static void test_equal(void)
{
	AUTO(domain_tree) *expected = tree_of_scx_1434();
	AUTO(domain_tree) *observed = tree_of_scx_1434();
	AUTO(cpus) *online = set_of("0-15");
	AUTO(checks) *checks = checks_new();

	compare_rules(expected, observed, online, checks);
	g_assert_cmpint(checks_verdict(checks), ==, VERDICT_PASS);
	/* 16 CPUs of three domains each. */
	g_assert_cmpstr(find_check(checks, "domains.rules")->reason, ==, "48 domains compared");
}

/* debugfs ends the flags with a blank; that is no other flag. */
static void test_flags_end_in_blank(void)
{
	AUTO(domain_tree) *expected = tree_of_scx_1434();
	AUTO(domain_tree) *observed = tree_of_scx_1434();
	AUTO(cpus) *online = set_of("0-15");
	AUTO(checks) *checks = checks_new();
	struct domain *domain = domain_tree_get(observed, 0, 0);

	g_free(domain->flags);
	domain->flags = g_strdup(FLAGS_SMT " ");
	compare_rules(expected, observed, online, checks);
	g_assert_cmpint(checks_verdict(checks), ==, VERDICT_PASS);
}

/* Without debugfs 6.12 shows no name. That is not another name, and no fault of the kernel. */
static void test_names_hidden(void)
{
	AUTO(domain_tree) *expected = tree_of_scx_1434();
	AUTO(domain_tree) *observed = tree_of_scx_1434();
	AUTO(cpus) *online = set_of("0-15");
	AUTO(checks) *checks = checks_new();

	CPUS_FOREACH (cpu, online)
		for (unsigned i = 0; i < 3; i++)
			g_clear_pointer(&domain_tree_get(observed, (unsigned)cpu, i)->name, g_free);
	compare_rules(expected, observed, online, checks);
	assert_check(checks, "domains.cpus", VERDICT_ERROR, "0-15");
	assert_check(checks, "domains.rules", VERDICT_PASS, NULL);
}

/* A CPU that schedstat does not have, and one whose whole chain is gone. */
static void test_cpus_lost(void)
{
	AUTO(domain_tree) *expected = tree_of_scx_1434();
	AUTO(domain_tree) *observed = domain_tree_new();
	AUTO(cpus) *online = set_of("0-15");
	AUTO(checks) *checks = checks_new();

	for (unsigned cpu = 0; cpu < 15; cpu++)
		domain_tree_touch(observed, cpu);
	compare_rules(expected, observed, online, checks);
	assert_check(checks, "domains.cpus", VERDICT_ERROR, NULL);
	g_assert_cmpstr(find_check(checks, "domains.cpus")->observed, ==, "0-14");
	assert_check(checks, "domains.rules", VERDICT_FAIL, "0-1");
	g_assert_cmpstr(find_check(checks, "domains.rules")->observed, ==, "no domain");
}

static void test_empty_trees(void)
{
	AUTO(domain_tree) *expected = domain_tree_new();
	AUTO(domain_tree) *observed = domain_tree_new();
	AUTO(cpus) *online = cpus_new();
	AUTO(checks) *checks = checks_new();

	compare_rules(expected, observed, online, checks);
	assert_check(checks, "domains.cpus", VERDICT_ERROR, NULL);
	assert_check(checks, "domains.rules", VERDICT_ERROR, NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/verdict/rules/equal", test_equal);
	g_test_add_func("/verdict/rules/blank", test_flags_end_in_blank);
	g_test_add_func("/verdict/rules/names-hidden", test_names_hidden);
	g_test_add_func("/verdict/rules/cpus-lost", test_cpus_lost);
	g_test_add_func("/verdict/rules/empty", test_empty_trees);
	for (unsigned i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *path = g_strdup_printf("/verdict/rules/fault/%s", faults[i].name);

		g_test_add_data_func(path, &faults[i], test_fault);
	}
	return g_test_run();
}
