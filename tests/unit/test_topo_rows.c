// SPDX-License-Identifier: GPL-2.0-only
/*
 * Machines of explicit rows. By hand, for one with two L3 of two cores of two threads in each of
 * two packages: package << 3 | L3 << 2 | core << 1 | thread, and as many vCPUs as ids.
 */
#include "emit/emit.h"
#include "observe/acpi.h"
#include "test_expect.h"
#include "topo/view.h"

#define REFERENCES                                                                                 \
	"reference: {cpu: x, packages: x, l3_per_package: x, cores_per_l3: x, "                    \
	"threads_per_core: x, cpus: x, nodes: x, memory_per_node: x, distances: x}\n"

/* Seven CPUs, numbered at will; package 0 has two L3, package 1 half of one; node 1 is in both. */
static const char odd[] =
	"name: odd\ntitle: odd\n" REFERENCES
	"cpu: {vendor: AuthenticAMD, family: 25, model: 1, stepping: 1}\n"
	"packages: 2\nl3_per_package: 2\ncores_per_l3: 2\nthreads_per_core: 2\nnodes: 2\n"
	"memory_per_node: 128M\ndistances: [[10, 20], [20, 10]]\n"
	"cpus:\n"
	"  - {package: 0, node: 0, l3: 0, core: 0, thread: 0, apic: 0}\n"
	"  - {package: 1, node: 1, l3: 0, core: 0, thread: 1, apic: 9}\n"
	"  - {package: 0, node: 0, l3: 0, core: 1, thread: 0, apic: 2}\n"
	"  - {package: 0, node: 1, l3: 1, core: 0, thread: 0, apic: 4}\n"
	"  - {package: 1, node: 1, l3: 0, core: 0, thread: 0, apic: 8}\n"
	"  - {package: 0, node: 0, l3: 0, core: 0, thread: 1, apic: 1}\n"
	"  - {package: 0, node: 0, l3: 0, core: 1, thread: 1, apic: 3}\n";

/*
 * One package of four cores on Sapphire Rapids, ids core << 1 | thread. Its three nodes cut the L3
 * unevenly: one core, two cores, and one core of two threads.
 */
static const char uneven[] =
	"name: uneven\ntitle: uneven\n" REFERENCES
	"cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"
	"packages: 1\nl3_per_package: 1\ncores_per_l3: 4\nthreads_per_core: 2\nnodes: 3\n"
	"memory_per_node: 128M\ndistances: [[10, 12, 12], [12, 10, 12], [12, 12, 10]]\n"
	"cpus:\n"
	"  - {package: 0, node: 0, l3: 0, core: 0, thread: 0, apic: 0}\n"
	"  - {package: 0, node: 1, l3: 0, core: 1, thread: 0, apic: 2}\n"
	"  - {package: 0, node: 1, l3: 0, core: 2, thread: 0, apic: 4}\n"
	"  - {package: 0, node: 2, l3: 0, core: 3, thread: 0, apic: 6}\n"
	"  - {package: 0, node: 2, l3: 0, core: 3, thread: 1, apic: 7}\n";

static struct topo *load(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct topo *topo = topo_load_text(text, strlen(text), "rows", &error);

	if (!topo)
		g_error("%s", error->message);
	return topo;
}

static void assert_set(const struct cpus *set, const char *list)
{
	g_autofree char *text = cpus_to_list(set);

	g_assert_cmpstr(text, ==, list);
}

