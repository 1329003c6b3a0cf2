// SPDX-License-Identifier: GPL-2.0-only
/* Jobs of a run among shards: every job once, however they are divided. */
#include "../run_topolab.h"
#include "base/error.h"
#include "base/paths.h"
#include "run/shard.h"
#include "topo/load.h"

#include <string.h>

static const struct parse_case {
	const char *text;
	struct shard shard; /* zeroed: an error */
} parse_cases[] = {
	{"1/1", {1, 1}},  {"2/4", {2, 4}},   {"64/64", {64, 64}}, {"0/4", {0, 0}},  {"5/4", {0, 0}},
	{"1/65", {0, 0}}, {"1", {0, 0}},     {"1/", {0, 0}},	  {"/2", {0, 0}},   {"", {0, 0}},
	{"01/2", {0, 0}}, {"1/2/3", {0, 0}}, {"-1/2", {0, 0}},	  {"1 /2", {0, 0}},
};

static void assert_parsed(const struct parse_case *parse_case)
{
	g_autoptr(GError) error = NULL;
	struct shard shard = {0};
	bool wanted = parse_case->shard.count > 0;

	g_assert_cmpint(shard_parse(parse_case->text, &shard, &error), ==, wanted);
	if (!wanted) {
		g_autofree char *sentence =
			g_strdup_printf("--shard takes I/N, the Ith of N shards and N at most 64, "
					"not '%s'",
					parse_case->text);

		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		g_assert_cmpstr(error->message, ==, sentence);
		return;
	}
	g_assert_no_error(error);
	g_assert_cmpuint(shard.index, ==, parse_case->shard.index);
	g_assert_cmpuint(shard.count, ==, parse_case->shard.count);
}

static void test_parse(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(parse_cases); i++)
		assert_parsed(&parse_cases[i]);
}

static double sum_of(const struct shard_job *jobs, const unsigned *shards, unsigned n,
		     unsigned shard)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		if (shards[i] == shard)
			sum += jobs[i].seconds;
	return sum;
}

/*
 * Of any jobs and shards: each job has one shard that exists, no shard is empty while another has
 * two, and none is longer than the mean and a job (R. L. Graham's bound for lists).
 */
static void assert_split(const struct shard_job *jobs, unsigned n, unsigned n_shards)
{
	g_autofree unsigned *shards = shard_split(jobs, n, n_shards);
	g_autofree unsigned *again = shard_split(jobs, n, n_shards);
	double total = 0, longest = 0;
	unsigned n_used = 0;

	for (unsigned i = 0; i < n; i++) {
		g_assert_cmpuint(shards[i], >=, 1);
		g_assert_cmpuint(shards[i], <=, n_shards);
		g_assert_cmpuint(shards[i], ==, again[i]);
		total += jobs[i].seconds;
		longest = MAX(longest, jobs[i].seconds);
	}
	for (unsigned shard = 1; shard <= n_shards; shard++) {
		double sum = sum_of(jobs, shards, n, shard);

		n_used += sum > 0;
		g_assert_cmpfloat(sum, <=, total / n_shards + longest + 0.001);
	}
	g_assert_cmpuint(n_used, ==, MIN(n, n_shards));
}

static void test_every_job_once(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(20261130);

	for (unsigned round = 0; round < 2000; round++) {
		unsigned n = (unsigned)g_rand_int_range(rand, 1, 40);
		unsigned n_shards = (unsigned)g_rand_int_range(rand, 1, SHARDS_MAX + 1);
		struct shard_job jobs[40];

		/* Few different times, so that many are equal. */
		for (unsigned i = 0; i < n; i++)
			jobs[i] = (struct shard_job){"t", "k", g_rand_int_range(rand, 1, 9)};
		assert_split(jobs, n, n_shards);
	}
}

/* By hand: 9 | 7 | 6, then 5 to 6 (11), 4 to 7 (11), 3 to 9 (12). */
static void test_longest_first(void)
{
	const struct shard_job jobs[] = {
		{"a", "k", 3}, {"b", "k", 9}, {"c", "k", 4},
		{"d", "k", 7}, {"e", "k", 5}, {"f", "k", 6},
	};
	static const unsigned wanted[] = {1, 1, 2, 2, 3, 3};
	g_autofree unsigned *shards = shard_split(jobs, G_N_ELEMENTS(jobs), 3);

	for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++)
		g_assert_cmpuint(shards[i], ==, wanted[i]);
}

