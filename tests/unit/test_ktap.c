// SPDX-License-Identifier: GPL-2.0-only
/*
 * KTAP: the examples of Documentation/dev-tools/ktap.rst of Linux 7.3, what selftests and KUnit
 * print, and texts that are broken in every way.
 */
#include "observe/ktap.h"

#include <string.h>

struct wanted {
	const char *name, *text;
	unsigned n_passed, n_xfailed;
	const char *failed, *skipped; /* names, each with a blank behind it */
	gboolean planned;
	const char *problem; /* NULL: none */
};

static const struct wanted texts[] = {
	/* ktap.rst, "Nested tests", first example */
	{
		.name = "rst-two-nested",
		.text = "KTAP version 1\n1..1\n  KTAP version 1\n  1..2\n  ok 1 test_1\n"
			"  not ok 2 test_2\n# example failed\nnot ok 1 example\n",
		.n_passed = 1,
		.failed = "example/test_2 ",
		.planned = TRUE,
	},
	/* ktap.rst, "Nested tests", second example */
	{
		.name = "rst-levels",
		.text = "KTAP version 1\n1..2\n  KTAP version 1\n  1..2\n    KTAP version 1\n"
			"    1..2\n    not ok 1 test_1\n    ok 2 test_2\n  not ok 1 test_3\n"
			"  ok 2 test_4 # SKIP\nnot ok 1 example_test_1\nok 2 example_test_2\n",
		.n_passed = 2,
		.failed = "example_test_1/test_3/test_1 ",
		.skipped = "example_test_1/test_4 ",
		.planned = TRUE,
	},
	/* ktap.rst, "Example KTAP output" */
	{
		.name = "rst-whole",
		.text = "KTAP version 1\n1..1\n  KTAP version 1\n  1..3\n    KTAP version 1\n"
			"    1..1\n    # test_1: initializing test_1\n    ok 1 test_1\n"
			"  ok 1 example_test_1\n    KTAP version 1\n    1..2\n"
			"    ok 1 test_1 # SKIP test_1 skipped\n    ok 2 test_2\n"
			"  ok 2 example_test_2\n    KTAP version 1\n    1..3\n    ok 1 test_1\n"
			"    # test_2: FAIL\n    not ok 2 test_2\n"
			"    ok 3 test_3 # SKIP test_3 skipped\n  not ok 3 example_test_3\n"
			"not ok 1 main_test\n",
		.n_passed = 3,
		.failed = "main_test/example_test_3/test_2 ",
		.skipped = "main_test/example_test_2/test_1 main_test/example_test_3/test_3 ",
		.planned = TRUE,
	},
	/* ktap.rst, "Test case result lines" */
	{
		.name = "rst-results",
		.text = "KTAP version 1\n1..5\nok 1 test_case_name\nnot ok 2 test_case_name\n"
			"ok 3 test # SKIP necessary dependency unavailable\n"
			"not ok 4 test # TIMEOUT 30 seconds\n"
			"ok 5 check return code # rcode=0\n",
		.n_passed = 2,
		.failed = "test_case_name test ",
		.skipped = "test ",
		.planned = TRUE,
	},
	/* rseq/legacy_check of 7.3, which is kselftest_harness.h's form */
	{
		.name = "harness",
		.text = "TAP version 13\n1..1\n# Starting 1 tests from 1 test cases.\n"
			"#  RUN           legacy.legacy_test ...\n"
			"#            OK  legacy.legacy_test\nok 1 legacy.legacy_test\n"
			"# PASSED: 1 / 1 tests passed.\n"
			"# Totals: pass:1 fail:0 xfail:0 xpass:0 skip:0 error:0\n",
		.n_passed = 1,
		.planned = TRUE,
	},
	/* cgroup/test_cpuset of 6.12: ksft_test_result_pass() alone */
	{
		.name = "no-version-no-plan",
		.text = "ok 1 test_cpuset_perms_object_allow\n"
			"ok 2 test_cpuset_perms_object_deny\nok 3 test_cpuset_perms_subtree\n",
		.n_passed = 3,
	},
	/* kselftest.h, ksft_test_result_skip() and ksft_test_result_xfail(): the name comes after
	 */
	{
		.name = "kselftest-directives",
		.text = "TAP version 13\n1..3\nok 1 # SKIP test_cpucg_nice\n"
			"ok 2 # XFAIL known\nok 3 right\n",
		.n_passed = 1,
		.n_xfailed = 1,
		.skipped = "test_cpucg_nice ",
		.planned = TRUE,
	},
	/* KUnit before 6.3, lib/kunit/test.c */
	{
		.name = "kunit-subtest",
		.text = "TAP version 14\n1..1\n    # Subtest: list-test\n    1..2\n"
			"    ok 1 - list_init\n    not ok 2 - list_add\n"
			"not ok 1 - list-test\n",
		.n_passed = 1,
		.failed = "list-test/list_add ",
		.planned = TRUE,
	},
	/* TAP 13: the plan may come at the end, and "- " before a description */
	{
		.name = "plan-at-end",
		.text = "TAP version 13\nok 1 - a\nok 2 - b\n1..2\n",
		.n_passed = 2,
		.planned = TRUE,
	},
	{
		.name = "todo",
		.text = "TAP version 13\n1..2\nnot ok 1 a # TODO later\nnot ok 2 b # xfail\n",
		.n_xfailed = 2,
		.planned = TRUE,
	},
	{
		.name = "not-ok-skip",
		.text = "TAP version 13\n1..1\nnot ok 1 a # skip no CPU\n",
		.skipped = "a ",
		.planned = TRUE,
	},
	/* SKIPPING is no directive: ok 1 passed, as "check return code # rcode=0" does. */
	{
		.name = "no-directive",
		.text = "TAP version 13\n1..1\nok 1 a # SKIPPING nothing\n",
		.n_passed = 1,
		.planned = TRUE,
	},
	{
		.name = "all-skipped-plan",
		.text = "TAP version 13\n1..0 # SKIP no such call\n",
		.planned = TRUE,
	},
	/* A parent may fail by itself. */
	{
		.name = "parent-fails",
		.text = "KTAP version 1\n1..1\n  KTAP version 1\n  1..1\n  ok 1 a\nnot ok 1 p\n",
		.n_passed = 1,
		.failed = "p ",
		.planned = TRUE,
	},
	/* ... and cannot pass above a child that failed. */
	{
		.name = "parent-passes",
		.text = "KTAP version 1\n1..1\n  KTAP version 1\n  1..1\n  not ok 1 a\nok 1 p\n",
		.failed = "p/a ",
		.planned = TRUE,
	},
	{
		.name = "unknown-lines",
		.text = "hello\nKTAP version 1\n1..1\nokay 1\n  not okay\n    ok 1 deep\n"
			"  # SKIP\nok 1 a\n",
		.n_passed = 1,
		.planned = TRUE,
	},
	{.name = "carriage-returns",
	 .text = "KTAP version 1\r\n1..1\r\nok 1 a\r\n",
	 .n_passed = 1,
	 .planned = TRUE},
	{.name = "no-name",
	 .text = "KTAP version 1\n1..1\nnot ok 1\n",
	 .failed = "(unnamed) ",
	 .planned = TRUE},
	{.name = "slash", .text = "1..1\nnot ok 1 a/b\n", .failed = "a_b ", .planned = TRUE},
	/* What is wrong. */
	{.name = "empty", .text = "", .problem = "there is no KTAP in it"},
	{.name = "garbage", .text = "\001\377{{{\n\n", .problem = "there is no KTAP in it"},
	{
		.name = "short",
		.text = "KTAP version 1\n1..3\nok 1 a\nok 2 b\n",
		.n_passed = 2,
		.planned = TRUE,
		.problem = "it has 2 results where 3 were planned",
	},
	{
		.name = "long",
		.text = "KTAP version 1\n1..1\nok 1 a\nok 2 b\n",
		.n_passed = 2,
		.planned = TRUE,
		.problem = "it has 2 results where only 1 were planned",
	},
	{
		.name = "nested-short",
		.text = "KTAP version 1\n1..1\n  KTAP version 1\n  1..2\n  ok 1 a\nok 1 p\n",
		.n_passed = 1,
		.planned = TRUE,
		.problem = "a test has 1 results where 2 were planned",
	},
	{
		.name = "cut-inside",
		.text = "KTAP version 1\n1..1\n  KTAP version 1\n  1..2\n  ok 1 a\n",
		.n_passed = 1,
		.planned = TRUE,
		.problem = "it ends inside the subtests of a test",
	},
	{
		.name = "out-of-turn",
		.text = "KTAP version 1\n1..2\nok 1 a\nok 3 b\n",
		.n_passed = 2,
		.planned = TRUE,
		.problem = "result 3 stands where result 2 belongs",
	},
	{
		.name = "twice",
		.text = "KTAP version 1\n1..1\nok 1 a\nKTAP version 1\n1..1\nok 1 a\n",
		.n_passed = 2,
		.planned = TRUE,
		.problem = "a second report begins",
	},
	{
		.name = "second-plan",
		.text = "KTAP version 1\n1..1\n1..1\nok 1 a\n",
		.n_passed = 1,
		.planned = TRUE,
		.problem = "a second plan",
	},
	{
		.name = "bail-out",
		.text = "TAP version 13\n1..2\nok 1 a\nBail out! no memory\n",
		.n_passed = 1,
		.planned = TRUE,
		.problem = "it bailed out",
	},
	{
		.name = "no-number",
		.text = "TAP version 13\n1..1\nok a\n",
		.n_passed = 1,
		.planned = TRUE,
		.problem = "result 1 has no number",
	},
};