static void test_model(void)
{
	static const struct {
		unsigned package, llc, core, node;
		const char *core_mask, *llc_mask, *package_mask;
	} rows[] = {
		{0, 0, 0, 0, "0,5", "0,2,5-6", "0,2-3,5-6"}, {1, 2, 3, 1, "1,4", "1,4", "1,4"},
		{0, 0, 1, 0, "2,6", "0,2,5-6", "0,2-3,5-6"}, {0, 1, 2, 1, "3", "3", "0,2-3,5-6"},
		{1, 2, 3, 1, "1,4", "1,4", "1,4"},
	};
	AUTO(topo) *topo = load(odd);

	g_assert_cmpuint(topo_n_cpus(topo), ==, 7);
	g_assert_cmpuint(topo_n_vcpus(topo), ==, 16);
	g_assert_cmpint(topo_numbering(topo), ==, TOPO_NUMBERING_EXPLICIT);
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		const struct topo_cpu *cpu = topo_cpu(topo, i);

		g_assert_cmpuint(cpu->package, ==, rows[i].package);
		g_assert_cmpuint(cpu->llc, ==, rows[i].llc);
		g_assert_cmpuint(cpu->core, ==, rows[i].core);
		g_assert_cmpuint(cpu->node, ==, rows[i].node);
		g_assert_cmpuint(cpu->vcpu, ==, cpu->apic_id);
		assert_set(topo_mask(topo, TOPO_CORE, i), rows[i].core_mask);
		assert_set(topo_mask(topo, TOPO_LLC, i), rows[i].llc_mask);
		assert_set(topo_mask(topo, TOPO_PACKAGE, i), rows[i].package_mask);
	}
	assert_set(topo_node_cpus(topo, 0), "0,2,5-6");
	assert_set(topo_node_cpus(topo, 1), "1,3-4");
	/* Positions 5 to 7 follow CPU 3, those from 10 on CPU 1. */
	g_assert_cmpint(topo_cpu_of_vcpu(topo, 5), ==, -1);
	g_assert_cmpuint(topo_node_of_vcpu(topo, 7), ==, 1);
	g_assert_cmpuint(topo_node_of_vcpu(topo, 15), ==, 1);
	g_assert_true(topo_replaces_table(topo, TOPO_TABLE_MADT));
}

/* Linux numbers CPUs as the MADT lists them, so the rows must be its order. */
static void test_madt(void)
{
	static const guint32 wanted[] = {0, 9, 2, 4, 8, 1, 3};
	AUTO(topo) *topo = load(odd);
	g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_MADT);
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) madt = acpi_madt_read(table, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(madt->len, ==, G_N_ELEMENTS(wanted));
	for (unsigned i = 0; i < madt->len; i++)
		g_assert_cmpuint(g_array_index(madt, struct acpi_madt_cpu, i).apic_id, ==,
				 wanted[i]);
}

static struct domain_tree *expect_text(const char *text, const char *release)
{
	AUTO(topo) *topo = load(text);
	AUTO(kernel_facts) *facts = kernel_facts_new(release, NULL);
	g_autoptr(GError) error = NULL;
	struct domain_tree *tree = expect_booted(topo, facts, &error);

	g_assert_no_error(error);
	return tree;
}

/*
 * From the rows of kernel/sched/topology.c and arch/x86/kernel/smpboot.c. 6.x: CPUs 0 and 3 share a
 * package and not a node, so there is no PKG, and NODE is what is left above MC. 7.3: two nodes by
 * two packages are one, so PKG stays and NODE, with the same span, goes. CPU 3 is alone in its core
 * and L3, its first domain is the node's.
 */
static void test_expect_odd(void)
{
	AUTO(domain_tree) *old = expect_text(odd, "6.12.0");
	AUTO(domain_tree) *new = expect_text(odd, "7.3.0");

	assert_chain(old, 0, "SMT 0,5; MC 0,2,5-6; NUMA 0-6");
	assert_chain(old, 1, "SMT 1,4; NODE 1,3-4; NUMA 0-6");
	assert_chain(old, 3, "NODE 1,3-4; NUMA 0-6");
	assert_chain(new, 1, "SMT 1,4; PKG 1,3-4; NUMA 0-6");
	assert_chain(new, 3, "PKG 1,3-4; NUMA 0-6");
}

/*
 * match_llc(): an Intel L3 is cut at node borders without a word. CPU 0 is alone in its node. Cores
 * of one thread beside one of two: DIV_ROUND_UP(5, 4) threads a core keep SMT in 7.3
 * (topology_init_possible_cpus()).
 */
static void test_expect_uneven(void)
{
	AUTO(domain_tree) *old = expect_text(uneven, "6.12.0");
	AUTO(domain_tree) *new = expect_text(uneven, "7.3.0");

	assert_chain(old, 0, "NUMA 0-4");
	assert_chain(old, 1, "MC 1-2; NUMA 0-4");
	assert_chain(old, 3, "SMT 3-4; NUMA 0-4");
	assert_chain(new, 3, "SMT 3-4; NUMA 0-4");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/topo/rows/model", test_model);
	g_test_add_func("/topo/rows/madt", test_madt);
	g_test_add_func("/topo/rows/expect-odd", test_expect_odd);
	g_test_add_func("/topo/rows/expect-uneven", test_expect_uneven);
	return g_test_run();
}