/* What a workflow reads: fromJSON() of it is its strategy.matrix. */
static void test_matrix(void)
{
	const struct shard_job jobs[] = {
		{"nps4", "a", 50}, {"nps4", "b", 50}, {"mini", "a", 8.4}, {"mini", "b", 8.4}};
	json_t *matrix = shard_matrix(jobs, G_N_ELEMENTS(jobs), 2);
	g_autofree char *text = json_dumps(matrix, JSON_COMPACT);

	g_assert_cmpstr(
		text, ==,
		"{\"include\":[{\"shard\":\"1/2\",\"machines\":\"nps4 mini\",\"seconds\":58},"
		"{\"shard\":\"2/2\",\"machines\":\"nps4 mini\",\"seconds\":58}]}");
	json_decref(matrix);
	/* An entry without a job would be a runner for nothing. */
	matrix = shard_matrix(jobs, 1, 9);
	g_free(text);
	text = json_dumps(matrix, JSON_COMPACT);
	g_assert_cmpstr(text, ==,
			"{\"include\":[{\"shard\":\"1/1\",\"machines\":\"nps4\",\"seconds\":50}]}");
	json_decref(matrix);
}

static void test_times(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(boot_times) *times = boot_times_parse("# x\n\nnps4 50\nmini 8\n", "f", &error);

	g_assert_no_error(error);
	g_assert_cmpfloat(boot_times_seconds(times, "nps4", 256), ==, 50);
	g_assert_cmpfloat(boot_times_seconds(times, "mini", 256), ==, 8);
	/* Not recorded: by its CPUs. */
	g_assert_cmpfloat_with_epsilon(boot_times_seconds(times, "nps", 100), 22, 0.001);
}

static const struct bad_times {
	const char *text, *sentence;
} bad_times[] = {
	{"nps4\n", "f:1: a line is MACHINE SECONDS, not 'nps4'"},
	{"a 1\nnps4 0\n", "f:2: nps4 takes a whole number from 1 to 86400, not '0'"},
	{"nps4 1.5\n", "f:1: nps4 takes a whole number from 1 to 86400, not '1.5'"},
	{"nps4 1\nnps4 1\n", "f:2: 'nps4' is there twice"},
};

static void test_bad_times(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(bad_times); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(boot_times_parse(bad_times[i].text, "f", &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		g_assert_cmpstr(error->message, ==, bad_times[i].sentence);
	}
}

/* The file that ships: each row is a machine that there is. */
static void test_shipped_times(void)
{
	g_autofree char *path = paths_data("topologies/boot-times.txt");
	g_auto(GStrv) search = topo_search_path();
	g_auto(GStrv) names = topo_list((const char *const *)search);
	g_autoptr(GError) error = NULL;
	AUTO(boot_times) *times = boot_times_load(&error);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	g_assert_no_error(error);
	g_assert_nonnull(times);
	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	lines = g_strsplit(text, "\n", -1);
	for (unsigned i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", 2);

		if (*lines[i] && *lines[i] != '#' &&
		    !g_strv_contains((const char *const *)names, words[0]))
			g_test_fail_printf("there is no machine '%s'", words[0]);
	}
}

static void assert_bad(const char *arguments, const char *sentence)
{
	struct topolab_run run = topolab_run("%s", arguments);

	g_assert_cmpint(run.status, ==, 2);
	g_assert_nonnull(strstr(run.errors, sentence));
	g_assert_cmpstr(run.output, ==, "");
	topolab_run_clear(&run);
}

static void test_command(void)
{
	struct topolab_run run =
		topolab_run("matrix nps4 snc4 --kernel a --kernel ./b --shards 2 --format github");

	/* 50 + 50 + 45 + 45 by the file. */
	g_assert_cmpint(run.status, ==, 0);
	g_assert_cmpstr(run.output, ==,
			"{\"include\":[{\"shard\":\"1/2\",\"machines\":\"nps4 "
			"snc4\",\"seconds\":95},{\"shard\":\"2/2\",\"machines\":\"nps4 "
			"snc4\",\"seconds\":95}]}\n");
	topolab_run_clear(&run);
	assert_bad("matrix nps9", "nps9");
	assert_bad("matrix nps4 --shards 65", "--shards takes a whole number from 1 to 64");
	assert_bad("matrix nps4 --format yaml", "--format takes text or github, not 'yaml'");
	assert_bad("run nps4 --shard 3/2", "--shard takes I/N");
	assert_bad("run nps4 snc4 --shard 3/4", "shard 3/4 has no job, because there are only 2");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/run/shard/parse", test_parse);
	g_test_add_func("/run/shard/every-job-once", test_every_job_once);
	g_test_add_func("/run/shard/longest-first", test_longest_first);
	g_test_add_func("/run/shard/matrix", test_matrix);
	g_test_add_func("/run/shard/times", test_times);
	g_test_add_func("/run/shard/times/bad", test_bad_times);
	g_test_add_func("/run/shard/times/shipped", test_shipped_times);
	g_test_add_func("/run/shard/command", test_command);
	return g_test_run();
}
