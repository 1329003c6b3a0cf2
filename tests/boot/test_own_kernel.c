// SPDX-License-Identifier: GPL-2.0-only
/*
 * A developer's own tree, in slow mode: built from nothing, it passes on an AMD and on an Intel;
 * with a bug in it, it is built again as far as need be, and fails on both, for that very reason.
 */
#include "base/spawn.h"
#include "base/tree.h"
#include "kernel/kernel.h"
#include "kernel/sources.h"

#include "../run_topolab.h"

#include <string.h>

#define MACHINES "nps1-mini snc-off-mini"

struct edit {
	const char *file, *find, *replace; /* @find is there once */
};

struct bug {
	const char *name;
	struct edit edits[2];
	const char *check; /* that must be FAIL on every machine */
};

/* What stands there is Linux 6.12's. */
static const struct bug bugs[] = {
	{
		/* One level too few: no domain in which CPUs of the farthest nodes meet. */
		.name = "sched_init_numa() forgets the last level",
		.edits = {{"kernel/sched/topology.c", "for (j = 1; j < nr_levels; i++, j++) {",
			   "for (j = 1; j < nr_levels - 1; i++, j++) {"}},
		.check = "domains.rules",
	},
	{
		/* AMD: one LLC of two. Intel: two of one, which SNC would hide behind its nodes. */
		.name = "cacheinfo.c is a bit off in the id of the LLC",
		.edits = {{"arch/x86/kernel/cpu/cacheinfo.c",
			   "c->topo.llc_id = c->topo.apicid >> bits;",
			   "c->topo.llc_id = c->topo.apicid >> (bits + 1);"},
			  {"arch/x86/kernel/cpu/cacheinfo.c",
			   "l3_id = c->topo.apicid & ~((1 << index_msb) - 1);",
			   "l3_id = c->topo.apicid & ~((1 << (index_msb - 1)) - 1);"}},
		.check = "domains.rules",
	},
};

static void edit_file(const char *tree, const char *file, const char *find, const char *replace)
{
	g_autofree char *path = g_build_filename(tree, file, NULL);
	g_auto(GStrv) parts = NULL;
	g_autofree char *before = NULL;
	g_autofree char *after = NULL;
	g_autoptr(GError) error = NULL;

	g_assert_true(g_file_get_contents(path, &before, NULL, &error));
	g_assert_no_error(error);
	parts = g_strsplit(before, find, -1);
	g_assert_cmpuint(g_strv_length(parts), ==, 2);
	after = g_strjoinv(replace, parts);
	/* By a rename: the file that is shared with the cache's tree is another one. */
	g_assert_true(g_file_set_contents(path, after, -1, &error));
	g_assert_no_error(error);
}

static void bug_make(const struct bug *bug, const char *tree)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(bug->edits) && bug->edits[i].file; i++)
		edit_file(tree, bug->edits[i].file, bug->edits[i].find, bug->edits[i].replace);
}

static void bug_mend(const struct bug *bug, const char *tree)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(bug->edits) && bug->edits[i].file; i++)
		edit_file(tree, bug->edits[i].file, bug->edits[i].replace, bug->edits[i].find);
}

/* A tree of its own, made of links to the files of the unpacked one. */
static char *tree_make(const char *folder)
{
	struct kernel_options options = {0};
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL;
	AUTO(sources) *sources = kernel_sources_find("lab-6.12", &options, &error);
	char *tree = g_build_filename(folder, "linux", NULL);

	g_assert_no_error(error);
	g_assert_true(spawn_run((const char *const[]){"cp", "-al", sources->tree, tree, NULL}, NULL,
				NULL, &error));
	g_assert_no_error(error);
	return tree;
}

static bool has_check(const json_t *result, const char *name, const char *verdict)
{
	json_t *check;
	size_t i;

	json_array_foreach (json_object_get(result, "checks"), i, check)
		if (g_strcmp0(json_string_value(json_object_get(check, "name")), name) == 0 &&
		    g_strcmp0(json_string_value(json_object_get(check, "verdict")), verdict) == 0)
			return true;
	return false;
}

/* @check, if not NULL, is one that has that verdict. */
static void assert_verdict(const char *folder, const char *machine, const char *verdict,
			   const char *check)
{
	g_autofree char *job = g_build_filename(machine, "linux", NULL);
	json_t *result = result_load(folder, job);
	const char *actual = json_string_value(json_object_get(result, "verdict"));

	if (g_strcmp0(actual, verdict) != 0 || (check && !has_check(result, check, verdict))) {
		g_test_fail_printf("%s is %s, not %s with %s", job, actual, verdict,
				   check ? check : "no finding");
		result_explain(folder, job, result);
	}
	json_decref(result);
}

static void run_and_check(const char *folder, const char *tree, const char *name, int status,
			  const char *check)
{
	g_autofree char *out = g_build_filename(folder, name, NULL);
	g_auto(GStrv) machines = g_strsplit(MACHINES, " ", -1);
	gint64 start = g_get_monotonic_time();
	struct topolab_run run = topolab_run("run " MACHINES " --kernel %s -o %s", tree, out);

	g_printerr("%s: exit %d after %.0f s\n", name, run.status,
		   (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC);
	g_assert_cmpint(run.status, ==, status);
	if (run.status != status)
		g_printerr("%s", run.errors);
	for (unsigned i = 0; machines[i]; i++)
		assert_verdict(out, machines[i], status ? "FAIL" : "PASS", check);
	topolab_run_clear(&run);
}

static void test_bugs(void)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-own-XXXXXX", NULL);
	g_autofree char *tree = NULL;

	if (!g_test_slow()) {
		g_test_skip("it builds a kernel from nothing, in slow mode only");
		return;
	}
	tree = tree_make(folder);
	run_and_check(folder, tree, "as-it-is", 0, NULL);
	for (unsigned i = 0; i < G_N_ELEMENTS(bugs); i++) {
		g_autofree char *name = g_strdup_printf("bug-%u", i);

		g_printerr("%s: %s\n", name, bugs[i].name);
		bug_make(&bugs[i], tree);
		run_and_check(folder, tree, name, 1, bugs[i].check);
		bug_mend(&bugs[i], tree);
	}
	folder_remove(folder);
}

/* The user's other configs are as good as the base. */
static void test_configs(void)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-own-XXXXXX", NULL);
	struct topolab_run run;

	if (!g_test_slow()) {
		g_test_skip("it builds a debug kernel, in slow mode only");
		return;
	}
	run = topolab_run("run nps1-mini --kernel lab-6.12+debug -o %s/run", folder);
	g_assert_cmpint(run.status, ==, 0);
	if (run.status != 0)
		g_printerr("%s%s", run.output, run.errors);
	topolab_run_clear(&run);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/own-kernel/bugs", test_bugs);
	g_test_add_func("/own-kernel/debug", test_configs);
	return g_test_run();
}
