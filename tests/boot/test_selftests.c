// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's own selftests on each of Debian's kernels, in slow mode: what README.md's table
 * promises (tests/unit/test_guest_test.c compares it with the tests' files) must run and pass.
 */
#include "run/guest_test.h"

#include "../run_topolab.h"

#include <string.h>

#define MACHINE "nps1-mini"
#define GROUP	"selftests"

static const char *const series[] = {"6.1", "6.12", "7.3"};

static const char *verdict_of(const json_t *result, const char *name)
{
	json_t *check;
	size_t i;

	json_array_foreach (json_object_get(result, "checks"), i, check)
		if (g_strcmp0(json_string_value(json_object_get(check, "name")), name) == 0)
			return json_string_value(json_object_get(check, "verdict"));
	return "missing";
}

/* How many there are that must. */
static guint assert_promises(const json_t *result, const struct guest_test *test,
			     const char *kernel)
{
	guint n = 0;

	for (guint i = 0; i < test->programs->len; i++) {
		const struct guest_program *program = test->programs->pdata[i];
		g_autofree char *name = g_strdup_printf("test.%s.%s", test->name, program->name);
		const char *verdict = verdict_of(result, name);

		g_printerr("%s %s: %s\n", kernel, name, verdict);
		for (guint j = 0; j < program->must_pass->len; j++) {
			if (strcmp(program->must_pass->pdata[j], kernel) != 0)
				continue;
			n++;
			if (strcmp(verdict, "PASS") != 0)
				g_test_fail_printf("%s on %s is %s, not PASS", name, kernel,
						   verdict);
		}
	}
	return n;
}

static void assert_all_promises(const json_t *result, const char *kernel)
{
	g_auto(GStrv) names = guest_test_list();
	guint n = 0;

	for (unsigned i = 0; names[i]; i++) {
		AUTO(guest_test) *test = guest_test_load(names[i], NULL);

		g_assert_nonnull(test);
		if (g_strcmp0(test->group, GROUP) == 0)
			n += assert_promises(result, test, kernel);
	}
	g_assert_cmpuint(n, >, 0);
}

static void test_kernel(gconstpointer data)
{
	const char *kernel = data;
	g_autofree char *folder = NULL;
	g_autofree char *job = g_strdup_printf(MACHINE "/debian-%s", kernel);
	struct topolab_run run;
	gint64 begun = g_get_monotonic_time();
	json_t *result;

	if (!g_test_slow()) {
		g_test_skip("it takes minutes, in slow mode only");
		return;
	}
	folder = g_dir_make_tmp("topolab-selftests-XXXXXX", NULL);
	run = topolab_run("run " MACHINE " --kernel debian-%s --test " GROUP " -o %s", kernel,
			  folder);
	g_printerr("%s: exit %d after %.0f s\n", job, run.status,
		   (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC);
	result = result_load(folder, job);
	assert_all_promises(result, kernel);
	if (g_test_failed())
		result_explain(folder, job, result);
	json_decref(result);
	topolab_run_clear(&run);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (gsize i = 0; i < G_N_ELEMENTS(series); i++) {
		g_autofree char *path = g_strdup_printf("/selftests/%s", series[i]);

		g_test_add_data_func(path, series[i], test_kernel);
	}
	return g_test_run();
}
