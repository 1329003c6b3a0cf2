// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guest tests: their files, the message for each wrong one, and the table of README.md, which says
 * what must run and pass where: it and the files must agree.
 */
#include "kernel/headers.h"
#include "run/guest_test.h"
#include "run/tests.h"

#include "../golden.h"

#include "base/error.h"

#include <string.h>

/* The columns of README.md's table. */
static const char *const series[] = {"6.1", "6.12", "7.3"};

static bool load_golden(const char *text, gsize length, const char *file, GError **error)
{
	AUTO(guest_test) *test = guest_test_parse(text, length, "test", file, error);

	return test;
}

static void test_bad(void)
{
	golden_check_errors("bad-test", load_golden);
}

static void test_keys(void)
{
	static const char text[] = "title: t\n"
				   "group: g\n"
				   "selftests: rseq\n"
				   "include: [tools/include]\n"
				   "flags: [-O2]\n"
				   "needs: [RSEQ]\n"
				   "environment: [A=b c]\n"
				   "answer: exit\n"
				   "seconds: 5\n"
				   "programs:\n"
				   "  - name: one\n"
				   "    sources: [a.c, b.c]\n"
				   "    helpers: [c.c]\n"
				   "    flags: [-DX]\n"
				   "    runs: [[-T, s], []]\n"
				   "    since: '6.3'\n"
				   "    must-pass: ['6.12']\n"
				   "  - name: two\n"
				   "    sources: [d.c]\n"
				   "    answer: ktap\n"
				   "    seconds: 7\n"
				   "    arguments: [x]\n"
				   "    measures: time\n";
	g_autoptr(GError) error = NULL;
	AUTO(guest_test) *test = guest_test_parse(text, strlen(text), "n", "test.yaml", &error);
	const struct guest_program *one, *two;

	g_assert_no_error(error);
	one = test->programs->pdata[0];
	two = test->programs->pdata[1];
	g_assert_cmpstr(test->name, ==, "n");
	g_assert_cmpstr(test->group, ==, "g");
	g_assert_cmpstr(test->selftests, ==, "rseq");
	g_assert_cmpstr(test->include->pdata[0], ==, "tools/include");
	g_assert_cmpuint(one->sources->len, ==, 2);
	g_assert_cmpstr(one->helpers->pdata[0], ==, "c.c");
	g_assert_cmpstr(one->flags->pdata[0], ==, "-O2");
	g_assert_cmpstr(one->flags->pdata[1], ==, "-DX");
	g_assert_cmpuint(one->runs->len, ==, 2);
	g_assert_cmpstr(((GPtrArray *)one->runs->pdata[0])->pdata[1], ==, "s");
	g_assert_cmpstr(one->needs->pdata[0], ==, "RSEQ");
	g_assert_cmpstr(one->environment->pdata[0], ==, "A=b c");
	g_assert_cmpstr(one->since, ==, "6.3");
	g_assert_cmpstr(one->must_pass->pdata[0], ==, "6.12");
	g_assert_cmpint(one->answer, ==, ANSWER_EXIT);
	g_assert_cmpuint(one->seconds, ==, 5);
	g_assert_false(one->timing);
	g_assert_cmpint(two->answer, ==, ANSWER_KTAP);
	g_assert_cmpuint(two->seconds, ==, 7);
	g_assert_cmpuint(two->runs->len, ==, 1);
	g_assert_true(two->timing);
	g_assert_cmpuint(two->flags->len, ==, 1);
	g_assert_null(two->target);
	g_assert_false(test->patches_code);
}

/* What one of make's targets tests, and what a guest must be for it. */
static void test_target(void)
{
	static const char text[] = "title: t\n"
				   "selftests: sched_ext\n"
				   "target: runner\n"
				   "patches: code\n"
				   "answer: exit\n"
				   "seconds: 5\n"
				   "programs:\n"
				   "  - name: one\n"
				   "    sources: [a.c]\n"
				   "    memory: 1024\n"
				   "  - name: two\n"
				   "    target: other\n";
	g_autoptr(GError) error = NULL;
	AUTO(guest_test) *test = guest_test_parse(text, strlen(text), "n", "test.yaml", &error);
	const struct guest_program *one, *two;

	g_assert_no_error(error);
	one = test->programs->pdata[0];
	two = test->programs->pdata[1];
	g_assert_true(test->patches_code);
	g_assert_cmpstr(one->target, ==, "runner");
	g_assert_cmpuint(one->sources->len, ==, 1);
	g_assert_cmpuint(one->memory_mib, ==, 1024);
	g_assert_cmpstr(two->target, ==, "other");
	g_assert_cmpuint(two->memory_mib, ==, 0);
}

static bool must_pass(const struct guest_program *program, const char *version)
{
	for (guint i = 0; i < program->must_pass->len; i++)
		if (strcmp(program->must_pass->pdata[i], version) == 0)
			return true;
	return false;
}

/* " RSEQ | yes | yes | yes |" */
static char *row_end(const struct guest_program *program)
{
	GString *row = g_string_new(NULL);

	for (guint i = 0; i < program->needs->len; i++)
		g_string_append_printf(row, "%s %s", i ? "," : "",
				       (const char *)program->needs->pdata[i]);
	g_string_append(row, " |");
	for (gsize i = 0; i < G_N_ELEMENTS(series); i++)
		g_string_append(row, must_pass(program, series[i]) ? " yes |" : " |");
	return g_string_free(row, FALSE);
}

