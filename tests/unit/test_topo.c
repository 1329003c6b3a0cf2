// SPDX-License-Identifier: GPL-2.0-only
/* What the machines in topologies/ mean, against listings of the real ones. */
#include "base/paths.h"
#include "topo/firmware.h"
#include "topo/load.h"
#include "topo/view.h"

#include <string.h>

static struct topo *load(const char *name)
{
	g_autofree char *folder = paths_data("topologies");
	const char *const path[] = {folder, NULL};
	g_autoptr(GError) error = NULL;
	struct topo *topo = topo_find(name, path, &error);

	g_assert_no_error(error);
	return topo;
}

static void assert_set(const struct cpus *set, const char *list)
{
	g_autofree char *text = cpus_to_list(set);

	g_assert_cmpstr(text, ==, list);
}

/* Each @find is replaced; one must be there. */
static char *replaced(const char *text, const char *find, const char *by)
{
	g_auto(GStrv) parts = g_strsplit(text, find, -1);

	g_assert_nonnull(parts[1]);
	return g_strjoinv(by, parts);
}

/* A kernel mask as /proc/schedstat prints it. */
static void assert_mask(const struct cpus *set, const char *mask)
{
	g_autoptr(GError) error = NULL;
	AUTO(cpus) *expected = cpus_parse_mask(mask, &error);

	g_assert_no_error(error);
	g_assert_true(cpus_equal(set, expected));
}

/*
 * "Node 0: 0-15, 128-143" to "Node 7": K Prateek Nayak to LKML, 16 June 2023, Re: [tip: sched/core]
 * sched/fair: Multi-LLC select_idle_sibling(), section NPS4. Nodes have 32 CPUs each, so three
 * numbers of the mail are slips: node 6 reads "223-231" for 224-239 and node 7 "232-255" for
 * 240-255.
 */
static void test_nps4_nodes(void)
{
	static const char *const nodes[] = {
		"0-15,128-143",	 "16-31,144-159", "32-47,160-175",  "48-63,176-191",
		"64-79,192-207", "80-95,208-223", "96-111,224-239", "112-127,240-255",
	};
	AUTO(topo) *topo = load("nps4");

	g_assert_cmpuint(topo_n_cpus(topo), ==, 256);
	g_assert_cmpuint(topo_n_nodes(topo), ==, G_N_ELEMENTS(nodes));
	for (unsigned i = 0; i < G_N_ELEMENTS(nodes); i++)
		assert_set(topo_node_cpus(topo, i), nodes[i]);
}

/* The same mail: 64 cores in 8 CCX a package, "2 CCX per node", and 0 with 128 for siblings. */
static void test_nps4_masks(void)
{
	AUTO(topo) *topo = load("nps4");

	assert_set(topo_mask(topo, TOPO_CORE, 0), "0,128");
	assert_set(topo_mask(topo, TOPO_L2, 0), "0,128");
	assert_set(topo_mask(topo, TOPO_LLC, 0), "0-7,128-135");
	assert_set(topo_mask(topo, TOPO_LLC, 135), "0-7,128-135");
	assert_set(topo_mask(topo, TOPO_LLC, 8), "8-15,136-143");
	assert_set(topo_mask(topo, TOPO_LLC, 127), "120-127,248-255");
	assert_set(topo_mask(topo, TOPO_PACKAGE, 64), "64-127,192-255");
	assert_set(topo_all_cpus(topo), "0-255");
	g_assert_cmpuint(topo_cpu(topo, 128)->thread, ==, 1);
	g_assert_cmpuint(topo_cpu(topo, 72)->llc, ==, 9);
	g_assert_cmpuint(topo_cpu(topo, 72)->package, ==, 1);
	g_assert_cmpuint(topo_cpu(topo, 255)->core, ==, 127);
}

