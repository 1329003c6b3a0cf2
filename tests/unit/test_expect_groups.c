// SPDX-License-Identifier: GPL-2.0-only
/* The groups that the rules yield, above all where domains overlap. */
#include "test_expect.h"

#include "base/error.h"
#include "topo/model.h"

#define KERNEL_6_12 "6.12.117+deb12-cloud-amd64"
#define KERNEL_7_3  "7.3.4+deb13-cloud-amd64"

/* The sum of a domain's groups, as a list; sched_domain_debug_one() complains unless it is the
 * span. */
static char *groups_sum(const struct domain *domain)
{
	AUTO(cpus) *sum = cpus_new();

	for (unsigned i = 0; i < domain->groups->len; i++) {
		const struct domain_group *group = domain->groups->pdata[i];

		cpus_or(sum, group->span);
	}
	return cpus_to_list(sum);
}

/* "0 1 6 7": the CPUs that have a domain of which the groups do not cover the span. */
static void assert_uncovered(const struct domain_tree *tree, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	CPUS_FOREACH (cpu, domain_tree_cpus(tree)) {
		for (unsigned i = 0; i < domain_tree_depth(tree, (unsigned)cpu); i++) {
			const struct domain *domain = domain_tree_get(tree, (unsigned)cpu, i);
			g_autofree char *sum = groups_sum(domain);
			g_autofree char *span = cpus_to_list(domain->span);

			if (g_str_equal(sum, span))
				continue;
			g_string_append_printf(text, "%s%d", text->len ? " " : "", cpu);
			break;
		}
	}
	g_assert_cmpstr(text->str, ==, expected);
}

/*
 * Granite Rapids, 2 packages in SNC-3: the asymmetric SLIT of Linux commit 528d89a4707e ("x86/topo:
 * Fix SNC topology mess"), with 2 CPUs a node. Node n has CPUs 2n and 2n+1.
 */
#define GNR_SLIT                                                                                   \
	"[10, 15, 17, 21, 28, 26], [15, 10, 15, 23, 26, 23], [17, 15, 10, 26, 23, 21], "           \
	"[21, 28, 26, 10, 15, 17], [23, 26, 23, 15, 10, 15], [26, 23, 21, 17, 15, 10]"
static const struct shape gnr_snc3 = {
	GRANITE_RAPIDS,		  .packages = 2, .llcs = 1, .cores = 6, .threads = 1, .nodes = 3,
	.slit = "[" GNR_SLIT "]",
};

/*
 * As seen on Debian 7.3 with 12 CPUs: "Fixing up SNC SLIT table.", CPU 0 has MC 003, NUMA 00f,
 * NUMA 03f, NUMA fff. The commit's own table of fixed distances gives the rest: remote ones are 24,
 * nodes 0 and 2 have the distances 15, 17 and 24, node 1 has 15 and 24.
 */
static void test_gnr_fixed(void)
{
	AUTO(domain_tree) *tree = expect_shape(&gnr_snc3, KERNEL_7_3);

	assert_chain(tree, 0, "MC 0-1; NUMA 0-3; NUMA 0-5; NUMA 0-11");
	assert_chain(tree, 2, "MC 2-3; NUMA 0-5; NUMA 0-11");
	assert_chain(tree, 4, "MC 4-5; NUMA 2-5; NUMA 0-5; NUMA 0-11");
	assert_chain(tree, 9, "MC 8-9; NUMA 6-11; NUMA 0-11");
	/* CLS 0, MC 1, NODE 2, then 15, 17, 24 */
	assert_levels(tree, 0, "1 3 4 5");
	assert_levels(tree, 2, "1 3 5");
	assert_groups(tree, 0, 1, "0-1 2-3");
	assert_groups(tree, 0, 3, "0-5 6-11");
	assert_groups(tree, 7, 3, "6-11 0-5");
	assert_uncovered(tree, "");
	g_assert_cmpstr(domain_tree_get(tree, 0, 3)->rule, ==,
			"NUMA/6.1+ distance 24 within reclaim distance 30 after snc-slit");
}

