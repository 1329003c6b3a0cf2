// SPDX-License-Identifier: GPL-2.0-only
/*
 * What `topolab show` and `topolab list` say. The sheets in tests/golden/show/ were typed from the
 * topology files beside them.
 */
#include "../run_topolab.h"
#include "kernel/kernel.h"
#include "report/machine.h"
#include "topo/load.h"

#include <string.h>

static void test_sheet(gconstpointer data)
{
	const char *name = data;
	g_autofree char *base = g_strconcat(TOPOLAB_SOURCE, "/tests/golden/show/", name, NULL);
	g_autofree char *yaml = g_strconcat(base, ".yaml", NULL);
	g_autofree char *txt = g_strconcat(base, ".txt", NULL);
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_load_file(yaml, &error);
	g_autofree char *sheet = NULL;
	g_autofree char *golden = NULL;

	g_assert_no_error(error);
	sheet = report_machine(topo, &(struct report_style){.utf8 = true});
	if (g_strcmp0(g_getenv("TOPOLAB_UPDATE_GOLDEN"), "1") == 0)
		g_assert_true(g_file_set_contents(txt, sheet, -1, NULL));
	g_assert_true(g_file_get_contents(txt, &golden, NULL, NULL));
	g_assert_cmpstr(sheet, ==, golden);
}

/* Every shipped machine can be shown: the numbers that its name promises are in the sheet. */
static void test_shipped(void)
{
	struct topolab_run nps4 = topolab_run("show nps4");
	struct topolab_run unknown = topolab_run("show nps9");

	g_assert_cmpint(nps4.status, ==, 0);
	/* numactl -H of such a machine, and 8 L3 of 8 cores with 2 threads in a package. */
	g_assert_nonnull(strstr(nps4.output, "256: packages 2, LLCs 16, cores 128"));
	g_assert_nonnull(strstr(nps4.output, "\n    LLC 15          120-127,248-255\n"));
	g_assert_nonnull(strstr(nps4.output, "\n    7:  32  32  32  32  12  12  12  10\n"));
	g_assert_cmpint(unknown.status, ==, 2);
	g_assert_cmpstr(unknown.output, ==, "");
	topolab_run_clear(&nps4);
	topolab_run_clear(&unknown);
}

static bool has_row(const char *table, const char *const *words)
{
	g_auto(GStrv) lines = g_strsplit(table, "\n", -1);

	for (unsigned i = 0; lines[i]; i++) {
		const char *p = lines[i];
		unsigned w = 0;

		while (words[w] && g_str_has_prefix(p, words[w])) {
			p += strlen(words[w++]);
			p += strspn(p, " ");
		}
		if (!words[w])
			return true;
	}
	return false;
}

static void test_list_topologies(void)
{
	struct topolab_run run = topolab_run("list topologies");

	g_assert_cmpint(run.status, ==, 0);
	g_assert_true(has_row(run.output, (const char *const[]){"nps4-mini", "64", "8", "nps4",
								"2 x EPYC 7003", NULL}));
	g_assert_true(
		has_row(run.output, (const char *const[]){"snc4", "224", "8", "2 x Sap", NULL}));
	topolab_run_clear(&run);
}

/* One broken file hides no other, and is not passed over in silence. */
static void test_list_broken(void)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-list-XXXXXX", NULL);
	g_autofree char *file = g_build_filename(folder, "aaa.yaml", NULL);
	struct topolab_run run;

	g_file_set_contents(file, "name: bbb\n", -1, NULL);
	g_setenv("TOPOLAB_PATH", folder, TRUE);
	run = topolab_run("list topologies");
	g_unsetenv("TOPOLAB_PATH");
	g_assert_cmpint(run.status, ==, 2);
	g_assert_nonnull(strstr(run.errors, "aaa.yaml:1:1"));
	g_assert_true(has_row(run.output, (const char *const[]){"aaa", "(cannot be read)", NULL}));
	g_assert_true(has_row(run.output, (const char *const[]){"nps4", "256", "8", NULL}));
	topolab_run_clear(&run);
	folder_remove(folder);
}

static void test_list_kernels(void)
{
	g_autofree char *cache = g_dir_make_tmp("topolab-list-XXXXXX", NULL);
	struct topolab_run run;

	g_setenv("TOPOLAB_CACHE", cache, TRUE);
	run = topolab_run("list kernels");
	g_unsetenv("TOPOLAB_CACHE");
	g_assert_cmpint(run.status, ==, 0);
	g_assert_true(has_row(run.output,
			      (const char *const[]){"debian-6.12", "deb", "no", "Debian's", NULL}));
	topolab_run_clear(&run);
	folder_remove(cache);
}

static void test_list_rest(void)
{
	struct topolab_run tests = topolab_run("list tests");
	struct topolab_run cases = topolab_run("list cases");
	struct topolab_run fish = topolab_run("list fish");
	struct topolab_run help = topolab_run("list --help");

	g_assert_true(has_row(tests.output, (const char *const[]){"domains", "the sched", NULL}));
	g_assert_cmpint(cases.status, ==, 0);
	g_assert_cmpstr(cases.output, !=, "");
	g_assert_cmpint(fish.status, ==, 2);
	g_assert_nonnull(strstr(fish.errors, "topologies, kernels, tests or cases, not 'fish'"));
	for (unsigned i = 0; kernel_source_table[i]; i++)
		g_assert_nonnull(strstr(help.output, kernel_source_table[i]->help));
	topolab_run_clear(&tests);
	topolab_run_clear(&cases);
	topolab_run_clear(&fish);
	topolab_run_clear(&help);
}

/* The same words as run's, and the same answer. */
static void test_offline(void)
{
	static const char *const commands[] = {"expect", "xml", "run"};
	g_autofree char *cache = g_dir_make_tmp("topolab-list-XXXXXX", NULL);

	g_setenv("TOPOLAB_CACHE", cache, TRUE);
	for (unsigned i = 0; i < G_N_ELEMENTS(commands); i++) {
		struct topolab_run run = topolab_run("%s nps1-mini --offline", commands[i]);

		g_assert_cmpint(run.status, ==, 3);
		g_assert_cmpstr(run.output, ==, "");
		g_assert_nonnull(strstr(run.errors, "kernel 'debian-6.12' is not in the cache, "
						    "and nothing may be fetched"));
		topolab_run_clear(&run);
	}
	g_unsetenv("TOPOLAB_CACHE");
	folder_remove(cache);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_data_func("/show/sheet/skew", "skew", test_sheet);
	g_test_add_func("/show/shipped", test_shipped);
	g_test_add_func("/list/topologies", test_list_topologies);
	g_test_add_func("/list/broken", test_list_broken);
	g_test_add_func("/list/kernels", test_list_kernels);
	g_test_add_func("/list/rest", test_list_rest);
	g_test_add_func("/inputs/offline", test_offline);
	return g_test_run();
}