/* numactl -H, rocm.blogs.amd.com/software-tools-optimization/affinity/part-2/README.html. */
static void test_nps4_distances(void)
{
	static const unsigned rows[8][8] = {
		{10, 12, 12, 12, 32, 32, 32, 32}, {12, 10, 12, 12, 32, 32, 32, 32},
		{12, 12, 10, 12, 32, 32, 32, 32}, {12, 12, 12, 10, 32, 32, 32, 32},
		{32, 32, 32, 32, 10, 12, 12, 12}, {32, 32, 32, 32, 12, 10, 12, 12},
		{32, 32, 32, 32, 12, 12, 10, 12}, {32, 32, 32, 32, 12, 12, 12, 10},
	};
	AUTO(topo) *topo = load("nps4");

	for (unsigned from = 0; from < 8; from++)
		for (unsigned to = 0; to < 8; to++)
			g_assert_cmpuint(topo_distance(topo, from, to), ==, rows[from][to]);
}

/*
 * /proc/schedstat of CPU 0: Chen Yu to LKML, June 2023, the same thread, with a package's LLC split
 * in four "according to the topology in SNC4": domain0 is the core, domain1 the quarter, domain2
 * the package, domain3 everything. lstopo of github.com/gramineproject/gramine/pull/530
 * have P#14 and P#126 in node 1, P#56 and P#168 in node 4.
 */
static void test_snc4(void)
{
	AUTO(topo) *topo = load("snc4");

	g_assert_cmpuint(topo_n_cpus(topo), ==, 224);
	assert_mask(topo_mask(topo, TOPO_CORE, 0), "00000000,00000000,00000000,00010000,00000000,"
						   "00000000,00000001");
	assert_mask(topo_node_cpus(topo, 0), "00000000,00000000,00000000,3fff0000,00000000,"
					     "00000000,00003fff");
	assert_mask(topo_mask(topo, TOPO_LLC, 0), "00000000,000000ff,ffffffff,ffff0000,00000000,"
						  "00ffffff,ffffffff");
	assert_mask(topo_mask(topo, TOPO_PACKAGE, 0), "00000000,000000ff,ffffffff,ffff0000,"
						      "00000000,00ffffff,ffffffff");
	assert_mask(topo_all_cpus(topo), "ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,"
					 "ffffffff");
	assert_set(topo_node_cpus(topo, 0), "0-13,112-125");
	assert_set(topo_node_cpus(topo, 1), "14-27,126-139");
	assert_set(topo_node_cpus(topo, 4), "56-69,168-181");
	assert_set(topo_node_cpus(topo, 7), "98-111,210-223");
}

/*
 * By hand from the widths (QEMU's include/hw/i386/topology.h): thread 1 bit, then the core's field,
 * then the LLC's, the package on top.
 * nps4: 8 cores 3 bits, 8 LLCs 3 bits: package << 7 | llc << 4 | core << 1 | thread.
 * nps4-mini: 2 cores 1 bit, 8 LLCs 3 bits: package << 5 | llc << 2 | core << 1 | thread.
 * nps1-mini: 2 cores 1 bit, 2 LLCs 1 bit: package << 3 | llc << 2 | core << 1 | thread.
 * snc4: 56 cores 6 bits, one LLC no bit: package << 7 | core << 1 | thread.
 * naples: as QEMU counts it, package << 6 | die << 4 | module << 3 | core << 1 | thread.
 * gnr-snc3-mini: one thread no bit, 6 cores 3 bits: package << 3 | core.
 */