/*
 * The same commit describes what the raw SLIT does: node 0 has 15:{0,1} 17:{0-2} 21:{0-3}
 * 26:{0-3,5} 28:{all}, node 1 has 15:{0-2} 23:{0-3,5} 26:{all}. Node 4's chain ends at 26, so node
 * 0's top domain has the one group {0,1,2,3,5}. Debian 6.12 printed "groups don't span
 * domain->span" for CPUs 0, 1, 6 and 7.
 */
static void assert_gnr_broken(const struct domain_tree *tree)
{
	assert_chain(tree, 0, "MC 0-1; NUMA 0-3; NUMA 0-5; NUMA 0-7; NUMA 0-7,10-11; NUMA 0-11");
	assert_chain(tree, 2, "MC 2-3; NUMA 0-5; NUMA 0-7,10-11; NUMA 0-11");
	assert_groups(tree, 0, 5, "0-7,10-11");
	assert_uncovered(tree, "0 1 6 7");
}

static void test_gnr_broken(void)
{
	struct shape sapphire = gnr_snc3;
	AUTO(domain_tree) *old = expect_shape(&gnr_snc3, KERNEL_6_12);
	AUTO(domain_tree) *other = NULL;

	assert_gnr_broken(old);
	/* SMT 0, CLS 1, MC 2, NODE 3, then 15, 17, 21, 23, 26, 28 */
	assert_levels(old, 0, "2 4 5 6 8 9");
	/* arch_sched_node_distance() of 7.3 looks at Granite Rapids and Clearwater Forest alone */
	sapphire.model = 143;
	other = expect_shape(&sapphire, KERNEL_7_3);
	assert_gnr_broken(other);
}

/*
 * Nodes must be numbered package by package and each package symmetric in itself: slit_validate().
 */
static void test_gnr_not_fixable(void)
{
	struct shape machine = gnr_snc3;
	AUTO(domain_tree) *tree = NULL;

	machine.slit =
		"[[10, 15, 17, 21, 28, 26], [16, 10, 15, 23, 26, 23], [17, 15, 10, 26, 23, 21], "
		"[21, 28, 26, 10, 15, 17], [23, 26, 23, 15, 10, 15], [26, 23, 21, 17, 15, 10]]";
	tree = expect_shape(&machine, KERNEL_7_3);
	assert_chain(tree, 0, "MC 0-1; NUMA 0-3; NUMA 0-5; NUMA 0-7; NUMA 0-7,10-11; NUMA 0-11");
}

/* arch_sched_node_distance(): Clearwater Forest, too, but neither one package nor SNC-2. */
static void test_gnr_scope(void)
{
	struct shape clearwater = gnr_snc3;
	struct shape one_package = gnr_snc3;
	struct shape snc2 = gnr_snc3;
	AUTO(domain_tree) *fixed = NULL;
	AUTO(domain_tree) *one = NULL;
	AUTO(domain_tree) *two = NULL;

	clearwater.model = 0xdd;
	fixed = expect_shape(&clearwater, KERNEL_7_3);
	assert_chain(fixed, 0, "MC 0-1; NUMA 0-3; NUMA 0-5; NUMA 0-11");
	one_package.packages = 1;
	one_package.slit = "[[10, 15, 17], [15, 10, 15], [17, 15, 10]]";
	one = expect_shape(&one_package, KERNEL_7_3);
	assert_chain(one, 0, "MC 0-1; NUMA 0-3; NUMA 0-5");
	/* nodes of 3 CPUs, and node 0 is 21 from node 2, 24 from node 3 */
	snc2.nodes = 2;
	snc2.slit = "[[10, 15, 21, 24], [15, 10, 24, 21], [21, 24, 10, 15], [24, 21, 15, 10]]";
	two = expect_shape(&snc2, KERNEL_7_3);
	assert_chain(two, 0, "MC 0-2; NUMA 0-5; NUMA 0-8; NUMA 0-11");
}

