// SPDX-License-Identifier: GPL-2.0-only
/* Which domains, spans, flags and levels the rules yield. */
#include "test_expect.h"

#include "base/error.h"
#include "topo/model.h"

#define KERNEL_6_1  "6.1.192-3-cloud-amd64"
#define KERNEL_6_12 "6.12.117+deb12-cloud-amd64"
#define KERNEL_7_3  "7.3.4+deb13-cloud-amd64"

/* Flags of include/linux/sched/sd_flags.h in bit order; sd_init() in kernel/sched/topology.c. */
#define BALANCE "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "

/*
 * Two EPYC 7003 of 64 cores in NPS4: 8 CCX of 8 cores a package, 2 a node. Node lists, CPU numbers
 * and CCX per node: K Prateek Nayak, LKML 2023-06-16, "sched/fair: Multi-LLC
 * select_idle_sibling()".
 */
#define NPS4_ROW_0                                                                                 \
	"[10, 12, 12, 12, 32, 32, 32, 32], [12, 10, 12, 12, 32, 32, 32, 32], "                     \
	"[12, 12, 10, 12, 32, 32, 32, 32], [12, 12, 12, 10, 32, 32, 32, 32], "
#define NPS4_ROW_1                                                                                 \
	"[32, 32, 32, 32, 10, 12, 12, 12], [32, 32, 32, 32, 12, 10, 12, 12], "                     \
	"[32, 32, 32, 32, 12, 12, 10, 12], [32, 32, 32, 32, 12, 12, 12, 10]"
static const struct shape nps4 = {
	MILAN,
	.packages = 2,
	.llcs = 8,
	.cores = 8,
	.threads = 2,
	.nodes = 4,
	.numbering = "threads-last",
	.slit = "[" NPS4_ROW_0 NPS4_ROW_1 "]",
};

static void test_nps4(void)
{
	static const char *const releases[] = {KERNEL_6_12, KERNEL_7_3};

	for (unsigned i = 0; i < G_N_ELEMENTS(releases); i++) {
		AUTO(domain_tree) *tree = expect_shape(&nps4, releases[i]);

		/* "Node 0: 0-15, 128-143" and 8 cores a CCX */
		assert_chain(tree, 0,
			     "SMT 0,128; MC 0-7,128-135; NODE 0-15,128-143; "
			     "NUMA 0-63,128-191; NUMA 0-255");
		/* "Node 4: 64-79, 192-207", its second CCX, a second thread */
		assert_chain(tree, 200,
			     "SMT 72,200; MC 72-79,200-207; NODE 64-79,192-207; "
			     "NUMA 64-127,192-255; NUMA 0-255");
		/* x86_topology[] without PKG, NODE, two distances; CLS equals SMT and goes */
		assert_levels(tree, 0, "0 2 3 4 5");
		assert_levels(tree, 200, "0 2 3 4 5");
		g_assert_cmpuint(cpus_count(domain_tree_cpus(tree)), ==, 256);
	}
}

static void test_nps4_flags(void)
{
	AUTO(domain_tree) *old = expect_shape(&nps4, KERNEL_6_12);
	AUTO(domain_tree) *new = expect_shape(&nps4, KERNEL_7_3);

	for (unsigned cpu = 0; cpu < 256; cpu += 85) {
		assert_flags(old, cpu, 0,
			     BALANCE "SD_SHARE_CPUCAPACITY SD_SHARE_LLC SD_PREFER_SIBLING");
		assert_flags(old, cpu, 1, BALANCE "SD_SHARE_LLC SD_PREFER_SIBLING");
		assert_flags(old, cpu, 2, BALANCE "SD_PREFER_SIBLING");
		assert_flags(old, cpu, 3, BALANCE "SD_SERIALIZE SD_OVERLAP SD_NUMA");
		assert_flags(old, cpu, 4, BALANCE "SD_SERIALIZE SD_OVERLAP SD_NUMA");
		assert_flags(new, cpu, 0,
			     BALANCE "SD_SHARE_CPUCAPACITY SD_SHARE_LLC SD_PREFER_SIBLING");
		assert_flags(new, cpu, 1, BALANCE "SD_SHARE_LLC SD_PREFER_SIBLING");
		assert_flags(new, cpu, 2, BALANCE "SD_PREFER_SIBLING");
		/* sd_flags.h of 7.3 has no SD_OVERLAP */
		assert_flags(new, cpu, 3, BALANCE "SD_SERIALIZE SD_NUMA");
		assert_flags(new, cpu, 4, BALANCE "SD_SERIALIZE SD_NUMA");
	}
}