static void test_apic_ids(void)
{
	static const struct {
		const char *name;
		unsigned cpu, apic_id, vcpu;
	} rows[] = {
		{"nps4", 0, 0x00, 0},
		{"nps4", 128, 0x01, 1},
		{"nps4", 1, 0x02, 2},
		{"nps4", 8, 0x10, 16},	 /* LLC 1, core 0 */
		{"nps4", 63, 0x7e, 126}, /* LLC 7, core 7 */
		{"nps4", 64, 0x80, 128}, /* package 1 */
		{"nps4", 255, 0xff, 255},
		{"nps4-mini", 3, 0x06, 6},   /* LLC 1, core 1 */
		{"nps4-mini", 16, 0x20, 32}, /* package 1 */
		{"nps4-mini", 63, 0x3f, 63},
		{"nps1-mini", 4, 0x08, 8},
		{"nps1-mini", 13, 0x0b, 11}, /* package 1, LLC 0, core 1, thread 1 */
		{"snc4", 55, 0x6e, 110},     /* core 55 */
		{"snc4", 56, 0x80, 112},     /* package 1, after a hole of 16 ids */
		{"snc4", 223, 0xef, 223},    /* package 1, core 55, thread 1 */
		{"naples", 4, 0x08, 8},	     /* die 0, module 1, core 0 */
		{"naples", 13, 0x1a, 26},    /* die 1, module 1, core 1 */
		{"naples", 96, 0x41, 65},    /* package 1, thread 1 */
		{"gnr-snc3-mini", 5, 0x05, 5},
		{"gnr-snc3-mini", 6, 0x08, 6},
		{"gnr-snc3-mini", 11, 0x0d, 11},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		AUTO(topo) *topo = load(rows[i].name);
		const struct topo_cpu *cpu = topo_cpu(topo, rows[i].cpu);

		g_assert_cmphex(cpu->apic_id, ==, rows[i].apic_id);
		g_assert_cmpuint(cpu->vcpu, ==, rows[i].vcpu);
		g_assert_cmpint(topo_cpu_of_vcpu(topo, rows[i].vcpu), ==, (int)rows[i].cpu);
	}
}

/* Linux commit 4d6dd05d07d0: the SLIT's row of node 0, and 0 -> 4 is 28 while 4 -> 0 is 23. */
static void test_asymmetric(void)
{
	static const unsigned row[] = {10, 15, 17, 21, 28, 26};
	AUTO(topo) *topo = load("gnr-snc3-mini");

	for (unsigned to = 0; to < G_N_ELEMENTS(row); to++)
		g_assert_cmpuint(topo_distance(topo, 0, to), ==, row[to]);
	g_assert_cmpuint(topo_distance(topo, 4, 0), ==, 23);
	assert_set(topo_node_cpus(topo, 3), "6-7");
}

/*
 * threads-adjacent: Linux's number is the rank of the APIC id, as on QEMU without a MADT of ours.
 */
static void test_adjacent(void)
{
	AUTO(topo) *last = load("nps1-mini");
	g_autofree char *text = replaced(topo_text(last), "threads-last", "threads-adjacent");
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_load_text(text, strlen(text), "nps1-mini.yaml", &error);

	g_assert_no_error(error);
	g_assert_cmpint(topo_numbering(topo), ==, TOPO_NUMBERING_THREADS_ADJACENT);
	assert_set(topo_mask(topo, TOPO_CORE, 0), "0-1");
	assert_set(topo_mask(topo, TOPO_LLC, 5), "4-7");
	assert_set(topo_node_cpus(topo, 1), "8-15");
	for (unsigned i = 0; i < topo_n_cpus(topo); i++)
		g_assert_cmpuint(topo_cpu(topo, i)->vcpu, ==, i);
}

/* nps1-mini with two more nodes: their numbers follow those of the packages. */
static void test_memory_only(void)
{
	AUTO(topo) *plain = load("nps1-mini");
	g_autofree char *text = replaced(
		topo_text(plain), "memory_per_node: 128M\ndistances: {other-package: 32}\n",
		"memory_only_nodes: 2\nmemory_per_node: [128M, 256M, 1G, 64M]\n"
		"distances: [[10, 32, 17, 28], [32, 10, 28, 17], [17, 28, 10, 29], "
		"[28, 17, 30, 10]]\n");
	g_autofree char *whole =
		replaced(text, "reference:\n", "reference:\n  memory_only_nodes: x\n");
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_load_text(whole, strlen(whole), "nps1-mini.yaml", &error);
	AUTO(view) *view = topo ? view_of_topo(topo) : NULL;

	g_assert_no_error(error);
	g_assert_cmpuint(topo_n_nodes(topo), ==, 4);
	assert_set(topo_node_cpus(topo, 1), "4-7,12-15");
	assert_set(topo_node_cpus(topo, 2), "");
	assert_set(topo_node_cpus(topo, 3), "");
	g_assert_cmpuint(topo_node_memory_mib(topo, 1), ==, 256);
	g_assert_cmpuint(topo_node_memory_mib(topo, 2), ==, 1024);
	g_assert_cmpuint(topo_distance(topo, 2, 3), ==, 29);
	g_assert_cmpuint(topo_distance(topo, 3, 2), ==, 30);
	g_assert_cmpstr(topo_reference(topo, "memory_only_nodes"), ==, "x");
	assert_set(view->nodes, "0-3");
	assert_set(view->node_cpus[3], "");
}

