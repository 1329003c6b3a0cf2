// SPDX-License-Identifier: GPL-2.0-only
/*
 * What boot arguments make of a machine's domains. Values are from the public reports that are
 * named with them, or from the kernel function that does it.
 */
#include "base/error.h"
#include "expect/situation.h"
#include "test_expect.h"

#define KERNEL_6_1  "6.1.0-30-cloud-amd64"
#define KERNEL_6_12 "6.12.117+deb12-cloud-amd64"
#define KERNEL_7_3  "7.3.4+deb13-cloud-amd64"

/* Four cores of two threads on one LLC. */
static const struct shape one_llc = {SAPPHIRE_RAPIDS, .packages = 1, .llcs = 1,
				     .cores = 4,      .threads = 2,  .nodes = 1};
static const struct shape eight_cores = {SAPPHIRE_RAPIDS, .packages = 1, .llcs = 1,
					 .cores = 8,	  .threads = 1,	 .nodes = 1};
/* Two packages of two nodes of two CCXs of two cores. */
static const struct shape two_nodes_each = {MILAN,
					    .packages = 2,
					    .llcs = 4,
					    .cores = 2,
					    .threads = 1,
					    .nodes = 2,
					    .slit = "{same-package: 12, other-package: 32}"};

static struct domain_tree *booted(const struct shape *shape, const char *release, const char *line)
{
	AUTO(topo) *topo = topo_of(shape);
	AUTO(kernel_facts) *facts = kernel_facts_new(release, NULL);
	g_autoptr(GError) error = NULL;
	AUTO(situation) *situation = situation_new(topo, facts, line, &error);
	struct domain_tree *tree;

	g_assert_no_error(error);
	tree = expect_domains(topo, facts, situation, &error);
	g_assert_no_error(error);
	return tree;
}

static gint64 number(const struct domain_tree *tree, unsigned cpu, enum domain_number which)
{
	g_assert_cmpuint(domain_tree_depth(tree, cpu), >, 0);
	return domain_tree_get(tree, cpu, 0)->number[which];
}

/*
 * 8e8e23dea43e "sched/topology: Compute sd_weight considering cpuset partitions" (7.1): before, the
 * interval of a domain is that of its level's whole mask.
 */
static void test_isolcpus(void)
{
	static const struct {
		const char *release;
		gint64 interval; /* -1: a later stable kernel, which may have the fix */
	} rows[] = {
		{"6.1.192-cloud-amd64", 8},
		{KERNEL_6_12, 8},
		{"6.12.118+deb12-cloud-amd64", -1},
		{"7.0.0", -1},
		{KERNEL_7_3, 4},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		AUTO(domain_tree) *tree =
			booted(&eight_cores, rows[i].release, "quiet isolcpus=domain,4-7");

		assert_chain(tree, 0, "MC 0-3");
		assert_chain(tree, 5, "");
		g_assert_true(cpus_has(domain_tree_cpus(tree), 5));
		g_assert_cmpint(number(tree, 0, DOMAIN_MIN_INTERVAL), ==, rows[i].interval);
		g_assert_cmpint(number(tree, 0, DOMAIN_MAX_INTERVAL), ==,
				rows[i].interval < 0 ? -1 : 2 * rows[i].interval);
	}
}

/* housekeeping_isolcpus_setup(): the flags say what is isolated, "domain" where there is none. */
static void test_isolcpus_flags(void)
{
	AUTO(domain_tree) *plain = booted(&eight_cores, KERNEL_7_3, "isolcpus=6,7");
	AUTO(domain_tree) *nohz = booted(&eight_cores, KERNEL_7_3, "isolcpus=nohz,managed_irq,6");
	AUTO(domain_tree) *both = booted(&eight_cores, KERNEL_7_3, "isolcpus=nohz,domain,7");

	assert_chain(plain, 0, "MC 0-5");
	assert_chain(nohz, 0, "MC 0-7");
	assert_chain(both, 0, "MC 0-6");
}

/* housekeeping_setup(): without NO_HZ_FULL "nohz" makes it nothing; a second list is ignored. */
static void test_isolcpus_ignored(void)
{
	AUTO(topo) *topo = topo_of(&eight_cores);
	AUTO(kernel_facts) *facts = kernel_facts_new(KERNEL_6_12, NULL);
	AUTO(situation) *nohz = NULL;
	AUTO(domain_tree) *twice = booted(&eight_cores, KERNEL_6_12, "isolcpus=7 isolcpus=6");

	kernel_facts_set_config(facts, "# CONFIG_NO_HZ_FULL is not set\n");
	nohz = situation_new(topo, facts, "isolcpus=nohz,domain,7", NULL);
	g_assert_true(cpus_is_empty(nohz->isolated));
	assert_chain(twice, 0, "MC 0-6");
}

