// SPDX-License-Identifier: GPL-2.0-only
/* `topolab diff`: on results by hand, and on the saved ones. */
#include "../run_topolab.h"
#include "report/diff.h"
#include "test_report_pages.h"

#include <string.h>

static char *compare(struct result *left, struct result *right)
{
	struct diff_side ours = {"a", left, left->judgement->observed};
	struct diff_side theirs = {"b", right, right->judgement->observed};

	return report_diff(&ours, &theirs, &(struct report_style){.utf8 = true});
}

static void test_equal(void)
{
	AUTO(result) *left = passed();
	AUTO(result) *right = passed();
	g_autofree char *text = NULL;

	/* What need not be the same. */
	right->wall_ms = 1;
	right->boot_ms = 2;
	right->qemu = (g_free(right->qemu), g_strdup("8.2"));
	right->host = (g_free(right->host), NULL);
	right->kernel = (g_free(right->kernel), g_strdup("bzImage"));
	text = compare(left, right);
	g_assert_cmpstr(text, ==, "");
}

/* CPU 4's MC is 0-15 and not 0-3; in the machine by hand the others are as before. */
static void test_fail(void)
{
	AUTO(result) *left = passed();
	AUTO(result) *right = failed();
	g_autofree char *text = NULL;

	replace_set(&domain_tree_get(left->judgement->observed, 4, 1)->span, "4-7");
	text = compare(left, right);
	g_assert_cmpstr(
		text, ==,
		"--- a\n+++ b\n"
		"verdict\n  - PASS\n  + FAIL\n"
		"checks\n"
		"  + FAIL domains.rules: MC spans other CPUs than the machine asks for, CPUs "
		"4-7,12, domain1, expected 4-7, observed 0-15\n"
		"  + FAIL domains.rules: MC spans other CPUs than the machine asks for, CPU 4, "
		"domain1, expected 4-7, observed 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,"
		"33,35,37,39,41,43,45,47,49,51,53,55,57,59,61,63\n"
		"domains of CPU 4\n  - domain1 MC span 4-7\n  + domain1 MC span 0-15\n");
}

static void test_kernel(void)
{
	AUTO(result) *left = passed();
	AUTO(result) *right = passed();
	g_autofree char *text = NULL;

	right->kernel_release = (g_free(right->kernel_release), g_strdup("7.3.4\033[31m"));
	right->kernel_sha256 = (g_free(right->kernel_sha256), NULL);
	right->command_line = (g_free(right->command_line), g_strdup("sched_verbose quiet"));
	text = compare(left, right);
	g_assert_cmpstr(text, ==,
			"--- a\n+++ b\n"
			"kernel\n  - 6.12.117+deb12-cloud-amd64, SHA-256 ab12\n"
			"  + 7.3.4?[31m, SHA-256 not known\n"
			"cmdline\n  - console=ttyS0\n  + quiet\n");
	g_free(text);
	right->kernel_release = (g_free(right->kernel_release), g_strdup(left->kernel_release));
	right->kernel_sha256 = g_strdup("ab12");
	right->command_line =
		(g_free(right->command_line), g_strdup("sched_verbose console=ttyS0"));
	text = compare(left, right);
	g_assert_cmpstr(text, ==,
			"--- a\n+++ b\ncmdline\n  - console=ttyS0 sched_verbose\n"
			"  + sched_verbose console=ttyS0\n");
}

/* The same names twice, one level more on one side, flags, groups and CPUs. */
static struct domain_tree *chain(unsigned n_cpus, const char *extra, const char *flags,
				 const char *group)
{
	struct domain_tree *tree = domain_tree_new();

	for (unsigned cpu = 0; cpu < n_cpus; cpu++) {
		g_autofree char *own = g_strdup_printf("%u-%u", cpu & ~1u, cpu | 1);

		add_domain(tree, cpu, "SMT", -1, own, "SD_A SD_B", NULL);
		if (extra)
			add_domain(tree, cpu, extra, -1, "0-3", "SD_A", NULL);
		add_domain(tree, cpu, "MC", -1, "0-3", flags, NULL);
		add_domain(tree, cpu, "NUMA", -1, "0-3", "SD_A", NULL);
		add_domain(tree, cpu, "NUMA", -1, "0-7", "SD_A", NULL);
		if (group)
			domain_add_group(domain_tree_get(tree, cpu, 0),
					 cpus_parse_list(group, NULL));
	}
	return tree;
}

static char *compare_trees(struct domain_tree *left, struct domain_tree *right)
{
	GString *out = g_string_new(NULL);

	diff_domains(out, left, right, &(struct report_style){.utf8 = true});
	if (left)
		domain_tree_free(left);
	if (right)
		domain_tree_free(right);
	return g_string_free(out, FALSE);
}