/* 6.19 took one mean over the whole machine (4d6dd05d07d0), which no rule knows. */
static void test_gnr_unknown(void)
{
	AUTO(topo) *topo = topo_of(&gnr_snc3);
	AUTO(kernel_facts) *facts = kernel_facts_new("6.19.2", NULL);
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *none = expect_booted(topo, facts, &error);

	g_assert_null(none);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED);
}

/*
 * LLCs of CPUs {0}, {1,4}, {2}, {3}: build_sched_groups() makes all CPUs of PKG link the same four
 * groups, beginning at themselves, and the last to do so is CPU 4: {1,4}, {0}, {2}, {3}. From CPU 0
 * alone it would be {0}, {1,4}, {2}, {3}. Topology files have no such machine yet.
 */
static void test_shared_links(void)
{
	static const struct shape machine = {
		MILAN, .packages = 1, .llcs = 5, .cores = 1, .threads = 1, .nodes = 1,
	};
	AUTO(topo) *topo = topo_of(&machine);
	AUTO(kernel_facts) *facts = kernel_facts_new(KERNEL_6_12, NULL);
	AUTO(domain_tree) *tree = NULL;

	for (unsigned cpu = 1; cpu <= 4; cpu += 3) {
		cpus_unref(topo->masks[TOPO_LLC][cpu]);
		topo->masks[TOPO_LLC][cpu] = cpus_parse_list("1,4", NULL);
	}
	tree = expect_booted(topo, facts, NULL);
	assert_chain(tree, 4, "MC 1,4; PKG 0-4");
	assert_groups(tree, 4, 1, "1,4 0 2 3");
	assert_groups(tree, 0, 0, "0 2 3 1,4");
}

/* sched-ext/scx pull request 1434: virtme-ng, 16 CPUs, sockets=2,cores=4,threads=2, 4 nodes. */
static void test_scx_1434(void)
{
	static const struct shape machine = {
		SAPPHIRE_RAPIDS,
		.packages = 2,
		.llcs = 1,
		.cores = 4,
		.threads = 2,
		.nodes = 2,
		.slit = "[[10, 20, 20, 20], [20, 10, 20, 20], [20, 20, 10, 20], [20, 20, 20, 10]]",
	};
	AUTO(domain_tree) *tree = expect_shape(&machine, KERNEL_6_12);

	assert_chain(tree, 0, "SMT 0-1; MC 0-3; NUMA 0-15");
	assert_groups(tree, 0, 0, "0 1");
	assert_groups(tree, 0, 1, "0-1 2-3");
	assert_groups(tree, 0, 2, "0-3 4-7 8-11 12-15");
	assert_groups(tree, 9, 2, "8-11 12-15 0-3 4-7");
	assert_groups(tree, 9, 0, "9 8");
}

/*
 * NUMA diameter 3, Linux commit 585b6d2723dc; the comment in build_overlap_sched_groups() draws the
 * line. Node n has CPUs 2n and 2n+1.
 */
static void test_line(void)
{
	static const struct shape machine = {
		SAPPHIRE_RAPIDS,
		.packages = 4,
		.llcs = 1,
		.cores = 2,
		.threads = 1,
		.nodes = 1,
		.slit = "[[10, 20, 30, 40], [20, 10, 20, 30], [30, 20, 10, 20], [40, 30, 20, 10]]",
	};
	AUTO(domain_tree) *tree = expect_shape(&machine, KERNEL_6_12);

	assert_chain(tree, 0, "MC 0-1; NUMA 0-3; NUMA 0-5; NUMA 0-7");
	assert_groups(tree, 0, 1, "0-1 2-3");
	assert_groups(tree, 0, 2, "0-3 4-5");
	assert_groups(tree, 0, 3, "0-5 2-7");
	assert_chain(tree, 2, "MC 2-3; NUMA 0-5; NUMA 0-7");
	assert_groups(tree, 2, 1, "2-3 4-5 0-1");
	assert_groups(tree, 2, 2, "0-5 4-7");
	assert_uncovered(tree, "");
}

