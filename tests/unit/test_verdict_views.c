// SPDX-License-Identifier: GPL-2.0-only
#include "test_verdict_help.h"

/*
 * Two packages of one node each, two CPUs a core, all CPUs of a package on one LLC:
 * CPUs 0-3 and 4-7, cores 0-1, 2-3, 4-5, 6-7, distances 10 and 21.
 */
static struct view *machine(const char *witness)
{
	struct view *view = view_new(witness, 8);

	view_set_node_slots(view, 2);
	view->vendor = g_strdup("GenuineIntel");
	view->family = 6;
	view->model = 143;
	view->stepping = 8;
	view->lacks = g_strdup("");
	view->nodes = set_of("0-1");
	if (!view->distance)
		view->distance = g_new(int, 4);
	for (unsigned node = 0; node < 2; node++) {
		view->node_cpus[node] = set_of(node ? "4-7" : "0-3");
		view->distance[node * 2 + node] = 10;
		view->distance[node * 2 + 1 - node] = 21;
	}
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		struct view_cpu *slot = &view->cpu[cpu];
		g_autofree char *core = g_strdup_printf("%u-%u", cpu & ~1u, cpu | 1);

		cpus_add(view->cpus, cpu);
		slot->apic_id = cpu;
		slot->node = (int)cpu / 4;
		slot->mask[TOPO_CORE] = set_of(core);
		slot->mask[TOPO_L2] = set_of(core);
		slot->mask[TOPO_LLC] = set_of(cpu < 4 ? "0-3" : "4-7");
		slot->mask[TOPO_PACKAGE] = set_of(cpu < 4 ? "0-3" : "4-7");
	}
	return view;
}

/* One fault in the second view: which check of each comparison must complain, about which CPUs. */
struct fault {
	const char *name;
	void (*make)(struct view *view);
	const char *guest, *kernel, *cpus;
};

static void lose_cpu(struct view *view)
{
	cpus_remove(view->cpus, 7);
}

static void add_cpu(struct view *view)
{
	cpus_add(view->cpus, 8);
}

static void other_vendor(struct view *view)
{
	g_free(view->vendor);
	view->vendor = g_strdup("AuthenticAMD");
}

static void hide_vendor(struct view *view)
{
	g_clear_pointer(&view->vendor, g_free);
}

static void other_family(struct view *view)
{
	view->family = 15;
}

static void other_model(struct view *view)
{
	view->model = 142;
}

static void other_stepping(struct view *view)
{
	view->stepping = 7;
}

static void swap_apic_ids(struct view *view)
{
	view->cpu[2].apic_id = 3;
	view->cpu[3].apic_id = 2;
}

static void hide_apic_id(struct view *view)
{
	view->cpu[2].apic_id = -1;
}

static void split_core(struct view *view)
{
	replace_set(&view->cpu[4].mask[TOPO_CORE], "4");
	replace_set(&view->cpu[5].mask[TOPO_CORE], "5");
}

static void wide_l2(struct view *view)
{
	for (unsigned cpu = 0; cpu < 4; cpu++)
		replace_set(&view->cpu[cpu].mask[TOPO_L2], "0-3");
}

static void split_llc(struct view *view)
{
	for (unsigned cpu = 0; cpu < 4; cpu++)
		replace_set(&view->cpu[cpu].mask[TOPO_LLC], cpu < 2 ? "0-1" : "2-3");
}

static void hide_llc(struct view *view)
{
	for (unsigned cpu = 0; cpu < 8; cpu++)
		g_clear_pointer(&view->cpu[cpu].mask[TOPO_LLC], cpus_unref);
}

static void one_package(struct view *view)
{
	for (unsigned cpu = 0; cpu < 8; cpu++)
		replace_set(&view->cpu[cpu].mask[TOPO_PACKAGE], "0-7");
}

static void move_cpu_to_node(struct view *view)
{
	view->cpu[3].node = 1;
}

static void move_node_list(struct view *view)
{
	replace_set(&view->node_cpus[0], "0-2");
}

static void lose_node(struct view *view)
{
	replace_set(&view->nodes, "0");
}

static void change_distance(struct view *view)
{
	view->distance[1] = 20;
}

