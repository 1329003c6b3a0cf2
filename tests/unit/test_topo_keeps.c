// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a mini keeps, each name once kept and once not. The machines are a large one and changes of
 * it by hand: two packages of two nodes, two L3 of four cores of two threads in each node.
 */
#include "base/error.h"
#include "topo/keeps.h"
#include "topo/load.h"

#include <string.h>

struct change {
	const char *find, *by;
};

static char *replaced(const char *text, const struct change *change)
{
	g_auto(GStrv) parts = g_strsplit(text, change->find, -1);

	g_assert_nonnull(parts[1]);
	return g_strjoinv(change->by, parts);
}

static struct topo *load(const char *name, const char *keep, const struct change *changes)
{
	char *text = g_strdup_printf(
		"name: %s\ntitle: %s\n%s%s%s"
		"cpu: {vendor: AuthenticAMD, family: 25, model: 1, stepping: 1}\n"
		"packages: 2\nl3_per_package: 4\ncores_per_l3: 4\nthreads_per_core: 2\n"
		"nodes_per_package: 2\nmemory_per_node: 256M\n"
		"distances: {same-package: 12, other-package: 32}\nnumbering: threads-last\n"
		"reference: {cpu: x, packages: x, l3_per_package: x, cores_per_l3: x, "
		"threads_per_core: x, nodes_per_package: x, memory_per_node: x, distances: x, "
		"numbering: x}\n",
		name, name, keep ? "mini-of: full\nkeeps: [" : "", keep ? keep : "",
		keep ? "]\n" : "");
	g_autoptr(GError) error = NULL;
	struct topo *topo;

	for (; changes && changes->find; changes++) {
		char *before = text;

		text = replaced(before, changes);
		g_free(before);
	}
	topo = topo_load_text(text, strlen(text), name, &error);
	if (!topo)
		g_error("%s\n%s", error->message, text);
	g_free(text);
	return topo;
}

#define MATRIX(rows)                                                                               \
	{                                                                                          \
		"{same-package: 12, other-package: 32}", rows                                      \
	}
#define FULL_MATRIX "[[10, 12, 32, 32], [12, 10, 32, 32], [32, 32, 10, 12], [32, 32, 12, 10]]"
#define NAPLES                                                                                     \
	{                                                                                          \
		"family: 25", "family: 23"                                                         \
	}
#define MEMORY_NODE                                                                                \
	{"nodes_per_package: 2\n", "nodes_per_package: 2\nmemory_only_nodes: 1\n"},                \
		{"numbering: x}", "numbering: x, memory_only_nodes: x}"},                          \
		MATRIX("[[10, 12, 32, 32, 40], [12, 10, 32, 32, 40], [32, 32, 10, 12, 40], "       \
		       "[32, 32, 12, 10, 40], [40, 40, 40, 40, 10]]")
#define WIDE                                                                                       \
	{"cores_per_l3: 4\n", "cores_per_l3: 4\ncore_slots_per_l3: 32\n"},                         \
	{                                                                                          \
		"numbering: x}", "numbering: x, core_slots_per_l3: x}"                             \
	}
#define ONE_NODE                                                                                   \
	{"nodes_per_package: 2\n", "nodes_per_package: 1\n"},                                      \
	{                                                                                          \
		"same-package: 12, ", ""                                                           \
	}

struct row {
	const char *keep;
	struct change full[4], mini[4];
	const char *message; /* NULL: it holds */
};

#define NOT_KEPT(keep, own, wanted)                                                                \
	"topology 'mini' does not keep '" keep "' of 'full': it has '" own "' and 'full' has "     \
	"'" wanted "'"

