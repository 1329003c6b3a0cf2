// SPDX-License-Identifier: GPL-2.0-only
#include "test_verdict_help.h"
#include "verdict/findings.h"

/* The contract: the worst check makes the verdict, ERROR over FAIL over TIMEOUT over SKIP. */
static void test_worst_wins(void)
{
	static const enum verdict order[] = {VERDICT_PASS,    VERDICT_SKIP, VERDICT_INVALID,
					     VERDICT_TIMEOUT, VERDICT_FAIL, VERDICT_ERROR};
	AUTO(checks) *checks = checks_new();

	for (unsigned i = 0; i < G_N_ELEMENTS(order); i++) {
		checks_add(checks, &(struct check){.name = "x", .verdict = order[i]});
		checks_add(checks, &(struct check){.name = "y", .verdict = VERDICT_PASS});
		g_assert_cmpstr(verdict_name(checks_verdict(checks)), ==, verdict_name(order[i]));
	}
}

static void test_no_check_is_error(void)
{
	AUTO(checks) *checks = checks_new();

	g_assert_cmpint(checks_verdict(checks), ==, VERDICT_ERROR);
}

static void test_nothing_compared_is_error(void)
{
	AUTO(checks) *checks = checks_new();

	findings_close(findings_new("a", VERDICT_FAIL, "CPUs", NULL), checks);
	assert_check(checks, "a", VERDICT_ERROR, NULL);
}

static void test_passed_says_what_it_compared(void)
{
	AUTO(checks) *checks = checks_new();
	struct findings *findings = findings_new("a", VERDICT_FAIL, "spans", "proc/schedstat");

	findings_compared(findings, 40);
	findings_compared(findings, 2);
	findings_close(findings, checks);
	assert_check(checks, "a", VERDICT_PASS, NULL);
	g_assert_cmpstr(checks_get(checks, 0)->reason, ==, "42 spans compared");
	g_assert_cmpstr(checks_get(checks, 0)->evidence, ==, "proc/schedstat");
}

static void test_equal_findings_are_one(void)
{
	static const unsigned cpus[] = {9, 4, 5};
	AUTO(checks) *checks = checks_new();
	struct findings *findings = findings_new("a", VERDICT_FAIL, "spans", NULL);

	findings_compared(findings, 3);
	for (unsigned i = 0; i < G_N_ELEMENTS(cpus); i++)
		findings_add(findings, &(struct finding){.cpu = (int)cpus[i],
							 .level = 1,
							 .expected = "0-3",
							 .observed = "0-2"});
	findings_add(findings,
		     &(struct finding){.cpu = 6, .level = 2, .expected = "0-3", .observed = "0-2"});
	findings_close(findings, checks);
	g_assert_cmpuint(checks_count(checks), ==, 2);
	g_assert_cmpint(checks_get(checks, 0)->cpu, ==, 4);
	g_assert_cmpstr(checks_get(checks, 0)->cpus, ==, "4-5,9");
	g_assert_cmpint(checks_get(checks, 1)->cpu, ==, 6);
	g_assert_cmpint(checks_get(checks, 1)->level, ==, 2);
}

/* 256 CPUs with a finding of their own each must not make a report of 256 paragraphs. */
static void test_many_findings_are_folded(void)
{
	AUTO(checks) *checks = checks_new();
	AUTO(cpus) *named = cpus_new();
	struct findings *findings = findings_new("a", VERDICT_FAIL, "spans", NULL);

	findings_compared(findings, 256);
	for (int cpu = 0; cpu < 256; cpu++) {
		g_autofree char *observed = g_strdup_printf("%d", cpu);

		findings_add(findings,
			     &(struct finding){.cpu = cpu, .level = -1, .observed = observed});
	}
	findings_close(findings, checks);
	g_assert_cmpuint(checks_count(checks), <=, 8);
	for (guint i = 0; i < checks_count(checks); i++) {
		AUTO(cpus) *set = set_of(checks_get(checks, i)->cpus);

		g_assert_cmpint(checks_get(checks, i)->verdict, ==, VERDICT_FAIL);
		cpus_or(named, set);
	}
	g_assert_cmpuint(cpus_count(named), ==, 256);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/verdict/checks/worst-wins", test_worst_wins);
	g_test_add_func("/verdict/checks/none", test_no_check_is_error);
	g_test_add_func("/verdict/checks/nothing-compared", test_nothing_compared_is_error);
	g_test_add_func("/verdict/checks/passed", test_passed_says_what_it_compared);
	g_test_add_func("/verdict/checks/equal-findings", test_equal_findings_are_one);
	g_test_add_func("/verdict/checks/folded", test_many_findings_are_folded);
	return g_test_run();
}
