// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's own description of the machine. The files are as a 4-CPU AMD guest with two nodes
 * shows them: formats from drivers/base/{topology,cacheinfo,node}.c and arch/x86/kernel/cpu/proc.c.
 */
#include "base/error.h"
#include "members.h"
#include "observe/observe.h"

#define CPU  "sys/devices/system/cpu/cpu%u/"
#define NODE "sys/devices/system/node/"

static void add_cache(GHashTable *members, unsigned cpu, unsigned index, unsigned level,
		      const char *type, const char *list)
{
	g_autofree char *folder = g_strdup_printf(CPU "cache/index%u", cpu, index);
	g_autofree char *level_path = g_strconcat(folder, "/level", NULL);
	g_autofree char *type_path = g_strconcat(folder, "/type", NULL);
	g_autofree char *list_path = g_strconcat(folder, "/shared_cpu_list", NULL);

	members_add(members, level_path, "%u\n", level);
	members_add(members, type_path, "%s\n", type);
	members_add(members, list_path, "%s\n", list);
}

static void add_cpu(GHashTable *members, unsigned cpu, const char *core, const char *package)
{
	g_autofree char *core_path = g_strdup_printf(CPU "topology/core_cpus_list", cpu);
	g_autofree char *package_path = g_strdup_printf(CPU "topology/package_cpus_list", cpu);

	members_add(members, core_path, "%s\n", core);
	members_add(members, package_path, "%s\n", package);
	add_cache(members, cpu, 0, 1, "Data", core);
	add_cache(members, cpu, 1, 1, "Instruction", core);
	add_cache(members, cpu, 2, 2, "Unified", core);
	add_cache(members, cpu, 3, 3, "Unified", package);
}

#define CPUINFO(cpu, apicid)                                                                       \
	"processor\t: " cpu "\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n"        \
	"model name\t: QEMU Virtual CPU version 2.5+\nstepping\t: 1\napicid\t\t: " apicid "\n"     \
	"initial apicid\t: " apicid "\nflags\t\t: fpu de pse\npower management:\n\n"

static GHashTable *machine(void)
{
	GHashTable *members = members_new();

	members_add(members, "sys/devices/system/cpu/online", "0-3\n");
	add_cpu(members, 0, "0,2", "0,2");
	add_cpu(members, 1, "1,3", "1,3");
	add_cpu(members, 2, "0,2", "0,2");
	add_cpu(members, 3, "1,3", "1,3");
	members_add(members, "proc/cpuinfo", "%s",
		    CPUINFO("0", "0") CPUINFO("1", "16") CPUINFO("2", "1") CPUINFO("3", "17"));
	members_add(members, NODE "online", "0,2\n");
	members_add(members, NODE "node0/cpulist", "0,2\n");
	members_add(members, NODE "node0/distance", "10 21\n");
	members_add(members, NODE "node2/cpulist", "1,3\n");
	members_add(members, NODE "node2/distance", "32 10\n");
	return members;
}

static void assert_list(const struct cpus *set, const char *expected)
{
	g_autofree char *list = NULL;

	g_assert_nonnull(set);
	list = cpus_to_list(set);
	g_assert_cmpstr(list, ==, expected);
}

static void test_machine(void)
{
	g_autoptr(GHashTable) members = machine();
	AUTO(root) *root = members_root(members);
	g_autoptr(GError) error = NULL;
	AUTO(view) *view = observe_system(root, &error);

	g_assert_no_error(error);
	g_assert_cmpstr(view->witness, ==, "/sys");
	g_assert_cmpstr(view->vendor, ==, "AuthenticAMD");
	g_assert_cmpint(view->family, ==, 25);
	g_assert_cmpint(view->model, ==, 1);
	g_assert_cmpint(view->stepping, ==, 1);
	assert_list(view->cpus, "0-3");
	g_assert_cmpint(view->cpu[3].apic_id, ==, 17);
	assert_list(view->cpu[3].mask[TOPO_CORE], "1,3");
	assert_list(view->cpu[3].mask[TOPO_L2], "1,3");
	assert_list(view->cpu[2].mask[TOPO_LLC], "0,2");
	assert_list(view->cpu[2].mask[TOPO_PACKAGE], "0,2");
	assert_list(view->nodes, "0,2");
	assert_list(view->node_cpus[2], "1,3");
	g_assert_null(view->node_cpus[1]);
	g_assert_cmpint(view->cpu[1].node, ==, 2);
	/* A row has a column for each online node, none for node 1. */
	g_assert_cmpint(view->distance[0 * 3 + 2], ==, 21);
	g_assert_cmpint(view->distance[2 * 3 + 0], ==, 32);
	g_assert_cmpint(view->distance[0 * 3 + 1], ==, -1);
}

