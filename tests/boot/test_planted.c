// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bugs that kernels/patches/bugs-6.12 plants or brings back, which no case records of that kernel:
 * a case whose machine shows the bug must fail. The kernel is built, so slow mode only.
 */
#include "../run_topolab.h"

#include <string.h>

static const struct {
	const char *bug, *of_case;
} planted[] = {
	{"last-distance", "diameter-3"},	   {"llc-is-node", "llc-id-lost"},
	{"llc-overlaps", "llc-id-lost"},	   {"descended", "distances-of-node-0"},
	{"reclaim-distance", "turin-distance-32"}, {"first-group", "diameter-3"},
};

static struct topolab_run repro(const char *cases, const char *bug)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-planted-XXXXXX", NULL);
	struct topolab_run run =
		topolab_run("repro %s --quiet --kernel bugs-6.12 --append topolab_bug=%s -o %s/run",
			    cases, bug, folder);

	tree_remove(folder, NULL);
	return run;
}

/* Without a bug it is a plain kernel, and right. */
static void test_plain(void)
{
	struct topolab_run run = repro("diameter-3 llc-id-lost", "none");

	g_assert_cmpint(run.status, ==, 0);
	g_assert_nonnull(strstr(run.output, "(2 pass, "));
	topolab_run_clear(&run);
}

static void test_planted(gconstpointer data)
{
	gsize i = GPOINTER_TO_SIZE(data);
	struct topolab_run run = repro(planted[i].of_case, planted[i].bug);

	g_assert_cmpint(run.status, ==, 1);
	g_assert_nonnull(strstr(run.output, "1 fail, 0 error"));
	topolab_run_clear(&run);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	if (!g_test_slow())
		return g_test_run();
	g_test_add_func("/planted/none", test_plain);
	for (gsize i = 0; i < G_N_ELEMENTS(planted); i++) {
		g_autofree char *path = g_strdup_printf("/planted/%s", planted[i].bug);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_planted);
	}
	return g_test_run();
}