static void assert_mask(const struct domain_tree *tree, unsigned cpu, unsigned index,
			const char *mask)
{
	AUTO(cpus) *expected = cpus_parse_mask(mask, NULL);
	g_autofree char *want = cpus_to_list(expected);
	g_autofree char *have = NULL;

	g_assert_cmpuint(index, <, domain_tree_depth(tree, cpu));
	if (index >= domain_tree_depth(tree, cpu))
		return;
	have = cpus_to_list(domain_tree_get(tree, cpu, index)->span);
	g_assert_cmpstr(have, ==, want);
}

/* Chen Yu, LKML 2023-06, same thread: /proc/schedstat of CPU 0, 2 x 56C/112T Sapphire Rapids. */
static void assert_chen_yu_masks(const struct domain_tree *tree)
{
	assert_mask(tree, 0, 0, "00000000,00000000,00000000,00010000,00000000,00000000,00000001");
	assert_mask(tree, 0, 1, "00000000,00000000,00000000,3fff0000,00000000,00000000,00003fff");
	assert_mask(tree, 0, 2, "00000000,000000ff,ffffffff,ffff0000,00000000,00ffffff,ffffffff");
	assert_mask(tree, 0, 3, "ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff");
	g_assert_cmpuint(domain_tree_depth(tree, 0), ==, 4);
}

#define SNC4_ROW_0                                                                                 \
	"[10, 12, 12, 12, 21, 21, 21, 21], [12, 10, 12, 12, 21, 21, 21, 21], "                     \
	"[12, 12, 10, 12, 21, 21, 21, 21], [12, 12, 12, 10, 21, 21, 21, 21], "
#define SNC4_ROW_1                                                                                 \
	"[21, 21, 21, 21, 10, 12, 12, 12], [21, 21, 21, 21, 12, 10, 12, 12], "                     \
	"[21, 21, 21, 21, 12, 12, 10, 12], [21, 21, 21, 21, 12, 12, 12, 10]"
static const struct shape snc4 = {
	SAPPHIRE_RAPIDS,
	.packages = 2,
	.llcs = 1,
	.cores = 56,
	.threads = 2,
	.nodes = 4,
	.numbering = "threads-last",
	.slit = "[" SNC4_ROW_0 SNC4_ROW_1 "]",
};

/*
 * The mail's split LLC has the masks of SNC4, which Debian 6.12 was seen to build with these names.
 */
static void test_snc4(void)
{
	static const char *const releases[] = {KERNEL_6_12, KERNEL_7_3};

	for (unsigned i = 0; i < G_N_ELEMENTS(releases); i++) {
		AUTO(domain_tree) *tree = expect_shape(&snc4, releases[i]);

		assert_chen_yu_masks(tree);
		assert_chain(tree, 0, "SMT 0,112; MC 0-13,112-125; NUMA 0-55,112-167; NUMA 0-223");
		assert_levels(tree, 0, "0 2 4 5");
	}
}

/*
 * The mail's own machine: LLC split in four within one node per package, as only AMD has it without
 * the mail's patch, and a kernel between 6.1 and 6.7, which DIE and SD_SHARE_PKG_RESOURCES show.
 * Flags and names as the mail prints them.
 */
static void test_split_llc(void)
{
	static const struct shape machine = {
		MILAN,
		.packages = 2,
		.llcs = 4,
		.cores = 14,
		.threads = 2,
		.nodes = 1,
		.numbering = "threads-last",
		.slit = "[[10, 21], [21, 10]]",
	};
	AUTO(domain_tree) *tree = expect_shape(&machine, "6.4.0-rc5");

	assert_chen_yu_masks(tree);
	assert_chain(tree, 0, "SMT 0,112; MC 0-13,112-125; DIE 0-55,112-167; NUMA 0-223");
	assert_flags(tree, 0, 0,
		     "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
		     "SD_SHARE_CPUCAPACITY SD_SHARE_PKG_RESOURCES SD_PREFER_SIBLING");
	assert_flags(tree, 0, 1,
		     "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
		     "SD_SHARE_PKG_RESOURCES SD_PREFER_SIBLING");
	assert_flags(tree, 0, 2,
		     "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
		     "SD_PREFER_SIBLING");
	assert_flags(tree, 0, 3,
		     "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
		     "SD_SERIALIZE SD_OVERLAP SD_NUMA");
	/* register_sd() in kernel/sched/debug.c of 6.1 has no "level" */
	assert_levels(tree, 0, "-1 -1 -1 -1");
}

