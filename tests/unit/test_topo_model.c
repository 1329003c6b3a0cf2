// SPDX-License-Identifier: GPL-2.0-only
/*
 * The validator on machines that no regular file can describe: nps1-mini (2 packages x 2 LLCs x 2
 * cores x 2 threads, CPU 0 shares its core with 8 and its LLC with 1 and 9), broken by hand.
 */
#include "base/error.h"
#include "base/paths.h"
#include "topo/load.h"
#include "topo/load_yaml.h"

static struct cpus *set_of(const char *list)
{
	return cpus_parse_list(list, NULL);
}

static void mask_replace(struct cpus **mask, const char *list)
{
	cpus_unref(*mask);
	*mask = set_of(list);
}

static void break_nothing(struct topo *topo)
{
	(void)topo;
}

static void break_count(struct topo *topo)
{
	mask_replace(&topo->all, "0-14");
}

static void break_same_id(struct topo *topo)
{
	topo->cpu[3].apic_id = topo->cpu[1].apic_id;
}

static void break_large_id(struct topo *topo)
{
	topo->cpu[15].apic_id = 4096;
}

static void break_vcpu(struct topo *topo)
{
	topo->vcpu[5].cpu = 0;
}

static void break_rank(struct topo *topo)
{
	topo->cpu[0].apic_id = topo->vcpu[0].apic_id = 1;
	topo->cpu[8].apic_id = topo->vcpu[1].apic_id = 0;
}

static void break_position(struct topo *topo)
{
	topo->vcpu[5].apic_id = 17;
}

static void break_own(struct topo *topo)
{
	mask_replace(&topo->masks[TOPO_CORE][0], "8");
}

static void break_unknown(struct topo *topo)
{
	mask_replace(&topo->masks[TOPO_PACKAGE][0], "0-3,8-11,16");
}

static void break_overlap(struct topo *topo)
{
	mask_replace(&topo->masks[TOPO_CORE][0], "0,9");
	mask_replace(&topo->masks[TOPO_L2][0], "0,9");
}

static void break_nesting(struct topo *topo)
{
	const unsigned cpus[] = {0, 1, 8, 9};

	/* The LLC of 0 becomes two of half the size, across the cores. */
	for (unsigned i = 0; i < G_N_ELEMENTS(cpus); i++)
		mask_replace(&topo->masks[TOPO_LLC][cpus[i]], cpus[i] < 8 ? "0-1" : "8-9");
}

static void break_width(struct topo *topo)
{
	const unsigned cpus[] = {0, 1, 8, 9};

	/* One LLC split in two, core by core: the ids still say that it is one. */
	for (unsigned i = 0; i < G_N_ELEMENTS(cpus); i++)
		mask_replace(&topo->masks[TOPO_LLC][cpus[i]], cpus[i] % 8 ? "1,9" : "0,8");
}

static void break_empty_node(struct topo *topo)
{
	mask_replace(&topo->node_cpus[1], "");
}

static void break_shared_node(struct topo *topo)
{
	mask_replace(&topo->node_cpus[1], "3-7,12-15");
}

static void break_foreign_node(struct topo *topo)
{
	topo->cpu[4].node = 0;
}

static void break_missing_node(struct topo *topo)
{
	mask_replace(&topo->node_cpus[1], "4-7,12-14");
}

static void break_memory_node(struct topo *topo)
{
	topo->n_memory_nodes = 1;
}

struct row {
	const char *name;
	void (*break_it)(struct topo *topo);
	const char *message; /* NULL: still right */
};

static const struct row rows[] = {
	{"nothing", break_nothing, NULL},
	{"count", break_count, "f:1:1: the machine has 16 CPUs, it must have 1 to 1024"},
	{"same-id", break_same_id, "f:1:1: CPU 1 and CPU 3 both have the APIC id 2"},
	{"large-id", break_large_id,
	 "f:1:1: CPU 15 has the APIC id 4096, but KVM's ids end at 4095"},
	{"vcpu", break_vcpu, "f:1:1: CPU 10 is vCPU 5, but that vCPU is another CPU's"},
	{"rank", break_rank, "f:1:1: vCPU 0 has the APIC id 1, not less than the 0 of vCPU 1"},
	{"position", break_position, "f:1:1: CPU 10 has the APIC id 5, but its vCPU 5 has 17"},
	{"own", break_own, "f:1:1: the core mask of CPU 0 lacks that CPU or has unknown ones"},
	{"unknown", break_unknown,
	 "f:1:1: the package mask of CPU 0 lacks that CPU or has unknown ones"},
	{"overlap", break_overlap, "f:1:1: the core masks of CPU 0 and CPU 9 overlap and differ"},
	{"nesting", break_nesting, "f:1:1: the l2 mask of CPU 0 is not within its llc mask"},
	{"width", break_width,
	 "f:1:1: APIC ids 0 and 2 of CPU 0 and CPU 1 agree above bit 2, but their llc masks "
	 "differ"},
	{"empty-node", break_empty_node, "f:1:1: node 1 has no CPU"},
	{"shared-node", break_shared_node, "f:1:1: node 1 has a CPU of another node"},
	{"foreign-node", break_foreign_node, "f:1:1: node 1 lists CPU 4, which is not in it"},
	{"memory-node", break_memory_node,
	 "f:1:1: node 1 has CPUs, but it is one of the memory-only nodes"},
	{"missing-node", break_missing_node, "f:1:1: some CPU is in no node"},
};

static void test_row(gconstpointer data)
{
	const struct row *row = data;
	g_autofree char *folder = paths_data("topologies");
	const char *const path[] = {folder, NULL};
	AUTO(topo) *topo = topo_find("nps1-mini", path, NULL);
	AUTO(yaml) *yaml = yaml_parse("x", 1, "f", NULL);
	g_autoptr(GError) error = NULL;
	bool right;

	row->break_it(topo);
	right = topo_validate_model(topo, yaml_root(yaml), &error);
	g_assert_true(right == (row->message == NULL));
	if (row->message) {
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		g_assert_cmpstr(error ? error->message : NULL, ==, row->message);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *test = g_strconcat("/topo/model/", rows[i].name, NULL);

		g_test_add_data_func(test, &rows[i], test_row);
	}
	return g_test_run();
}
