// SPDX-License-Identifier: GPL-2.0-only
/* CPU sets and the kernel's two ways to write them. */
#include "base/cpus.h"
#include "base/error.h"

static void assert_list(const struct cpus *set, const char *list)
{
	g_autofree char *text = cpus_to_list(set);

	g_assert_cmpstr(text, ==, list);
}

static void test_list(void)
{
	static const struct {
		const char *text;
		unsigned count;
		const char *written; /* NULL: as read */
	} rows[] = {
		{"", 0, NULL},		{"0", 1, NULL},	       {"0-7,128-135", 16, NULL},
		{"0,2,4", 3, NULL},	{"63-64", 2, NULL}, /* across words */
		{"0-8191", 8192, NULL}, {"8191", 1, NULL},     {"5-5", 1, "5"},
		{"1,0", 2, "0-1"},	{"0-3,2-5", 6, "0-5"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(cpus) *set = cpus_parse_list(rows[i].text, &error);

		g_assert_no_error(error);
		g_assert_cmpuint(cpus_count(set), ==, rows[i].count);
		assert_list(set, rows[i].written ? rows[i].written : rows[i].text);
	}
}

static void test_list_hostile(void)
{
	static const char *const rows[] = {
		" ",
		"0 ",
		" 0",
		"0,",
		",0",
		"0,,1",
		"-",
		"-1",
		"1-",
		"3-1",
		"0-",
		"8192",
		"0-8192",
		"0x1",
		"1.0",
		"0-1-2",
		"a",
		"0\n",
		"+1",
		"0-+1",
		"0;1",
		"0-7:1/2",
		"all",
		"4294967296",
		"-0",
		"0--1",
		"99999999999999999999999999999",
		"18446744073709551616",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(cpus) *set = cpus_parse_list(rows[i], &error);

		if (set)
			g_test_message("'%s' was read", rows[i]);
		g_assert_null(set);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	}
}

/*
 * The four masks of /proc/schedstat in Chen Yu's mail to LKML, June 2023, Re: [tip: sched/core]
 * sched/fair: Multi-LLC select_idle_sibling(), on 2 x 56 cores x 2 threads. The lists are by hand:
 * word n from the right holds CPUs 32n to 32n + 31.
 */
static void test_mask(void)
{
	static const struct {
		const char *mask, *list;
	} rows[] = {
		{"00000000,00000000,00000000,00010000,00000000,00000000,00000001", "0,112"},
		{"00000000,00000000,00000000,3fff0000,00000000,00000000,00003fff", "0-13,112-125"},
		{"00000000,000000ff,ffffffff,ffff0000,00000000,00ffffff,ffffffff", "0-55,112-167"},
		{"ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff,ffffffff", "0-223"},
		{"00000000,0000ff00", "8-15"},
		{"ff",
		 "0-7"}, /* fewer than 32 possible CPUs: bitmap_string() cuts the first word */
		{"1,00000000", "32"},
		{"0", ""},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(cpus) *set = cpus_parse_mask(rows[i].mask, &error);

		g_assert_no_error(error);
		if (set)
			assert_list(set, rows[i].list);
	}
}

static void test_mask_hostile(void)
{
	static const char *const rows[] = {
		"",
		",",
		"ff,",
		",ff",
		"0x1",
		"f f",
		"FF",
		"123456789",
		"00000000,1",
		"1,2,3",
		"g",
		"00000001 ",
		"-1",
		"00000000;00000001",
		"0000000g,00000000",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(cpus) *set = cpus_parse_mask(rows[i], &error);

		if (set)
			g_test_message("'%s' was read", rows[i]);
		g_assert_null(set);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	}
}

/* 256 words hold CPUS_MAX CPUs; one more is refused whatever it holds. */
static void test_mask_long(void)
{
	g_autoptr(GString) text = g_string_new("80000000");
	AUTO(cpus) *set = NULL;
	AUTO(cpus) *longer = NULL;

	for (unsigned i = 1; i < CPUS_MAX / 32; i++)
		g_string_append(text, ",00000000");
	set = cpus_parse_mask(text->str, NULL);
	g_assert_nonnull(set);
	assert_list(set, "8191");
	g_string_append(text, ",00000000");
	longer = cpus_parse_mask(text->str, NULL);
	g_assert_null(longer);
}

static void test_algebra(void)
{
	AUTO(cpus) *low = cpus_parse_list("0-7,128", NULL);
	AUTO(cpus) *high = cpus_parse_list("4-11", NULL);
	AUTO(cpus) *set = cpus_copy(low);

	g_assert_true(cpus_equal(set, low));
	cpus_or(set, high);
	assert_list(set, "0-11,128");
	g_assert_true(cpus_subset(low, set));
	g_assert_false(cpus_subset(set, low));
	cpus_and(set, high);
	assert_list(set, "4-11");
	cpus_andnot(set, low);
	assert_list(set, "8-11");
	g_assert_false(cpus_intersects(set, low));
	g_assert_true(cpus_intersects(high, low));
	assert_list(low, "0-7,128");
	cpus_remove(low, 128);
	cpus_remove(low, 8191);
	assert_list(low, "0-7");
	g_assert_false(cpus_has(low, 128));
	g_assert_false(cpus_has(low, 8191));
	g_assert_true(cpus_has(low, 7));
}

/* Sets that reserved different lengths are equal by their members, and hash so. */
static void test_equality(void)
{
	AUTO(cpus) *a = cpus_parse_list("3,70", NULL);
	AUTO(cpus) *b = cpus_parse_list("3,70,8000", NULL);
	AUTO(cpus) *empty = cpus_new();
	AUTO(cpus) *emptied = cpus_parse_list("500", NULL);

	g_assert_false(cpus_equal(a, b));
	cpus_remove(b, 8000);
	g_assert_true(cpus_equal(a, b));
	g_assert_true(cpus_hash_equal(a, b));
	g_assert_cmpuint(cpus_hash(a), ==, cpus_hash(b));
	cpus_remove(emptied, 500);
	g_assert_true(cpus_is_empty(emptied));
	g_assert_true(cpus_equal(empty, emptied));
	g_assert_cmpuint(cpus_hash(empty), ==, cpus_hash(emptied));
	g_assert_true(cpus_subset(empty, a));
}

static void test_next(void)
{
	static const int members[] = {0, 63, 64, 127, 128, 8191};
	AUTO(cpus) *set = cpus_parse_list("0,63-64,127-128,8191", NULL);
	unsigned i = 0;

	CPUS_FOREACH (cpu, set)
		g_assert_cmpint(cpu, ==, members[i++]);
	g_assert_cmpuint(i, ==, G_N_ELEMENTS(members));
	g_assert_cmpint(cpus_next(set, 8191), ==, -1);
	g_assert_cmpint(cpus_next(set, 64), ==, 127);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/cpus/list", test_list);
	g_test_add_func("/cpus/list-hostile", test_list_hostile);
	g_test_add_func("/cpus/mask", test_mask);
	g_test_add_func("/cpus/mask-hostile", test_mask_hostile);
	g_test_add_func("/cpus/mask-long", test_mask_long);
	g_test_add_func("/cpus/algebra", test_algebra);
	g_test_add_func("/cpus/equality", test_equality);
	g_test_add_func("/cpus/next", test_next);
	return g_test_run();
}