/* Of one target, on the same kernels: they share a row. */
static bool is_alike(const struct guest_program *a, const struct guest_program *b)
{
	g_autofree char *a_end = row_end(a);
	g_autofree char *b_end = row_end(b);

	return a == b || (a->target && b->target && strcmp(a->target, b->target) == 0 &&
			  strcmp(a_end, b_end) == 0);
}

/* "| rseq.basic_test | RSEQ | yes | yes | yes |"; NULL: it is in the row of one before it. */
static char *table_row(const struct guest_test *test, guint i)
{
	const struct guest_program *program = test->programs->pdata[i];
	g_autoptr(GString) names = g_string_new(NULL);
	g_autofree char *end = row_end(program);

	for (guint j = 0; j < test->programs->len; j++) {
		const struct guest_program *other = test->programs->pdata[j];

		if (!is_alike(program, other))
			continue;
		if (j < i)
			return NULL;
		g_string_append_printf(names, "%s%s", j > i ? ", " : "", other->name);
	}
	return g_strdup_printf("| %s.%s |%s", test->name, names->str, end);
}

static gsize count_rows(const char *readme, const char *head)
{
	const char *line = strstr(readme, head);
	gsize n = 0;

	while (line && *line == '|') {
		line = strchr(line, '\n') + 1;
		n++;
	}
	return n;
}

static void test_readme(void)
{
	static const char head[] = "| program | needs | 6.1 | 6.12 | 7.3 |\n";
	g_autofree char *path = g_build_filename(TOPOLAB_SOURCE, "README.md", NULL);
	g_autofree char *readme = NULL;
	g_auto(GStrv) names = guest_test_list();
	gsize n = 0;

	g_assert_true(g_file_get_contents(path, &readme, NULL, NULL));
	g_assert_nonnull(strstr(readme, head));
	for (unsigned i = 0; names[i]; i++) {
		AUTO(guest_test) *test = guest_test_load(names[i], NULL);

		g_assert_nonnull(test);
		for (guint j = 0; j < test->programs->len; j++) {
			g_autofree char *row = table_row(test, j);

			n += row != NULL;
			if (row && !strstr(readme, row))
				g_test_fail_printf("README.md has no row '%s'", row);
		}
	}
	/* The head, the line below it, and no row of a program that is gone. */
	g_assert_cmpuint(count_rows(readme, head), ==, n + 2);
}

/* Nothing is promised of a kernel that the table has no column for. */
static void test_series(void)
{
	g_auto(GStrv) names = guest_test_list();

	for (unsigned i = 0; names[i]; i++) {
		AUTO(guest_test) *test = guest_test_load(names[i], NULL);

		for (guint j = 0; j < test->programs->len; j++) {
			const struct guest_program *program = test->programs->pdata[j];
			guint n = 0;

			for (gsize k = 0; k < G_N_ELEMENTS(series); k++)
				n += must_pass(program, series[k]);
			g_assert_cmpuint(n, ==, program->must_pass->len);
		}
	}
}

static void test_choose(void)
{
	static const char *const by_name[] = {"domains", "rseq", "membarrier", "rseq", NULL};
	static const char *const by_group[] = {"selftests", "rseq", NULL};
	static const char *const by_path[] = {TOPOLAB_SOURCE "/tests/guest/rseq/", "rseq", NULL};
	static const char *const unknown[] = {"rsec", NULL};
	static const char *const absent[] = {"./no-such-test", NULL};
	g_autoptr(GPtrArray) none = run_tests_choose(NULL, NULL);
	g_autoptr(GPtrArray) named = run_tests_choose(by_name, NULL);
	g_autoptr(GPtrArray) grouped = run_tests_choose(by_group, NULL);
	g_autoptr(GPtrArray) at_path = run_tests_choose(by_path, NULL);
	g_autoptr(GError) error = NULL;

	g_assert_cmpuint(none->len, ==, 0);
	g_assert_cmpuint(named->len, ==, 2);
	g_assert_cmpstr(((struct guest_test *)named->pdata[0])->name, ==, "rseq");
	g_assert_cmpuint(grouped->len, ==, 4);
	g_assert_cmpuint(at_path->len, ==, 1);
	g_assert_null(run_tests_choose(unknown, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	g_clear_error(&error);
	g_assert_null(run_tests_choose(absent, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
}

/* The first lines of Linux's Makefile, and what is none. */
static void test_makefile(void)
{
	g_autofree char *linux_series = kernel_makefile_series(
		"# SPDX-License-Identifier: GPL-2.0\nVERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 117\n"
		"EXTRAVERSION =\nNAME = Baby Opossum Posse\n");
	g_autofree char *none = kernel_makefile_series("VERSION := x\nPATCHLEVEL = 1\n");
	g_autofree char *other = kernel_makefile_series("VERSIONS = 6\nPATCHLEVEL = 1\n");

	g_assert_cmpstr(linux_series, ==, "6.12");
	g_assert_null(none);
	g_assert_null(other);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/guest-test/bad", test_bad);
	g_test_add_func("/guest-test/keys", test_keys);
	g_test_add_func("/guest-test/target", test_target);
	g_test_add_func("/guest-test/readme", test_readme);
	g_test_add_func("/guest-test/series", test_series);
	g_test_add_func("/guest-test/choose", test_choose);
	g_test_add_func("/guest-test/makefile", test_makefile);
	return g_test_run();
}
