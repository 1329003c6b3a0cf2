// SPDX-License-Identifier: GPL-2.0-only
/* The rules on machines whose packages are not alike. */
#include "test_expect.h"

#include "base/error.h"

#define KERNEL_6_1  "6.1.192-3-cloud-amd64"
#define KERNEL_6_12 "6.12.117+deb12-cloud-amd64"
#define KERNEL_7_3  "7.3.4+deb13-cloud-amd64"

/* Two Granite Rapids of three CPUs and of two, each CPU a node; @extra: more lines. */
static struct topo *topo_of_five(const char *extra, const char *matrix)
{
	static const char *const rows[] = {
		"0 0 0 0 0", "0 1 0 1 1", "0 2 0 2 2", "1 3 0 0 4", "1 4 0 1 5", NULL,
	};
	g_autofree char *keys = g_strdup_printf(
		"cpu: {vendor: GenuineIntel, family: 6, model: 173, stepping: 1}\n"
		"packages: 2\nl3_per_package: 1\ncores_per_l3: 3\nnodes: 5\n%sdistances: %s",
		extra, matrix);

	return topo_of_rows(keys, rows);
}

/*
 * topology_init_possible_cpus() of 7.3.4 counts 3 nodes a package, and slit_cluster_package() asks
 * cpumask_of_node() for node 5: setup_node_to_cpumask_map() made masks for nr_node_ids nodes, and
 * the next pointer is NULL. 6.12 has none of that.
 */
static void test_gnr_dies(void)
{
	AUTO(topo) *topo = topo_of_five(
		"", "[[10, 12, 12, 21, 21], [12, 10, 12, 21, 21], [12, 12, 10, 21, 21], "
		    "[21, 21, 21, 10, 12], [21, 21, 21, 12, 10]]");
	AUTO(kernel_facts) *facts = kernel_facts_new(KERNEL_7_3, NULL);
	AUTO(kernel_facts) *old = kernel_facts_new(KERNEL_6_12, NULL);
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *none = expect_booted(topo, facts, &error);
	AUTO(domain_tree) *tree = expect_booted(topo, old, NULL);

	g_assert_null(none);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED);
	assert_chain(tree, 0, "NUMA 0-2; NUMA 0-4");
}

/* The first package is not symmetric in itself: slit_validate() ends there, and nothing is mended.
 */
static void test_gnr_survives_early(void)
{
	AUTO(topo) *topo = topo_of_five(
		"", "[[10, 12, 12, 21, 23], [13, 10, 12, 21, 21], [12, 12, 10, 21, 21], "
		    "[21, 21, 21, 10, 12], [21, 21, 21, 12, 10]]");
	AUTO(kernel_facts) *facts = kernel_facts_new(KERNEL_7_3, NULL);
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = expect_booted(topo, facts, &error);

	g_assert_no_error(error);
	/* 12: 0-2; 13; 21: all but node 4; 23 */
	assert_chain(tree, 0, "NUMA 0-2; NUMA 0-3; NUMA 0-4");
}

/*
 * A sixth node without CPUs has a mask, an empty one: the table is mended. The mean takes that node
 * in: node 0 to 2 and 3 to 5 are 12 * 21 and 6 * 30 both ways, 432 / 18.
 */
static void test_gnr_memory_node(void)
{
	AUTO(topo) *topo = topo_of_five(
		"memory_only_nodes: 1\n",
		"[[10, 12, 12, 21, 21, 30], [12, 10, 12, 21, 21, 30], [12, 12, 10, 21, 21, 30], "
		"[21, 21, 21, 10, 12, 12], [21, 21, 21, 12, 10, 12], [30, 30, 30, 12, 12, 10]]");
	AUTO(kernel_facts) *facts = kernel_facts_new(KERNEL_7_3, NULL);
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = expect_booted(topo, facts, &error);

	g_assert_no_error(error);
	assert_chain(tree, 0, "NUMA 0-2; NUMA 0-4");
	g_assert_cmpstr(domain_tree_get(tree, 0, 1)->rule, ==,
			"NUMA/6.1+ distance 24 within reclaim distance 30 after snc-slit");
}

#define SAPPHIRE_KEYS                                                                              \
	"cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"                        \
	"packages: 2\nl3_per_package: 1\ncores_per_l3: 3\nnodes: 3\n"                              \
	"distances: [[10, 21, 21], [21, 10, 21], [21, 21, 10]]"

static void assert_first_chain(const char *const *rows, const char *release, const char *chain)
{
	AUTO(topo) *topo = topo_of_rows(SAPPHIRE_KEYS, rows);
	AUTO(kernel_facts) *facts = kernel_facts_new(release, NULL);
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = expect_booted(topo, facts, &error);

	g_assert_no_error(error);
	assert_chain(tree, topo_n_cpus(topo) - 2, chain);
}

/*
 * set_cpu_sibling_map() of 6.12.117 and 7.3.4: has_mp is false where no core has two threads and
 * topology_num_cores_per_package() is 1, which topology_init_possible_cpus() has from the package
 * of the first APIC id. The other package's CPUs then share no LLC, and x86_has_numa_in_package
 * stays false. 6.1.192 asks boot_cpu_data.x86_max_cores, which is CPUID's. 6.9 brought the count.
 */
static void test_first_package(void)
{
	/* CPUs 1 and 2 are node 1, CPU 3 is node 2 */
	static const char *const one[] = {"0 0 0 0 0", "1 1 0 0 4", "1 1 0 1 5", "1 2 0 2 6", NULL};
	static const char *const two[] = {"0 0 0 0 0", "0 0 0 1 1", "1 1 0 0 4",
					  "1 1 0 1 5", "1 2 0 2 6", NULL};

	assert_first_chain(one, KERNEL_6_1, "MC 1-2; NUMA 0-3");
	assert_first_chain(one, "6.8.12", "MC 1-2; NUMA 0-3");
	assert_first_chain(one, "6.9.1", "PKG 1-2; NUMA 0-3");
	assert_first_chain(one, KERNEL_6_12, "PKG 1-2; NUMA 0-3");
	assert_first_chain(one, KERNEL_7_3, "NODE 1-2; NUMA 0-3");
	assert_first_chain(two, KERNEL_6_12, "MC 2-3; NUMA 0-4");
	assert_first_chain(two, KERNEL_7_3, "MC 2-3; NUMA 0-4");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/expect-rows/gnr-dies", test_gnr_dies);
	g_test_add_func("/expect-rows/gnr-survives-early", test_gnr_survives_early);
	g_test_add_func("/expect-rows/gnr-memory-node", test_gnr_memory_node);
	g_test_add_func("/expect-rows/first-package", test_first_package);
	return g_test_run();
}