/*
 * build_sched_topology() of 7.3 skips the SMT row when cpu_smt_num_threads is 1, and debugfs then
 * counts CLS as level 0; before 6.17 the row is there, and every domain of it has one CPU.
 */
static void test_nosmt(void)
{
	AUTO(domain_tree) *old = booted(&one_llc, KERNEL_6_12, "nosmt");
	AUTO(domain_tree) *new = booted(&one_llc, KERNEL_7_3, "nosmt=force");

	assert_chain(old, 0, "MC 0,2,4,6");
	assert_levels(old, 0, "2");
	assert_chain(new, 2, "MC 0,2,4,6");
	assert_levels(new, 2, "1");
	g_assert_false(cpus_has(domain_tree_cpus(new), 1));
}

/*
 * x86_has_numa_in_package of 6.x is set when a second CPU of a package on another node comes up
 * (set_cpu_sibling_map()); 7.0 counts the nodes of the SRAT.
 */
static void test_maxcpus(void)
{
	AUTO(domain_tree) *old = booted(&two_nodes_each, KERNEL_6_12, "maxcpus=4");
	AUTO(domain_tree) *new = booted(&two_nodes_each, KERNEL_7_3, "maxcpus=4");
	AUTO(domain_tree) *whole = booted(&two_nodes_each, KERNEL_6_12, "maxcpus=5");
	AUTO(domain_tree) *none = booted(&two_nodes_each, KERNEL_6_12, "nr_cpus=3");

	assert_chain(old, 0, "MC 0-1; PKG 0-3");
	assert_chain(new, 0, "MC 0-1; NODE 0-3");
	assert_chain(whole, 0, "MC 0-1; NODE 0-3; NUMA 0-4");
	assert_chain(none, 0, "MC 0-1; PKG 0-2");
	assert_chain(none, 2, "PKG 0-2");
}

/*
 * cpuhp_bringup_cpus_parallel(), 6.5: the first threads first. kstrtobool() reads the switch, and
 * the last one counts; nrcpus() only ever lowers the number.
 */