/* The other SLIT of the same commit: nodes 1 and 3 are 24 apart, 0 and 3 only 22. */
static void test_12_20_12(void)
{
	static const struct shape machine = {
		SAPPHIRE_RAPIDS,
		.packages = 4,
		.llcs = 1,
		.cores = 2,
		.threads = 1,
		.nodes = 1,
		.slit = "[[10, 12, 20, 22], [12, 10, 22, 24], [20, 22, 10, 12], [22, 24, 12, 10]]",
	};
	AUTO(domain_tree) *tree = expect_shape(&machine, KERNEL_6_12);

	assert_chain(tree, 0, "MC 0-1; NUMA 0-3; NUMA 0-5; NUMA 0-7");
	assert_groups(tree, 0, 1, "0-1 2-3");
	assert_groups(tree, 0, 2, "0-3 4-5");
	assert_groups(tree, 0, 3, "0-5 4-7");
	assert_chain(tree, 2, "MC 2-3; NUMA 0-3; NUMA 0-5; NUMA 0-7");
	assert_groups(tree, 2, 2, "0-3 4-5");
	assert_groups(tree, 2, 3, "0-5 0-1,4-7");
	assert_uncovered(tree, "");
}

/* The comment above build_balance_mask() in kernel/sched/topology.c: the ring of four nodes. */
static void test_ring_masks(void)
{
	static const struct shape machine = {
		SAPPHIRE_RAPIDS,
		.packages = 4,
		.llcs = 1,
		.cores = 2,
		.threads = 1,
		.nodes = 1,
		.slit = "[[10, 20, 30, 20], [20, 10, 20, 30], [30, 20, 10, 20], [20, 30, 20, 10]]",
	};
	AUTO(domain_tree) *tree = expect_shape(&machine, KERNEL_6_12);
	const struct domain_group *first, *second;
	g_autofree char *first_mask = NULL;
	g_autofree char *second_mask = NULL;

	/* NUMA-2 of node 1: {0-2} is its own child, {0,2-3} the child of node 3 alone */
	assert_groups(tree, 2, 1, "2-3 4-5 0-1");
	assert_groups(tree, 2, 2, "0-5 0-1,4-7");
	first = domain_tree_get(tree, 2, 2)->groups->pdata[0];
	second = domain_tree_get(tree, 2, 2)->groups->pdata[1];
	first_mask = cpus_to_list(first->mask);
	second_mask = cpus_to_list(second->mask);
	/* only the CPUs whose child domain is the group can arrive at it */
	g_assert_cmpstr(first_mask, ==, "2-3");
	g_assert_cmpint(first->id, ==, 2);
	g_assert_cmpstr(second_mask, ==, "6-7");
	g_assert_cmpint(second->id, ==, 6);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/expect-groups/gnr-fixed", test_gnr_fixed);
	g_test_add_func("/expect-groups/gnr-broken", test_gnr_broken);
	g_test_add_func("/expect-groups/gnr-not-fixable", test_gnr_not_fixable);
	g_test_add_func("/expect-groups/gnr-scope", test_gnr_scope);
	g_test_add_func("/expect-groups/gnr-unknown", test_gnr_unknown);
	g_test_add_func("/expect-groups/shared-links", test_shared_links);
	g_test_add_func("/expect-groups/scx-1434", test_scx_1434);
	g_test_add_func("/expect-groups/line", test_line);
	g_test_add_func("/expect-groups/12-20-12", test_12_20_12);
	g_test_add_func("/expect-groups/ring-masks", test_ring_masks);
	return g_test_run();
}