/* Two packages of 4 CCX of 2 cores, NPS2: names and flags as booted on Debian 6.1, 6.12 and 7.3. */
static const struct shape nps2_mini = {
	MILAN,
	.packages = 2,
	.llcs = 4,
	.cores = 2,
	.threads = 2,
	.nodes = 2,
	.numbering = "threads-last",
	.slit = "[[10, 12, 32, 32], [12, 10, 32, 32], [32, 32, 10, 12], [32, 32, 12, 10]]",
};

static void test_nps2(void)
{
	static const char *const releases[] = {KERNEL_6_1, KERNEL_6_12, KERNEL_7_3};

	for (unsigned i = 0; i < G_N_ELEMENTS(releases); i++) {
		AUTO(domain_tree) *tree = expect_shape(&nps2_mini, releases[i]);
		bool overlap = i < 2;

		assert_chain(tree, 0,
			     "SMT 0,16; MC 0-1,16-17; NODE 0-3,16-19; NUMA 0-7,16-23; NUMA 0-31");
		assert_chain(tree, 31,
			     "SMT 15,31; MC 14-15,30-31; NODE 12-15,28-31; NUMA 8-15,24-31; "
			     "NUMA 0-31");
		/* distance 32 is within Zen's reclaim distance of 32 */
		assert_flags(tree, 0, 4,
			     overlap ? BALANCE "SD_SERIALIZE SD_OVERLAP SD_NUMA"
				     : BALANCE "SD_SERIALIZE SD_NUMA");
	}
}

static void test_nps1(void)
{
	static const struct shape machine = {
		MILAN,
		.packages = 2,
		.llcs = 4,
		.cores = 2,
		.threads = 2,
		.nodes = 1,
		.numbering = "threads-last",
		.slit = "[[10, 32], [32, 10]]",
	};
	AUTO(domain_tree) *first = expect_shape(&machine, KERNEL_6_1);
	AUTO(domain_tree) *old = expect_shape(&machine, KERNEL_6_12);
	AUTO(domain_tree) *new = expect_shape(&machine, KERNEL_7_3);

	/* x86_topology[] of arch/x86/kernel/smpboot.c: DIE in 6.1.192, PKG in 6.12.117 and 7.3.4 */
	assert_chain(first, 0, "SMT 0,16; MC 0-1,16-17; DIE 0-7,16-23; NUMA 0-31");
	assert_chain(old, 0, "SMT 0,16; MC 0-1,16-17; PKG 0-7,16-23; NUMA 0-31");
	assert_chain(new, 0, "SMT 0,16; MC 0-1,16-17; PKG 0-7,16-23; NUMA 0-31");
	assert_levels(old, 0, "0 2 3 5");
	assert_levels(new, 0, "0 2 3 5");
	assert_flags(old, 0, 2, BALANCE "SD_PREFER_SIBLING");
}

/*
 * node_reclaim_distance: Debian builds for two packages that are @distance apart. Linux commit
 * a55c7454a8c8 for EPYC; amd.c of 6.1.192 knows no family 1Ah, of 6.12.117 every one from 17h.
 */
static void assert_far(const struct shape *cpu, unsigned distance, const char *release, bool far)
{
	struct shape machine = *cpu;
	g_autofree char *slit = g_strdup_printf("[[10, %u], [%u, 10]]", distance, distance);
	AUTO(domain_tree) *tree = NULL;

	machine.packages = 2;
	machine.llcs = machine.threads = machine.nodes = 1;
	machine.cores = 4;
	machine.slit = slit;
	tree = expect_shape(&machine, release);
	assert_chain(tree, 0, "MC 0-3; NUMA 0-7");
	assert_flags(tree, 0, 1,
		     far ? "SD_BALANCE_NEWIDLE SD_SERIALIZE SD_OVERLAP SD_NUMA"
			 : BALANCE "SD_SERIALIZE SD_OVERLAP SD_NUMA");
}

static void test_reclaim_distance(void)
{
	static const struct shape milan = {MILAN};
	static const struct shape turin = {TURIN};
	static const struct shape intel = {SAPPHIRE_RAPIDS};

	assert_far(&milan, 32, KERNEL_6_1, false);
	assert_far(&milan, 32, KERNEL_6_12, false);
	assert_far(&milan, 33, KERNEL_6_12, true);
	assert_far(&turin, 32, KERNEL_6_1, true);
	assert_far(&turin, 30, KERNEL_6_1, false);
	assert_far(&turin, 32, KERNEL_6_12, false);
	assert_far(&intel, 32, KERNEL_6_12, true);
	assert_far(&intel, 31, KERNEL_6_12, true);
	assert_far(&intel, 30, KERNEL_6_12, false);
}