/*
 * nps1-mini with 2 of 8 cores in each L3. By hand: thread 1 bit, core 3 bits, L3 1 bit, so package
 * << 5 | L3 << 4 | core << 1 | thread; 16 positions for each L3. Everything but the APIC ids and
 * the vCPUs is as without the slots.
 */
static void test_core_slots(void)
{
	static const struct {
		unsigned cpu, apic_id, vcpu;
	} rows[] = {
		{0, 0x00, 0},  {1, 0x02, 2}, {2, 0x10, 16},  {4, 0x20, 32},
		{7, 0x32, 50}, {8, 0x01, 1}, {15, 0x33, 51},
	};
	AUTO(topo) *plain = load("nps1-mini");
	g_autofree char *text = replaced(topo_text(plain), "cores_per_l3: 2\n",
					 "cores_per_l3: 2\ncore_slots_per_l3: 8\n");
	g_autofree char *whole =
		replaced(text, "reference:\n", "reference:\n  core_slots_per_l3: x\n");
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_load_text(whole, strlen(whole), "nps1-mini.yaml", &error);

	g_assert_no_error(error);
	g_assert_cmpuint(topo_n_cpus(topo), ==, 16);
	g_assert_cmpuint(topo_n_vcpus(topo), ==, 64);
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		const struct topo_cpu *cpu = topo_cpu(topo, rows[i].cpu);

		g_assert_cmphex(cpu->apic_id, ==, rows[i].apic_id);
		g_assert_cmpuint(cpu->vcpu, ==, rows[i].vcpu);
		g_assert_cmpint(topo_cpu_of_vcpu(topo, rows[i].vcpu), ==, (int)rows[i].cpu);
	}
	for (unsigned cpu = 0; cpu < 16; cpu++) {
		g_assert_cmpuint(topo_cpu(topo, cpu)->core, ==, topo_cpu(plain, cpu)->core);
		g_assert_cmpuint(topo_cpu(topo, cpu)->llc, ==, topo_cpu(plain, cpu)->llc);
		g_assert_cmpuint(topo_cpu(topo, cpu)->package, ==, topo_cpu(plain, cpu)->package);
		g_assert_true(cpus_equal(topo_mask(topo, TOPO_LLC, cpu),
					 topo_mask(plain, TOPO_LLC, cpu)));
	}
	/* Core 2 of L3 0, core 7 of the last L3: nobody is there, but they are in their nodes. */
	g_assert_cmpint(topo_cpu_of_vcpu(topo, 4), ==, -1);
	g_assert_cmpint(topo_cpu_of_vcpu(topo, 63), ==, -1);
	g_assert_cmpuint(topo_node_of_vcpu(topo, 31), ==, 0);
	g_assert_cmpuint(topo_node_of_vcpu(topo, 32), ==, 1);
	g_assert_cmpuint(topo_node_of_vcpu(topo, 63), ==, 1);
	g_assert_cmphex(topo_apic_id_of_vcpu(topo, 63), ==, 0x3f);
}

/*
 * The first cores of the only L3 are there: CPU numbers are QEMU's, and yet QEMU's MADT would offer
 * the others for plugging in.
 */