static void hide_distances(struct view *view)
{
	g_clear_pointer(&view->distance, g_free);
}

static void lack_l3(struct view *view)
{
	g_free(view->lacks);
	view->lacks = g_strdup("l3");
}

static void hide_lacks(struct view *view)
{
	g_clear_pointer(&view->lacks, g_free);
}

static void no_llc(struct view *view)
{
	for (unsigned cpu = 0; cpu < 8; cpu++)
		replace_set(&view->cpu[cpu].mask[TOPO_LLC], "");
}

static const struct fault faults[] = {
	{"a CPU lost", lose_cpu, "guest.cpuid", "kernel.cpus", NULL},
	{"a CPU more", add_cpu, "guest.cpuid", "kernel.cpus", NULL},
	{"another vendor", other_vendor, "guest.cpuid", "kernel.cpus", NULL},
	{"vendor hidden", hide_vendor, "guest.cpuid", "kernel.cpus", NULL},
	{"another family", other_family, "guest.cpuid", "kernel.cpus", NULL},
	{"another model", other_model, "guest.cpuid", "kernel.cpus", NULL},
	{"another stepping", other_stepping, "guest.cpuid", "kernel.cpus", NULL},
	{"no L3 in its leaf", lack_l3, "guest.cpuid", NULL, NULL},
	{"the leaf of the L3 hidden", hide_lacks, "guest.cpuid", NULL, NULL},
	{"no L3", no_llc, "guest.cpuid", "kernel.caches", "0-3"},
	{"APIC ids swapped", swap_apic_ids, "guest.madt", "kernel.cpus", "2"},
	{"an APIC id hidden", hide_apic_id, "guest.madt", "kernel.cpus", "2"},
	{"a core split", split_core, "guest.cpuid", "kernel.topology", "4"},
	{"L2 too wide", wide_l2, "guest.cpuid", "kernel.caches", "0-1"},
	{"LLC split", split_llc, "guest.cpuid", "kernel.caches", "0-1"},
	{"LLC hidden", hide_llc, "guest.cpuid", "kernel.caches", "0-3"},
	{"one package", one_package, "guest.cpuid", "kernel.topology", "0-3"},
	{"a CPU's node", move_cpu_to_node, "guest.srat", "kernel.numa", "3"},
	{"a node's list", move_node_list, "guest.srat", "kernel.numa", NULL},
	{"a node lost", lose_node, "guest.srat", "kernel.numa", NULL},
	{"a distance", change_distance, "guest.slit", "kernel.numa", NULL},
	{"distances hidden", hide_distances, "guest.slit", "kernel.numa", NULL},
};

static void assert_only(const struct checks *checks, const char *name)
{
	for (guint i = 0; i < checks_count(checks); i++)
		if (strcmp(checks_get(checks, i)->name, name) != 0)
			g_assert_cmpint(checks_get(checks, i)->verdict, ==, VERDICT_PASS);
}

static void test_fault(gconstpointer data)
{
	const struct fault *fault = data;
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.117", NULL);
	AUTO(view) *good = machine("CPUID and ACPI tables");
	AUTO(view) *bad = machine("the other");
	AUTO(checks) *guest = checks_new();
	AUTO(checks) *kernel = checks_new();

	fault->make(bad);
	compare_guest(good, bad, guest);
	assert_check(guest, fault->guest, VERDICT_ERROR, fault->cpus);
	assert_only(guest, fault->guest);
	compare_kernel(TOPO_VENDOR_INTEL, facts, good, bad, kernel);
	/* /proc and /sys do not show everything. */
	if (!fault->kernel) {
		g_assert_cmpint(checks_verdict(kernel), ==, VERDICT_PASS);
		return;
	}
	assert_check(kernel, fault->kernel, VERDICT_FAIL, fault->cpus);
	assert_only(kernel, fault->kernel);
}

