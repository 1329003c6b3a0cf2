// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/schedstat. The lines of a split-LLC Sapphire Rapids are from Chen Yu's mail of 2023-06-15,
 * "Re: [tip: sched/core] sched/fair: Multi-LLC select_idle_sibling()"; the columns of the other
 * versions from show_schedstat() in kernel/sched/stats.c of Linux 6.12 and 7.3.
 */
#include "base/error.h"
#include "observe/schedstat.h"

#define ZEROS12 " 0 0 0 0 0 0 0 0 0 0 0 0"
#define ZEROS36 ZEROS12 ZEROS12 ZEROS12
#define ZEROS45 ZEROS36 " 0 0 0 0 0 0 0 0 0"

static const char mail[] =
	"version 15\n"
	"timestamp 4299327482\n"
	"cpu0 0 0 0 0 0 0 15968391465 3630455022 18084\n"
	"domain0 00000000,00000000,00000000,00010000,00000000,00000000,00000001" ZEROS36 "\n"
	"domain1 00000000,00000000,00000000,3fff0000,00000000,00000000,00003fff" ZEROS36 "\n"
	"domain2 00000000,000000ff,ffffffff,ffff0000,00000000,00ffffff,ffffffff" ZEROS36 "\n"
	"domain3 ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff" ZEROS36 "\n";

static void assert_span(const struct domain_tree *tree, unsigned cpu, unsigned index,
			const char *name, const char *span)
{
	const struct domain *domain = domain_tree_get(tree, cpu, index);
	g_autofree char *list = NULL;

	g_assert_nonnull(domain);
	list = cpus_to_list(domain->span);
	g_assert_cmpstr(list, ==, span);
	g_assert_cmpstr(domain->name, ==, name);
	g_assert_null(domain->flags);
	g_assert_null(domain->groups);
	g_assert_cmpint(domain->level, ==, -1);
}