static const struct row rows[] = {
	{"numbering", {}, {}, NULL},
	{"numbering",
	 {},
	 {{"threads-last", "threads-adjacent"}},
	 NOT_KEPT("numbering", "threads-adjacent", "threads-last")},
	{"nodes-per-package", {}, {{"cores_per_l3: 4", "cores_per_l3: 1"}}, NULL},
	{"nodes-per-package", {}, {ONE_NODE}, NOT_KEPT("nodes-per-package", "1", "2")},
	{"l3-per-node", {}, {ONE_NODE, {"l3_per_package: 4", "l3_per_package: 2"}}, NULL},
	{"l3-per-node", {}, {ONE_NODE}, NOT_KEPT("l3-per-node", "4", "2")},
	{"l3-per-package", {}, {ONE_NODE}, NULL},
	{"l3-per-package",
	 {},
	 {{"l3_per_package: 4", "l3_per_package: 2"}},
	 NOT_KEPT("l3-per-package", "2", "4")},
	{"distances", {}, {MATRIX(FULL_MATRIX)}, NULL},
	{"distances",
	 {},
	 {{"other-package: 32", "other-package: 31"}},
	 NOT_KEPT("distances", "same-package 12; other-package 31",
		  "same-package 12; other-package 32")},
	{"distances",
	 {MEMORY_NODE},
	 {},
	 NOT_KEPT("distances", "same-package 12; other-package 32",
		  "same-package 12; other-package 32; memory-only 40")},
	{"slit", {}, {MATRIX(FULL_MATRIX)}, NULL},
	{"slit",
	 {ONE_NODE},
	 {ONE_NODE, {"other-package: 32", "other-package: 33"}},
	 NOT_KEPT("slit", "10 33; 33 10", "10 32; 32 10")},
	{"cpu", {}, {}, NULL},
	{"cpu",
	 {},
	 {{"stepping: 1", "stepping: 2"}},
	 NOT_KEPT("cpu", "AuthenticAMD family 25 model 1 stepping 2",
		  "AuthenticAMD family 25 model 1 stepping 1")},
	{"threads-per-core", {}, {ONE_NODE}, NULL},
	{"threads-per-core",
	 {},
	 {{"threads_per_core: 2", "threads_per_core: 1"}},
	 NOT_KEPT("threads-per-core", "1", "2")},
	/* 8 L3 of 32 slots of 2 threads: ids up to 511, but 4 L3 fill package 0 up to 255. */
	{"wide-apic-ids", {WIDE}, {WIDE}, NULL},
	{"wide-apic-ids", {WIDE}, {}, NOT_KEPT("wide-apic-ids", "none", "above 255")},
	/* What neither has is not kept. */
	{"wide-apic-ids", {}, {}, NOT_KEPT("wide-apic-ids", "none", "none")},
	{"l3-by-apic-id", {NAPLES}, {NAPLES}, NULL},
	{"l3-by-apic-id", {NAPLES}, {}, NOT_KEPT("l3-by-apic-id", "none", "APIC id >> 3")},
	{"memory-only-nodes", {MEMORY_NODE}, {MEMORY_NODE}, NULL},
	{"memory-only-nodes", {MEMORY_NODE}, {}, NOT_KEPT("memory-only-nodes", "none", "1")},
};

static void test_row(gconstpointer data)
{
	const struct row *row = data;
	AUTO(topo) *full = load("full", NULL, row->full);
	AUTO(topo) *mini = load("mini", row->keep, row->mini);
	g_autoptr(GError) error = NULL;

	g_assert_true(topo_keeps_check(mini, full, &error) == (row->message == NULL));
	if (row->message)
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_cmpstr(error ? error->message : NULL, ==, row->message);
}

/* A name without a row above would be a check that nobody has seen fail. */
static void test_names(void)
{
	g_autofree char *names = topo_keep_names();
	g_auto(GStrv) list = g_strsplit(names, ", ", -1);

	for (unsigned i = 0; list[i]; i++) {
		unsigned kept = 0, broken = 0;

		g_assert_nonnull(topo_keep_help(list[i]));
		for (unsigned k = 0; k < G_N_ELEMENTS(rows); k++) {
			if (strcmp(rows[k].keep, list[i]) != 0)
				continue;
			kept += rows[k].message == NULL;
			broken += rows[k].message != NULL;
		}
		if (!kept || !broken)
			g_test_fail_printf("no row keeps, or none breaks, '%s'", list[i]);
	}
	g_assert_null(topo_keep_help("everything"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *name = g_strdup_printf("/topo/keeps/%u-%s", i, rows[i].keep);

		g_test_add_data_func(name, &rows[i], test_row);
	}
	g_test_add_func("/topo/keeps/names", test_names);
	return g_test_run();
}