/* Superfluous domains go: sd_parent_degenerate() and sd_degenerate(). */
static void test_degenerate(void)
{
	static const struct shape one_llc = {SAPPHIRE_RAPIDS, .packages = 1, .llcs = 1,
					     .cores = 8,      .threads = 1,  .nodes = 1};
	static const struct shape smt_only = {SAPPHIRE_RAPIDS, .packages = 1, .llcs = 1,
					      .cores = 1,      .threads = 2,  .nodes = 1};
	static const struct shape ccx_nodes = {MILAN,
					       .packages = 1,
					       .llcs = 2,
					       .cores = 2,
					       .threads = 2,
					       .nodes = 2,
					       .slit = "[[10, 11], [11, 10]]"};
	AUTO(domain_tree) *old = expect_shape(&one_llc, KERNEL_6_12);
	AUTO(domain_tree) *new = expect_shape(&one_llc, KERNEL_7_3);
	AUTO(domain_tree) *smt = expect_shape(&smt_only, KERNEL_7_3);
	AUTO(domain_tree) *nodes = expect_shape(&ccx_nodes, KERNEL_6_12);

	assert_chain(old, 7, "MC 0-7");
	assert_levels(old, 7, "2");
	/* build_sched_topology() of 7.3 leaves out SMT when cores have one thread */
	assert_chain(new, 7, "MC 0-7");
	assert_levels(new, 7, "1");
	assert_chain(smt, 0, "SMT 0-1");
	/* L3 as a node: PKG is gone, NODE equals MC and goes */
	assert_chain(nodes, 0, "SMT 0-1; MC 0-3; NUMA 0-7");
	assert_levels(nodes, 0, "0 2 4");
}

/*
 * Without CONFIG_NUMA every CPU is on node 0: there is no NODE and no NUMA, nobody sees nodes in a
 * package, and the node's mask is every CPU (include/asm-generic/topology.h). Without
 * CONFIG_SCHED_MC the row is not compiled; MC's flags go with it.
 */
static void test_config(void)
{
	AUTO(domain_tree) *no_numa =
		expect_config(&nps2_mini, KERNEL_6_12,
			      "CONFIG_SCHED_SMT=y\nCONFIG_SCHED_CLUSTER=y\nCONFIG_SCHED_MC=y\n"
			      "# CONFIG_NUMA is not set\n");
	AUTO(domain_tree) *no_mc =
		expect_config(&nps2_mini, KERNEL_6_12, "CONFIG_SCHED_SMT=y\nCONFIG_NUMA=y\n");

	assert_chain(no_numa, 0, "SMT 0,16; MC 0-1,16-17; PKG 0-31");
	assert_chain(no_mc, 0, "SMT 0,16; NODE 0-3,16-19; NUMA 0-7,16-23; NUMA 0-31");
	assert_levels(no_mc, 0, "0 1 2 3");
}

/*
 * Cores 2n and 2n+1 share an L2, as on Intel's E-core parts. Topology files have no such machine
 * yet. CLS and its flags: x86_cluster_flags() and cpu_cluster_flags(), without SD_CLUSTER in 6.1.
 */
static void test_cluster(void)
{
	static const struct shape machine = {SAPPHIRE_RAPIDS, .packages = 1, .llcs = 1,
					     .cores = 8,      .threads = 1,  .nodes = 1};
	AUTO(topo) *topo = topo_of(&machine);
	AUTO(kernel_facts) *old = kernel_facts_new(KERNEL_6_1, NULL);
	AUTO(kernel_facts) *new = kernel_facts_new(KERNEL_6_12, NULL);
	AUTO(domain_tree) *first = NULL;
	AUTO(domain_tree) *second = NULL;

	for (unsigned cpu = 0; cpu < 8; cpu++) {
		cpus_unref(topo->masks[TOPO_L2][cpu]);
		topo->masks[TOPO_L2][cpu] = cpus_new();
		cpus_add(topo->masks[TOPO_L2][cpu], cpu & ~1u);
		cpus_add(topo->masks[TOPO_L2][cpu], cpu | 1);
	}
	first = expect_booted(topo, old, NULL);
	second = expect_booted(topo, new, NULL);
	assert_chain(first, 5, "CLS 4-5; MC 0-7");
	assert_flags(first, 5, 0, BALANCE "SD_SHARE_PKG_RESOURCES SD_PREFER_SIBLING");
	assert_chain(second, 5, "CLS 4-5; MC 0-7");
	assert_flags(second, 5, 0, BALANCE "SD_CLUSTER SD_SHARE_LLC SD_PREFER_SIBLING");
	assert_levels(second, 5, "1 2");
}