/* Words of 32 bits, the first has the highest CPUs: bit 16 of the fourth from the end is 112. */
static void test_mail(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = schedstat_parse(mail, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(cpus_count(domain_tree_cpus(tree)), ==, 1);
	g_assert_cmpuint(domain_tree_depth(tree, 0), ==, 4);
	assert_span(tree, 0, 0, NULL, "0,112");
	assert_span(tree, 0, 1, NULL, "0-13,112-125");
	assert_span(tree, 0, 2, NULL, "0-55,112-167");
	assert_span(tree, 0, 3, NULL, "0-223");
}

static void test_version_16(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = schedstat_parse("version 16\ntimestamp 1\n"
						  "cpu0 1 0 2 3 4 5 6 7 8\n"
						  "domain0 3" ZEROS36 "\n"
						  "cpu1 1 0 2 3 4 5 6 7 8\n"
						  "domain0 3" ZEROS36 "\n"
						  "cpu5 1 0 2 3 4 5 6 7 8\n",
						  &error);
	g_autofree char *cpus = NULL;

	g_assert_no_error(error);
	cpus = cpus_to_list(domain_tree_cpus(tree));
	g_assert_cmpstr(cpus, ==, "0-1,5");
	assert_span(tree, 1, 0, NULL, "0-1");
	/* An isolated CPU is there and has none. */
	g_assert_cmpuint(domain_tree_depth(tree, 5), ==, 0);
}

static void test_version_17(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = schedstat_parse("version 17\ntimestamp 4294893967\n"
						  "cpu0 0 0 0 0 0 0 1712837329 386404709 1227\n"
						  "domain0 SMT 00000003" ZEROS45 "\n"
						  "domain1 NUMA ffffffff" ZEROS45,
						  &error);

	g_assert_no_error(error);
	assert_span(tree, 0, 0, "SMT", "0-1");
	assert_span(tree, 0, 1, "NUMA", "0-31");
}

#define V16  "version 16\ntimestamp 1\n"
#define V17  "version 17\ntimestamp 1\n"
#define CPU0 "cpu0 0 0 0 0 0 0 0 0 0\n"

static void test_malformed(void)
{
	static const char *const texts[] = {
		"",
		"\n",
		"version 14\ntimestamp 1\n" CPU0,
		"version 18\ntimestamp 1\n" CPU0,
		"version 16 \ntimestamp 1\n" CPU0,
		"version 16\n" CPU0,
		"version 16\ntimestamp\n" CPU0,
		V16 "cpu0 0 0 0 0 0 0 0 0",	     /* 8 numbers */
		V16 "cpu0 0 0 0 0 0 0 0 0 0 0",	     /* 10 */
		V16 "cpu8192 0 0 0 0 0 0 0 0 0",     /* no such CPU */
		V16 CPU0 CPU0,			     /* twice */
		V16 "cpu1 0 0 0 0 0 0 0 0 0\n" CPU0, /* out of order */
		V16 "domain0 3" ZEROS36,	     /* of no CPU */
		V16 CPU0 "domain1 3" ZEROS36,	     /* the first is domain0 */
		V16 CPU0 "domain0 3" ZEROS36 "\ndomain0 3" ZEROS36,
		V16 CPU0 "domain0 3" ZEROS12 ZEROS12 " 0 0 0 0 0 0 0 0 0 0 0", /* 35 */
		V16 CPU0 "domain0 3" ZEROS36 " 0",			       /* 37 */
		V16 CPU0 "domain0 3" ZEROS36 " ",
		V16 CPU0 "domain0 3" ZEROS45,
		V16 CPU0 "domain0 SMT 3" ZEROS36, /* a name in version 16 */
		V16 CPU0 "domain0 3  0" ZEROS12 ZEROS12 " 0 0 0 0 0 0 0 0 0 0 0",
		V16 CPU0 "domain0 3 -1" ZEROS12 ZEROS12 " 0 0 0 0 0 0 0 0 0 0 0",
		V16 CPU0 "domain0 000000003" ZEROS36, /* a word of 9 digits */
		V16 CPU0 "domain0 3,3" ZEROS36,	      /* a short word inside */
		V16 CPU0 "domain0 3,,00000003" ZEROS36,
		V17 CPU0 "domain0 00000003" ZEROS45, /* no name */
		V17 CPU0 "domain0 SMT 00000003" ZEROS36,
		V17 CPU0 "domain0 SMT 00000003" ZEROS36 " 0 0 0 0 0 0 0 0",	/* 44 */
		V17 CPU0 "domain0 SMT 00000003" ZEROS36 " 0 0 0 0 0 0 0 0 0 0", /* 46 */
		V16 CPU0 "\n" CPU0,
		V16 "cpu99999999999999999999 0 0 0 0 0 0 0 0 0\n",
		V16 CPU0 "domain0 3 99999999999999999999999" ZEROS36,
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(domain_tree) *tree = schedstat_parse(texts[i], &error);

		if (tree)
			g_error("accepted: '%s'", texts[i]);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	}
}

/* A mask of 8192 CPUs has 256 words; one more is more than any set holds. */
static void test_mask_width(void)
{
	g_autoptr(GString) words = g_string_new("ffffffff");

	for (unsigned n = 1; n <= 257; n++) {
		g_autofree char *text = g_strdup_printf(V16 CPU0 "domain0 %s" ZEROS36, words->str);
		g_autoptr(GError) error = NULL;
		AUTO(domain_tree) *tree = schedstat_parse(text, &error);

		if (n <= 256)
			g_assert_cmpuint(cpus_count(domain_tree_get(tree, 0, 0)->span), ==, n * 32);
		else
			g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		g_string_append(words, ",ffffffff");
	}
}

static void test_message(void)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(schedstat_parse(V16 CPU0 "domain0 3 0", &error));
	g_assert_cmpstr(error->message, ==,
			"line 4 of 'proc/schedstat' (version 16) is malformed: 'domain0 3 0'");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/schedstat/mail", test_mail);
	g_test_add_func("/schedstat/version-16", test_version_16);
	g_test_add_func("/schedstat/version-17", test_version_17);
	g_test_add_func("/schedstat/malformed", test_malformed);
	g_test_add_func("/schedstat/mask-width", test_mask_width);
	g_test_add_func("/schedstat/message", test_message);
	return g_test_run();
}