static void test_domains(void)
{
	g_autofree char *same =
		compare_trees(chain(4, NULL, "SD_A", "0"), chain(4, NULL, "SD_A", "0"));
	g_autofree char *level =
		compare_trees(chain(4, NULL, "SD_A", NULL), chain(4, "CLS", "SD_A", NULL));
	g_autofree char *lost =
		compare_trees(chain(4, "CLS", "SD_A", NULL), chain(4, NULL, "SD_A", NULL));
	g_autofree char *flags =
		compare_trees(chain(4, NULL, "SD_A SD_C", NULL), chain(4, NULL, "SD_A SD_D", NULL));
	g_autofree char *groups =
		compare_trees(chain(2, NULL, "SD_A", "0"), chain(2, NULL, "SD_A", NULL));
	g_autofree char *cpus =
		compare_trees(chain(2, NULL, "SD_A", NULL), chain(4, NULL, "SD_A", NULL));
	g_autofree char *none = compare_trees(NULL, chain(2, NULL, "SD_A", NULL));
	g_autofree char *neither = compare_trees(NULL, NULL);

	g_assert_cmpstr(same, ==, "");
	g_assert_cmpstr(level, ==,
			"domains of CPU 0, of 4 that differ alike: 0-3\n"
			"  + domain1 CLS span 0-3 flags SD_A\n");
	g_assert_cmpstr(lost, ==,
			"domains of CPU 0, of 4 that differ alike: 0-3\n"
			"  - domain1 CLS span 0-3 flags SD_A\n");
	g_assert_cmpstr(flags, ==,
			"domains of CPU 0, of 4 that differ alike: 0-3\n"
			"  - domain1 MC flags SD_C\n  + domain1 MC flags SD_D\n");
	g_assert_cmpstr(groups, ==,
			"domains of CPU 0, of 2 that differ alike: 0-1\n"
			"  - domain0 SMT groups 0\n  + domain0 SMT groups not shown\n");
	g_assert_cmpstr(cpus, ==, "CPUs with domains\n  + CPUs 2-3\n");
	g_assert_cmpstr(none, ==, "domains\n  - were not seen\n  + were seen\n");
	g_assert_cmpstr(neither, ==, "");
}

/* What the saved evidence of two kernels says of the SNC-3 machine, and of itself. */
static void test_saved(void)
{
	struct topolab_run same = topolab_run("diff %s/tests/saved/nps4-6.12 "
					      "%s/tests/saved/nps4-6.12/result.json",
					      TOPOLAB_SOURCE, TOPOLAB_SOURCE);
	struct topolab_run fixed = topolab_run("diff %s/tests/saved/gnr-snc3-mini-6.12 "
					       "%s/tests/saved/gnr-snc3-mini-7.3",
					       TOPOLAB_SOURCE, TOPOLAB_SOURCE);

	g_assert_cmpint(same.status, ==, 0);
	g_assert_cmpstr(same.output, ==, "");
	g_assert_cmpint(fixed.status, ==, 1);
	g_assert_nonnull(strstr(fixed.output, "verdict\n  - FAIL\n  + PASS\n"));
	g_assert_nonnull(strstr(fixed.output, "  - FAIL invariants.groups-cover: no group of NUMA "
					      "holds CPUs 8-9 of its span, CPUs 0-1"));
	g_assert_nonnull(strstr(fixed.output, "  + PASS invariants.groups-cover\n"));
	topolab_run_clear(&same);
	topolab_run_clear(&fixed);
}

static void make_job(const char *run, const char *job, const char *saved)
{
	g_autofree char *folder = g_build_filename(run, job, NULL);
	g_autofree char *to = g_build_filename(folder, "result.json", NULL);
	g_autofree char *from =
		g_build_filename(TOPOLAB_SOURCE, "tests", "saved", saved, "result.json", NULL);
	g_autofree char *text = NULL;
	gsize length;

	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_assert_true(g_file_get_contents(from, &text, &length, NULL));
	g_assert_true(g_file_set_contents(to, text, (gssize)length, NULL));
}

/* Runs with one kernel each are compared machine by machine. */
static void test_runs(void)
{
	g_autofree char *a = g_dir_make_tmp("topolab-diff-XXXXXX", NULL);
	g_autofree char *b = g_dir_make_tmp("topolab-diff-XXXXXX", NULL);
	struct topolab_run run;

	make_job(a, "nps2-mini/debian-6.12", "nps2-mini-6.12");
	make_job(a, "snc4-mini/debian-6.12", "snc4-mini-6.12");
	make_job(b, "nps2-mini/debian-6.12", "nps2-mini-6.12");
	run = topolab_run("diff %s %s", a, b);
	g_assert_cmpint(run.status, ==, 1);
	g_assert_true(g_str_has_prefix(run.output, a));
	g_assert_nonnull(
		strstr(run.output, "snc4-mini/debian-6.12/result.json has no counterpart"));
	g_assert_null(strstr(run.output, "---"));
	topolab_run_clear(&run);
	make_job(b, "snc4-mini/debian-7.3", "snc4-mini-7.3");
	run = topolab_run("diff %s %s", a, b);
	g_assert_cmpint(run.status, ==, 1);
	g_assert_null(strstr(run.output, "no counterpart"));
	g_assert_nonnull(strstr(run.output, "\nkernel\n  - 6.12."));
	topolab_run_clear(&run);
	folder_remove(a);
	folder_remove(b);
}

static void test_bad_input(void)
{
	static const char *const lines[] = {
		"diff /no/such /no/such/either",
		"diff " TOPOLAB_SOURCE "/tests/saved/nps4-6.12 /no/such",
		"diff " TOPOLAB_SOURCE "/tests/saved/nps4-6.12 " TOPOLAB_SOURCE "/tests/junit.xsd",
		"diff " TOPOLAB_SOURCE "/tests/saved/nps4-6.12",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		struct topolab_run run = topolab_run("%s", lines[i]);

		g_assert_cmpint(run.status, ==, 2);
		g_assert_cmpstr(run.output, ==, "");
		g_assert_cmpstr(run.errors, !=, "");
		topolab_run_clear(&run);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/diff/equal", test_equal);
	g_test_add_func("/diff/fail", test_fail);
	g_test_add_func("/diff/kernel", test_kernel);
	g_test_add_func("/diff/domains", test_domains);
	g_test_add_func("/diff/saved", test_saved);
	g_test_add_func("/diff/runs", test_runs);
	g_test_add_func("/diff/bad-input", test_bad_input);
	return g_test_run();
}
