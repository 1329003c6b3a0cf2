// SPDX-License-Identifier: GPL-2.0-only
/* What a run of several jobs comes to: the contract's exit statuses and last line. */
#include "test_report_help.h"

static const struct run {
	const char *name;
	enum verdict verdicts[4];
	unsigned n;
	int status;
	const char *line;
	bool require_all, bisect;
} runs[] = {
	{"pass",
	 {VERDICT_PASS, VERDICT_PASS},
	 2,
	 0,
	 "topolab: exit 0 (2 pass, 0 fail, 0 skip, 0 error)"},
	{"fail",
	 {VERDICT_PASS, VERDICT_FAIL, VERDICT_PASS, VERDICT_PASS},
	 4,
	 1,
	 "topolab: exit 1 (3 pass, 1 fail, 0 skip, 0 error)"},
	{"timeout",
	 {VERDICT_PASS, VERDICT_TIMEOUT},
	 2,
	 1,
	 "topolab: exit 1 (1 pass, 0 fail, 0 skip, 0 error, 1 timeout)"},
	{"error-wins",
	 {VERDICT_FAIL, VERDICT_ERROR, VERDICT_TIMEOUT},
	 3,
	 3,
	 "topolab: exit 3 (0 pass, 1 fail, 0 skip, 1 error, 1 timeout)"},
	{"skip",
	 {VERDICT_SKIP, VERDICT_SKIP},
	 2,
	 77,
	 "topolab: exit 77 (0 pass, 0 fail, 2 skip, 0 error)"},
	{"skip-and-pass",
	 {VERDICT_SKIP, VERDICT_PASS},
	 2,
	 0,
	 "topolab: exit 0 (1 pass, 0 fail, 1 skip, 0 error)"},
	{"skip-and-fail",
	 {VERDICT_SKIP, VERDICT_FAIL},
	 2,
	 1,
	 "topolab: exit 1 (0 pass, 1 fail, 1 skip, 0 error)"},
	{"invalid",
	 {VERDICT_INVALID, VERDICT_PASS},
	 2,
	 1,
	 "topolab: exit 1 (1 pass, 0 fail, 0 skip, 0 error, 1 invalid)"},
	{"require-all-skip-and-pass",
	 {VERDICT_SKIP, VERDICT_PASS},
	 2,
	 77,
	 "topolab: exit 77 (1 pass, 0 fail, 1 skip, 0 error)",
	 true},
	{"require-all-skip-and-fail",
	 {VERDICT_SKIP, VERDICT_FAIL},
	 2,
	 1,
	 "topolab: exit 1 (0 pass, 1 fail, 1 skip, 0 error)",
	 true},
	{"require-all-pass",
	 {VERDICT_PASS, VERDICT_PASS},
	 2,
	 0,
	 "topolab: exit 0 (2 pass, 0 fail, 0 skip, 0 error)",
	 true},
	/* git-bisect(1), "Bisect run": 125 skips a commit, and 1 to 124 call it bad. */
	{"bisect-pass",
	 {VERDICT_PASS, VERDICT_PASS},
	 2,
	 0,
	 "topolab: exit 0 (2 pass, 0 fail, 0 skip, 0 error)",
	 .bisect = true},
	{"bisect-fail",
	 {VERDICT_ERROR, VERDICT_FAIL, VERDICT_SKIP},
	 3,
	 1,
	 "topolab: exit 1 (0 pass, 1 fail, 1 skip, 1 error)",
	 .bisect = true},
	{"bisect-timeout",
	 {VERDICT_TIMEOUT},
	 1,
	 1,
	 "topolab: exit 1 (0 pass, 0 fail, 0 skip, 0 error, 1 timeout)",
	 .bisect = true},
	{"bisect-error",
	 {VERDICT_PASS, VERDICT_ERROR},
	 2,
	 125,
	 "topolab: exit 125 (1 pass, 0 fail, 0 skip, 1 error)",
	 .bisect = true},
	{"bisect-skip",
	 {VERDICT_PASS, VERDICT_SKIP},
	 2,
	 125,
	 "topolab: exit 125 (1 pass, 0 fail, 1 skip, 0 error)",
	 .bisect = true},
	{"bisect-nothing",
	 {VERDICT_PASS},
	 0,
	 125,
	 "topolab: exit 125 (0 pass, 0 fail, 0 skip, 0 error)",
	 .bisect = true},
	{"nothing", {VERDICT_PASS}, 0, 3, "topolab: exit 3 (0 pass, 0 fail, 0 skip, 0 error)"},
};

static void result_release(gpointer result)
{
	result_free(result);
}

static void test_run(gconstpointer data)
{
	const struct run *run = data;
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(result_release);
	struct report report = {
		.results = results,
		.run_folder = "x",
		.version = "0.1.0",
		.require_all = run->require_all,
		.bisect = run->bisect,
	};
	g_autofree char *line = NULL;

	for (unsigned i = 0; i < run->n; i++) {
		struct result *result = some_result("quad", "debian-6.12");

		add_check(result, "a", run->verdicts[i], "a reason");
		g_ptr_array_add(results, result);
	}
	line = report_last_line(&report);
	g_assert_cmpint(report_exit_status(&report), ==, run->status);
	g_assert_cmpstr(line, ==, run->line);
}

static void test_unjudged_is_error(void)
{
	AUTO(result) *without = result_new();
	AUTO(result) *empty = some_result("quad", "debian-6.12");

	g_assert_cmpint(result_verdict(without), ==, VERDICT_ERROR);
	g_assert_cmpint(result_verdict(empty), ==, VERDICT_ERROR);
}

static void test_formats(void)
{
	g_assert_nonnull(report_format_find("text"));
	g_assert_nonnull(report_format_find("json"));
	g_assert_null(report_format_find("texts"));
	g_assert_null(report_format_find(""));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/report/run/unjudged", test_unjudged_is_error);
	g_test_add_func("/report/run/formats", test_formats);
	for (unsigned i = 0; i < G_N_ELEMENTS(runs); i++) {
		g_autofree char *path = g_strdup_printf("/report/run/%s", runs[i].name);

		g_test_add_data_func(path, &runs[i], test_run);
	}
	return g_test_run();
}