/* Without CONFIG_NUMA, and in a guest that shows no L3. */
static void test_less(void)
{
	g_autoptr(GHashTable) members = machine();
	g_autoptr(GError) error = NULL;

	members_remove(members, NODE "online");
	for (unsigned cpu = 0; cpu < 4; cpu++) {
		g_autofree char *path = g_strdup_printf(CPU "cache/index3/level", cpu);

		members_remove(members, path);
	}
	{
		AUTO(root) *root = members_root(members);
		AUTO(view) *view = observe_system(root, &error);

		g_assert_no_error(error);
		g_assert_null(view->nodes);
		g_assert_null(view->node_cpus);
		assert_list(view->cpu[0].mask[TOPO_LLC], "");
		assert_list(view->cpu[0].mask[TOPO_L2], "0,2");
		g_assert_cmpint(view->cpu[0].node, ==, -1);
	}
}

/* One file changed (NULL: lost), and the sentence that must come of it. */
static void test_malformed(void)
{
	static const struct {
		const char *path, *text, *pattern;
	} cases[] = {
		{"sys/devices/system/cpu/online", NULL, "*cpu/online' is missing*"},
		{"sys/devices/system/cpu/online", "", "*online' is empty"},
		{"sys/devices/system/cpu/online", "0-9000", "*is not a CPU list*"},
		{"sys/devices/system/cpu/online", "0-4", "*cpu4/topology/core_cpus_list*missing*"},
		{"sys/devices/system/cpu/online", "0-2", "'proc/cpuinfo' holds 'processor*"},
		{"sys/devices/system/cpu/cpu1/topology/core_cpus_list", NULL, "*missing*"},
		{"sys/devices/system/cpu/cpu1/topology/core_cpus_list", "1-", "*core_cpus_list':*"},
		{"sys/devices/system/cpu/cpu1/cache/index3/level", "x", "*holds 'x', not a number"},
		{"sys/devices/system/cpu/cpu1/cache/index3/level", "2", "*two level 2 caches"},
		{"sys/devices/system/cpu/cpu1/cache/index3/type", NULL, "*missing*"},
		{"proc/cpuinfo", NULL, "'proc/cpuinfo' is missing*"},
		{"proc/cpuinfo", "", "'proc/cpuinfo' does not list the CPUs*"},
		{"proc/cpuinfo", CPUINFO("0", "0"), "'proc/cpuinfo' does not list the CPUs*"},
		{"proc/cpuinfo", CPUINFO("0", "0") CPUINFO("0", "0"), "*holds 'processor*"},
		{"proc/cpuinfo", CPUINFO("0", "-1"), "*holds 'apicid*"},
		{"proc/cpuinfo", "vendor_id\t: AuthenticAMD\n", "*holds 'vendor_id*"},
		{"proc/cpuinfo", "garbage\n", "*holds 'garbage'*"},
		{"proc/cpuinfo", CPUINFO("0", "0") "processor\t: 1\nmodel\t\t: 2\n",
		 "*shows two kinds of CPUs: 'model*"},
		{"proc/cpuinfo", CPUINFO("0", "0") "processor\t: 1\nvendor_id\t: GenuineIntel\n",
		 "*shows two kinds of CPUs: 'vendor_id*"},
		{NODE "online", "", "*node/online' holds ''*"},
		{NODE "online", "0,1024", "*node/online' holds*"},
		{NODE "node2/cpulist", NULL, "*missing*"},
		{NODE "node2/cpulist", "1-3",
		 "*node2/cpulist' holds CPU 2, which is offline or in*"},
		{NODE "node2/cpulist", "1,3,4", "*holds CPU 4, which is offline or in*"},
		{NODE "node2/distance", "32", "*not one distance for each online node"},
		{NODE "node2/distance", "32 10 10", "*not one distance for each online node"},
		{NODE "node2/distance", "32 256", "*not one distance for each online node"},
		{NODE "node2/distance", "32  10", "*not one distance for each online node"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GHashTable) members = machine();
		g_autoptr(GError) error = NULL;

		members_remove(members, cases[i].path);
		if (cases[i].text)
			members_add(members, cases[i].path, "%s", cases[i].text);
		{
			AUTO(root) *root = members_root(members);
			AUTO(view) *view = observe_system(root, &error);

			g_assert_null(view);
		}
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		if (!g_pattern_match_simple(cases[i].pattern, error->message))
			g_error("case %u: '%s' does not match '%s'", i, error->message,
				cases[i].pattern);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/system/machine", test_machine);
	g_test_add_func("/system/less", test_less);
	g_test_add_func("/system/malformed", test_malformed);
	return g_test_run();
}
