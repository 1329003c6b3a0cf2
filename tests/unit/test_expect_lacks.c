// SPDX-License-Identifier: GPL-2.0-only
/* The rules for processors that lack a leaf of CPUID which says who shares what. */
#include "test_expect.h"

/*
 * cba4262a19af: Linux reads leaf 0xb of an AMD CPU without TOPOEXT, too; 6.12.48 and 6.16.8 have it
 * by their change logs. The LLC has always been the package then.
 */
static void test_topoext(void)
{
	static const struct {
		const char *release, *chain;
	} cases[] = {
		{"6.1.192", "MC 0-7; NUMA 0-15"},
		{"6.11.0", "MC 0-7; NUMA 0-15"},
		{"6.12.47", "MC 0-7; NUMA 0-15"},
		{"6.12.48", "SMT 0-1; MC 0-7; NUMA 0-15"},
		{"6.12.117", "SMT 0-1; MC 0-7; NUMA 0-15"},
		{"6.13.0", "MC 0-7; NUMA 0-15"},
		{"6.16.7", "MC 0-7; NUMA 0-15"},
		{"6.16.8", "SMT 0-1; MC 0-7; NUMA 0-15"},
		{"7.3.4", "SMT 0-1; MC 0-7; NUMA 0-15"},
	};
	const struct shape shape = {
		MILAN,
		.packages = 2,
		.llcs = 1,
		.cores = 4,
		.threads = 2,
		.nodes = 1,
		.slit = "[[10, 32], [32, 10]]",
		.lacks = "topoext",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(domain_tree) *tree = expect_shape(&shape, cases[i].release);

		assert_chain(tree, 0, cases[i].chain);
	}
}

/*
 * What no kernel knows to be threads nosmt leaves alone: topology_is_primary_thread() of 6.1 holds
 * for all CPUs when smp_num_siblings is 1.
 */
static void test_topoext_nosmt(void)
{
	const struct shape shape = {
		MILAN,	      .packages = 1, .llcs = 1,	      .cores = 4,
		.threads = 2, .nodes = 1,    .boot = "nosmt", .lacks = "topoext",
	};
	AUTO(domain_tree) *blind = expect_shape(&shape, "6.1.192");
	AUTO(domain_tree) *seeing = expect_shape(&shape, "6.12.117");

	assert_chain(blind, 0, "MC 0-7");
	assert_chain(seeing, 0, "MC 0,2,4,6");
}

/* 5754ace3c319: the package is an AMD CPU's LLC when there is no L3. */
static void test_l3_amd(void)
{
	static const char *const releases[] = {"6.1.192", "6.12.117", "7.3.4"};
	const struct shape shape = {
		MILAN,
		.packages = 2,
		.llcs = 1,
		.cores = 4,
		.threads = 2,
		.nodes = 1,
		.slit = "[[10, 32], [32, 10]]",
		.lacks = "l3",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(releases); i++) {
		AUTO(domain_tree) *tree = expect_shape(&shape, releases[i]);

		assert_chain(tree, 0, "SMT 0-1; MC 0-7; NUMA 0-15");
	}
}

/*
 * init_intel_cacheinfo(): "if (new_l2) llc_id = l2_id", which an L3 then would overwrite. A core
 * has an L2 of its own here, so that SMT is all that MC could be, and the package comes next.
 */
static void test_l3_intel(void)
{
	const struct shape shape = {
		SAPPHIRE_RAPIDS,
		.packages = 2,
		.llcs = 1,
		.cores = 4,
		.threads = 2,
		.nodes = 1,
		.slit = "[[10, 21], [21, 10]]",
		.lacks = "l3",
	};
	AUTO(domain_tree) *old = expect_shape(&shape, "6.1.192");
	AUTO(domain_tree) *tree = expect_shape(&shape, "7.3.4");

	assert_chain(old, 0, "SMT 0-1; DIE 0-7; NUMA 0-15");
	assert_chain(tree, 0, "SMT 0-1; PKG 0-7; NUMA 0-15");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/expect/lacks/topoext", test_topoext);
	g_test_add_func("/expect/lacks/topoext-nosmt", test_topoext_nosmt);
	g_test_add_func("/expect/lacks/l3-amd", test_l3_amd);
	g_test_add_func("/expect/lacks/l3-intel", test_l3_intel);
	return g_test_run();
}