static char *join(const GPtrArray *names)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < names->len; i++)
		g_string_append_printf(text, "%s ", (const char *)names->pdata[i]);
	return g_string_free(text, FALSE);
}

static void test_text(gconstpointer data)
{
	const struct wanted *wanted = data;
	AUTO(ktap) *ktap = ktap_parse(wanted->text, strlen(wanted->text));
	g_autofree char *failed = join(ktap->failed);
	g_autofree char *skipped = join(ktap->skipped);

	g_assert_cmpstr(ktap->problem, ==, wanted->problem);
	g_assert_cmpuint(ktap->n_passed, ==, wanted->n_passed);
	g_assert_cmpuint(ktap->n_xfailed, ==, wanted->n_xfailed);
	g_assert_cmpstr(failed, ==, wanted->failed ? wanted->failed : "");
	g_assert_cmpstr(skipped, ==, wanted->skipped ? wanted->skipped : "");
	g_assert_cmpint(ktap->planned, ==, wanted->planned);
}

static void test_bounds(void)
{
	g_autoptr(GString) deep = g_string_new("KTAP version 1\n");
	g_autoptr(GString) many = g_string_new("KTAP version 1\n");

	for (unsigned i = 1; i <= KTAP_DEPTH_MAX; i++)
		g_string_append_printf(deep, "%*sKTAP version 1\n", (int)(2 * i), "");
	for (unsigned i = 1; i <= KTAP_RESULTS_MAX + 1; i++)
		g_string_append_printf(many, "ok %u\n", i);
	AUTO(ktap) *ktap_deep = ktap_parse(deep->str, deep->len);
	AUTO(ktap) *ktap_many = ktap_parse(many->str, many->len);
	g_assert_cmpstr(ktap_deep->problem, ==, "subtests more than 16 deep");
	g_assert_cmpstr(ktap_many->problem, ==, "more than 100000 results");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *name = g_strdup_printf("/ktap/%s", texts[i].name);

		g_test_add_data_func(name, &texts[i], test_text);
	}
	g_test_add_func("/ktap/bounds", test_bounds);
	return g_test_run();
}