static void test_needs_madt(void)
{
	AUTO(topo) *plain = load("gnr-snc3-mini");
	g_autofree char *one = replaced(topo_text(plain), "packages: 2\n", "packages: 1\n");
	g_autofree char *text =
		replaced(one, "cores_per_l3: 6\n", "cores_per_l3: 6\ncore_slots_per_l3: 7\n");
	g_autofree char *slots =
		replaced(text, "reference:\n", "reference:\n  core_slots_per_l3: x\n");
	g_autofree char *whole = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = NULL;

	g_assert_false(topo_replaces_table(plain, TOPO_TABLE_MADT));
	whole = g_strdup_printf("%.*s%s", (int)(strstr(slots, "distances:\n") - slots), slots,
				"distances: {same-package: 15}\nnumbering: threads-last\n");
	topo = topo_load_text(whole, strlen(whole), "gnr-snc3-mini.yaml", &error);
	g_assert_no_error(error);
	for (unsigned cpu = 0; cpu < 6; cpu++)
		g_assert_cmpuint(topo_cpu(topo, cpu)->vcpu, ==, cpu);
	g_assert_true(topo_replaces_table(topo, TOPO_TABLE_MADT));
}

static void test_properties(void)
{
	AUTO(topo) *topo = load("nps4-mini");
	const struct topo_cpu_model *model = topo_cpu_model(topo);

	g_assert_cmpstr(topo_name(topo), ==, "nps4-mini");
	g_assert_cmpstr(topo_mini_of(topo), ==, "nps4");
	g_assert_cmpstr(topo_boot_arguments(topo), ==, "");
	g_assert_cmpstr(topo_reference(topo, "distances"), ==, "as in nps4");
	g_assert_null(topo_reference(topo, "boot"));
	g_assert_cmpstr(topo_vendor_name(model->vendor), ==, "AuthenticAMD");
	g_assert_cmpuint(model->family, ==, 25);
	g_assert_cmpuint(model->model, ==, 1);
	g_assert_cmpuint(model->stepping, ==, 1);
	g_assert_cmpuint(topo_n_packages(topo), ==, 2);
	g_assert_cmpuint(topo_llcs_per_package(topo), ==, 8);
	g_assert_cmpuint(topo_core_slots_per_llc(topo), ==, 2);
	g_assert_cmpuint(topo_threads_per_core(topo), ==, 2);
	g_assert_cmpuint(topo_node_memory_mib(topo, 7), ==, 128);
	g_assert_true(g_str_has_prefix(topo_text(topo), "# SPDX"));
}

static void test_view(void)
{
	AUTO(topo) *topo = load("snc4");
	AUTO(view) *view = view_of_topo(topo);

	g_assert_cmpstr(view->witness, ==, "topology file");
	g_assert_cmpstr(view->vendor, ==, "GenuineIntel");
	g_assert_cmpint(view->family, ==, 6);
	g_assert_cmpint(view->model, ==, 143);
	g_assert_cmpint(view->stepping, ==, 8);
	assert_set(view->cpus, "0-223");
	assert_set(view->nodes, "0-7");
	g_assert_cmpint(view->cpu[56].apic_id, ==, 0x80);
	g_assert_cmpint(view->cpu[56].node, ==, 4);
	assert_set(view->cpu[56].mask[TOPO_CORE], "56,168");
	assert_set(view->cpu[56].mask[TOPO_PACKAGE], "56-111,168-223");
	assert_set(view->node_cpus[4], "56-69,168-181");
	g_assert_cmpint(view->distance[4 * 8 + 0], ==, 21);
	g_assert_cmpint(view->distance[4 * 8 + 5], ==, 12);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/topo/nps4-nodes", test_nps4_nodes);
	g_test_add_func("/topo/nps4-masks", test_nps4_masks);
	g_test_add_func("/topo/nps4-distances", test_nps4_distances);
	g_test_add_func("/topo/snc4", test_snc4);
	g_test_add_func("/topo/apic-ids", test_apic_ids);
	g_test_add_func("/topo/asymmetric", test_asymmetric);
	g_test_add_func("/topo/adjacent", test_adjacent);
	g_test_add_func("/topo/memory-only", test_memory_only);
	g_test_add_func("/topo/core-slots", test_core_slots);
	g_test_add_func("/topo/needs-madt", test_needs_madt);
	g_test_add_func("/topo/properties", test_properties);
	g_test_add_func("/topo/view", test_view);
	return g_test_run();
}