static void test_parallel(void)
{
	static const struct {
		const char *line, *chain;
	} rows[] = {
		{"maxcpus=4", "MC 0,2,4,6"},
		{"maxcpus=4 cpuhp.parallel=no", "SMT 0-1; MC 0-3"},
		{"maxcpus=4 cpuhp.parallel=OFF", "SMT 0-1; MC 0-3"},
		{"maxcpus=4 cpuhp.parallel=0 cpuhp.parallel=on", "MC 0,2,4,6"},
		{"maxcpus=4 cpuhp.parallel=0 cpuhp.parallel=maybe", "SMT 0-1; MC 0-3"},
		{"maxcpus=4 cpuhp.parallel=0 cpuhp.parallel", "SMT 0-1; MC 0-3"},
		{"nr_cpus=4 nr_cpus=6", "SMT 0-1; MC 0-3"},
		{"nr_cpus=6 nr_cpus=4", "SMT 0-1; MC 0-3"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		AUTO(domain_tree) *tree = booted(&one_llc, KERNEL_6_12, rows[i].line);

		assert_chain(tree, 0, rows[i].chain);
	}
}

/*
 * topology_init_possible_cpus() of 7.3 divides the threads that it numbers by their cores: with the
 * first threads alone there is no SMT row, and CLS is level 0.
 */
static void test_nr_cpus(void)
{
	struct shape threads_last = one_llc;
	AUTO(domain_tree) *some = booted(&one_llc, KERNEL_7_3, "nr_cpus=3");
	AUTO(domain_tree) *none = NULL;

	threads_last.numbering = "threads-last";
	none = booted(&threads_last, KERNEL_7_3, "nr_cpus=4");
	assert_chain(some, 0, "SMT 0-1; MC 0-2");
	assert_levels(some, 0, "0 2");
	assert_chain(none, 0, "MC 0-3");
	assert_levels(none, 0, "1");
}

/* bringup_nonboot_cpus(): side by side since 6.5, first threads before their siblings. */
static void test_maxcpus_threads(void)
{
	AUTO(domain_tree) *serial = booted(&one_llc, KERNEL_6_12, "maxcpus=3 cpuhp.parallel=off");
	AUTO(domain_tree) *parallel = booted(&one_llc, KERNEL_6_12, "maxcpus=3");
	AUTO(domain_tree) *old = booted(&one_llc, KERNEL_6_1, "maxcpus=3");

	assert_chain(serial, 0, "SMT 0-1; MC 0-2");
	assert_chain(parallel, 0, "MC 0,2,4");
	assert_chain(old, 0, "SMT 0-1; MC 0-2");
}

/* numa_setup(): dummy_numa_init() puts all CPUs on node 0; match_llc() has nothing to cut. */
static void test_numa_off(void)
{
	AUTO(domain_tree) *old = booted(&two_nodes_each, KERNEL_6_12, "numa=off");
	AUTO(domain_tree) *new = booted(&two_nodes_each, KERNEL_7_3, "numa=off");

	assert_chain(old, 0, "MC 0-1; PKG 0-15");
	assert_chain(new, 15, "MC 14-15; PKG 0-15");
}

/* match_llc() of 7.3: cores whose number leaves the same remainder share the LLC. */
static void test_split_llc(void)
{
	AUTO(domain_tree) *split = booted(&one_llc, KERNEL_7_3, "split_llc=2");
	AUTO(domain_tree) *older = booted(&one_llc, KERNEL_6_12, "split_llc=2");

	assert_chain(split, 0, "SMT 0-1; MC 0-1,4-5; PKG 0-7");
	assert_chain(split, 3, "SMT 2-3; MC 2-3,6-7; PKG 0-7");
	assert_chain(older, 0, "SMT 0-1; MC 0-7");
}

/* set_domain_attribute(): no SD_BALANCE_NEWIDLE from the level on that is asked for. */
static void test_relax(void)
{
	AUTO(domain_tree) *tree = booted(&one_llc, KERNEL_6_12, "relax_domain_level=2");

	assert_flags(tree, 0, 0,
		     "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
		     "SD_SHARE_CPUCAPACITY SD_SHARE_LLC SD_PREFER_SIBLING");
	assert_flags(tree, 0, 1,
		     "SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE SD_SHARE_LLC "
		     "SD_PREFER_SIBLING");
}

/*
 * bf2dc42d6beb "sched/topology: Propagate SMT flags when removing degenerate domain" (6.6): CLS,
 * which equals SMT here, goes, and the groups of MC have the flags of SMT.
 */
static void test_groups_flags(void)
{
	AUTO(domain_tree) *tree = booted(&one_llc, KERNEL_6_12, "");
	AUTO(domain_tree) *old = booted(&one_llc, KERNEL_6_1, "");

	g_assert_cmpstr(domain_tree_get(tree, 0, 1)->groups_flags, ==,
			"SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
			"SD_SHARE_CPUCAPACITY SD_SHARE_LLC SD_PREFER_SIBLING");
	g_assert_cmpstr(domain_tree_get(tree, 0, 0)->groups_flags, ==, "");
	g_assert_null(domain_tree_get(old, 0, 1)->groups_flags);
	g_assert_cmpint(number(tree, 0, DOMAIN_IMBALANCE_PCT), ==, 110);
	g_assert_cmpint(number(tree, 0, DOMAIN_CACHE_NICE_TRIES), ==, 0);
}

/*
 * CPUs that ACPI adds are present and are not started: smp_init() comes before acpi_scan_init().
 * The nodes of 7.0's count are the SRAT's, which has them all.
 */
static void test_added(void)
{
	static const int order[] = {0, 1, 2, 3, 4, 5, 6, 7};
	AUTO(topo) *whole = topo_of(&eight_cores);
	AUTO(topo) *topo = topo_renumbered(whole, order, 8, 4);
	AUTO(kernel_facts) *facts = kernel_facts_new(KERNEL_7_3, NULL);
	AUTO(situation) *situation = situation_new(topo, facts, "", NULL);
	AUTO(situation) *fewer = situation_new(topo, facts, "maxcpus=2", NULL);
	g_autoptr(GError) error = NULL;
	g_autofree char *present = cpus_to_list(situation->present);
	g_autofree char *online = cpus_to_list(situation->online);
	g_autofree char *two = cpus_to_list(fewer->online);

	g_assert_cmpuint(topo_n_added(whole), ==, 0);
	g_assert_cmpstr(present, ==, "0-7");
	g_assert_cmpstr(online, ==, "0-3");
	g_assert_cmpstr(two, ==, "0-1");
	g_assert_null(situation_new(topo, facts, "nr_cpus=6", &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/situation/isolcpus", test_isolcpus);
	g_test_add_func("/situation/isolcpus-flags", test_isolcpus_flags);
	g_test_add_func("/situation/isolcpus-ignored", test_isolcpus_ignored);
	g_test_add_func("/situation/parallel", test_parallel);
	g_test_add_func("/situation/nosmt", test_nosmt);
	g_test_add_func("/situation/maxcpus", test_maxcpus);
	g_test_add_func("/situation/nr-cpus", test_nr_cpus);
	g_test_add_func("/situation/maxcpus-threads", test_maxcpus_threads);
	g_test_add_func("/situation/numa-off", test_numa_off);
	g_test_add_func("/situation/split-llc", test_split_llc);
	g_test_add_func("/situation/added", test_added);
	g_test_add_func("/situation/relax", test_relax);
	g_test_add_func("/situation/groups-flags", test_groups_flags);
	return g_test_run();
}