static void test_versions(void)
{
	AUTO(topo) *topo = topo_of(&nps2_mini);
	AUTO(kernel_facts) *old = kernel_facts_new("5.10.0-30-amd64", NULL);
	AUTO(domain_tree) *newest = expect_shape(&nps2_mini, "8.0.1");
	AUTO(domain_tree) *none = NULL;
	g_autoptr(GError) error = NULL;

	none = expect_booted(topo, old, &error);
	g_assert_null(none);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED);
	assert_flags(newest, 0, 3, BALANCE "SD_SERIALIZE SD_NUMA");
	g_assert_cmpstr(domain_tree_get(newest, 0, 1)->rule, ==, "MC/6.1+");
	g_assert_cmpstr(domain_tree_get(newest, 0, 4)->rule, ==,
			"NUMA/6.1+ distance 32 within reclaim distance 32");
}

/* Arguments that change the domains, and some that merely look like it. */
static void test_boot_arguments(void)
{
	static const struct {
		const char *boot;
		bool unknown;
	} rows[] = {
		{"quiet, numa_balancing=disable, nosmtx, xmaxcpus=1", false},
		{"quiet, isolcpus=1-3", false},
		{"isolcpus=weird,1-3", true},
		{"isolcpus=1-3:1/2", true},
		{"acpi=off", true},
		{"maxcpus=2", false},
		{"maxcpus=0", true},
		{"nosmp", true},
		{"nosmt, quiet", false},
		{"nosmt=force", false},
		{"nosmt, maxcpus=2", true},
		{"nr_cpus=4", false},
		{"numa=off", false},
		{"numa=fake=4", true},
		{"possible_cpus=4", true},
		{"relax_domain_level=1", false},
		{"split_llc=2", false},
	};
	AUTO(kernel_facts) *facts = kernel_facts_new(KERNEL_7_3, NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct shape machine = nps2_mini;
		AUTO(topo) *topo = NULL;
		AUTO(domain_tree) *tree = NULL;
		g_autoptr(GError) error = NULL;

		machine.boot = rows[i].boot;
		topo = topo_of(&machine);
		tree = expect_booted(topo, facts, &error);
		if (rows[i].unknown)
			g_assert_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED);
		else
			g_assert_no_error(error);
		g_assert_true((tree == NULL) == rows[i].unknown);
	}
}

/*
 * Two packages of one node each, and a node of memory alone at distances that no two CPUs have.
 * sched_init_numa() collects distances for_each_cpu_node_but() only, and cpumasks of such a node
 * are empty (kernel/sched/topology.c of 6.12 and 7.3; 6.1 walks node_states[N_CPU]).
 * topology_init_possible_cpus() of 7.3 divides the nodes with CPUs by the packages: 1, so PKG
 * stays.
 */
static void test_memory_only_node(void)
{
	static const struct shape shape = {MILAN,
					   .packages = 2,
					   .llcs = 2,
					   .cores = 1,
					   .threads = 2,
					   .nodes = 1,
					   .memory_nodes = 1,
					   .slit = "[[10, 32, 17], [32, 10, 28], [17, 28, 10]]"};
	static const struct {
		const char *release, *chain;
	} rows[] = {
		{"6.1.0", "SMT 0-1; DIE 0-3; NUMA 0-7"},
		{"6.12.0", "SMT 0-1; PKG 0-3; NUMA 0-7"},
		{"7.3.0", "SMT 0-1; PKG 0-3; NUMA 0-7"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		AUTO(domain_tree) *tree = expect_shape(&shape, rows[i].release);

		assert_chain(tree, 0, rows[i].chain);
		assert_groups(tree, 0, 2, "0-3 4-7");
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/expect/nps4", test_nps4);
	g_test_add_func("/expect/nps4-flags", test_nps4_flags);
	g_test_add_func("/expect/snc4", test_snc4);
	g_test_add_func("/expect/split-llc", test_split_llc);
	g_test_add_func("/expect/nps2", test_nps2);
	g_test_add_func("/expect/nps1", test_nps1);
	g_test_add_func("/expect/reclaim-distance", test_reclaim_distance);
	g_test_add_func("/expect/degenerate", test_degenerate);
	g_test_add_func("/expect/config", test_config);
	g_test_add_func("/expect/cluster", test_cluster);
	g_test_add_func("/expect/versions", test_versions);
	g_test_add_func("/expect/boot-arguments", test_boot_arguments);
	g_test_add_func("/expect/memory-only-node", test_memory_only_node);
	return g_test_run();
}