static void test_equal(void)
{
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.117", NULL);
	AUTO(view) *one = machine("one");
	AUTO(view) *other = machine("other");
	AUTO(checks) *checks = checks_new();

	compare_guest(one, other, checks);
	compare_kernel(TOPO_VENDOR_INTEL, facts, one, other, checks);
	g_assert_cmpint(checks_verdict(checks), ==, VERDICT_PASS);
	g_assert_cmpuint(checks_count(checks), ==, 8);
	/* 1 CPU set, 4 of identity, 1 of features, 4 masks of 8 CPUs. */
	g_assert_cmpstr(find_check(checks, "guest.cpuid")->reason, ==,
			"38 values of CPUID compared");
	/* 1 set of nodes, 8 CPUs, 2 nodes, 4 distances. */
	g_assert_cmpstr(find_check(checks, "kernel.numa")->reason, ==,
			"15 NUMA nodes, CPUs and distances compared");
}

/* A witness that saw nothing must not agree with everybody. */
static void test_blind_witness(void)
{
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.117", NULL);
	AUTO(view) *blind = view_new("blind", 8);
	AUTO(view) *seeing = machine("seeing");
	AUTO(checks) *checks = checks_new();

	for (unsigned cpu = 0; cpu < 8; cpu++)
		cpus_add(blind->cpus, cpu);
	compare_kernel(TOPO_VENDOR_INTEL, facts, blind, seeing, checks);
	assert_check(checks, "kernel.topology", VERDICT_ERROR, NULL);
	assert_check(checks, "kernel.caches", VERDICT_ERROR, NULL);
	assert_check(checks, "kernel.numa", VERDICT_ERROR, NULL);
	assert_check(checks, "kernel.cpus", VERDICT_ERROR, NULL);
}

/*
 * One package, one L3, two nodes. Linux shows the L3 cut at the node border on AMD and whole on
 * Intel (arch/x86/kernel/cpu/cacheinfo.c: __cache_amd_cpumap_setup(), __cache_cpumap_setup()).
 */
static void nodes_share_llc(struct view *view, bool whole)
{
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		replace_set(&view->cpu[cpu].mask[TOPO_PACKAGE], "0-7");
		replace_set(&view->cpu[cpu].mask[TOPO_LLC], whole     ? "0-7"
							    : cpu < 4 ? "0-3"
								      : "4-7");
	}
}

static void test_llc_across_nodes(void)
{
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.117", NULL);
	static const struct {
		enum topo_vendor vendor;
		bool whole_in_sys;
		enum verdict verdict;
	} cases[] = {
		{TOPO_VENDOR_AMD, false, VERDICT_PASS},
		{TOPO_VENDOR_AMD, true, VERDICT_FAIL},
		{TOPO_VENDOR_INTEL, true, VERDICT_PASS},
		{TOPO_VENDOR_INTEL, false, VERDICT_FAIL},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(view) *hardware = machine("hardware");
		AUTO(view) *system = machine("/sys");
		AUTO(checks) *checks = checks_new();

		nodes_share_llc(hardware, true);
		nodes_share_llc(system, cases[i].whole_in_sys);
		compare_kernel(cases[i].vendor, facts, hardware, system, checks);
		g_assert_cmpint(find_check(checks, "kernel.caches")->verdict, ==, cases[i].verdict);
	}
}

/* Without CONFIG_NUMA there is no /sys/devices/system/node, and nothing was misread. */
static void test_kernel_without_numa(void)
{
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.117", NULL);
	AUTO(view) *hardware = machine("hardware");
	AUTO(view) *system = machine("/sys");
	AUTO(checks) *checks = checks_new();

	kernel_facts_set_config(facts, "CONFIG_SMP=y\n");
	g_clear_pointer(&system->nodes, cpus_unref);
	compare_kernel(TOPO_VENDOR_INTEL, facts, hardware, system, checks);
	assert_check(checks, "kernel.numa", VERDICT_SKIP, NULL);
	g_assert_cmpint(checks_verdict(checks), ==, VERDICT_SKIP);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/verdict/views/equal", test_equal);
	g_test_add_func("/verdict/views/blind", test_blind_witness);
	g_test_add_func("/verdict/views/without-numa", test_kernel_without_numa);
	g_test_add_func("/verdict/views/llc-across-nodes", test_llc_across_nodes);
	for (unsigned i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *path = g_strdup_printf("/verdict/views/fault/%s", faults[i].name);

		g_test_add_data_func(path, &faults[i], test_fault);
	}
	return g_test_run();
}
