// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every job below tests/saved/, judged from its files alone; tests/saved/README.md has the format.
 */
#include "base/error.h"
#include "run/saved_job.h"
#include "observe/observe.h"
#include "test_report_schema.h"

#include <glib/gstdio.h>

#define SAVED TOPOLAB_SOURCE "/tests/saved"

struct scene {
	const struct saved_job *job;
	struct root *evidence;
	const char *line;  /* for messages */
	unsigned n_judged; /* cpu and fails lines */
	GHashTable *fails; /* names of the checks that are to fail: no other may */
	bool verdict;
};

static void want_verdict(struct scene *scene, char **words)
{
	g_assert_cmpstr(verdict_name(result_verdict(scene->job->result)), ==, words[1]);
	g_assert_cmpstr(json_string_value(json_object_get(scene->job->json, "verdict")), ==,
			words[1]);
	scene->verdict = true;
}

/* The CPU's chain in the observed tree; NULL after a failure was told. */
static const struct domain_tree *tree_with(struct scene *scene, const char *cpu_text, guint64 *cpu)
{
	const struct domain_tree *tree = scene->job->result->judgement->observed;

	if (tree && g_ascii_string_to_unsigned(cpu_text, 10, 0, CPUS_MAX - 1, cpu, NULL) &&
	    cpus_has(domain_tree_cpus(tree), (unsigned)*cpu))
		return tree;
	g_test_fail_printf("'%s': no domains of that CPU were observed", scene->line);
	return NULL;
}

/* The CPU's domain of that name and span; NULL after a failure was told. */
static const struct domain *domain_with(struct scene *scene, char **words)
{
	guint64 cpu;
	const struct domain_tree *tree = tree_with(scene, words[1], &cpu);
	AUTO(cpus) *span = cpus_parse_list(words[3], NULL);

	g_assert_nonnull(span);
	scene->n_judged++;
	for (unsigned i = 0; tree && i < domain_tree_depth(tree, (unsigned)cpu); i++) {
		const struct domain *domain = domain_tree_get(tree, (unsigned)cpu, i);

		if (strcmp(domain->name, words[2]) == 0 && cpus_equal(domain->span, span))
			return domain;
	}
	g_test_fail_printf("'%s': there is no such domain", scene->line);
	return NULL;
}

static void want_cpu(struct scene *scene, char **words)
{
	domain_with(scene, words);
}

static void want_flags(struct scene *scene, char **words)
{
	const struct domain *domain = domain_with(scene, words);
	g_autofree char *flags = g_strjoinv(" ", words + 4);

	if (domain)
		g_assert_cmpstr(domain->flags, ==, flags);
}

static void want_chain(struct scene *scene, char **words)
{
	guint64 cpu;
	const struct domain_tree *tree = tree_with(scene, words[1], &cpu);
	unsigned depth = g_strv_length(words) - 2;

	if (!tree)
		return;
	g_assert_cmpuint(domain_tree_depth(tree, (unsigned)cpu), ==, depth);
	for (unsigned i = 0; i < MIN(depth, domain_tree_depth(tree, (unsigned)cpu)); i++)
		g_assert_cmpstr(domain_tree_get(tree, (unsigned)cpu, i)->name, ==, words[2 + i]);
}

static void want_node(struct scene *scene, char **words)
{
	g_autofree char *list = root_read(scene->evidence, NULL,
					  "sys/devices/system/node/node%s/cpulist", words[1]);

	g_assert_cmpstr(list, ==, words[2]);
}

static void want_fails(struct scene *scene, char **words)
{
	const struct checks *checks = scene->job->result->judgement->checks;
	AUTO(cpus) *named = cpus_new();
	g_autofree char *list = NULL;
	unsigned n = 0;

	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);
		AUTO(cpus) *cpus = NULL;

		if (strcmp(check->name, words[1]) != 0 || check->verdict != VERDICT_FAIL)
			continue;
		cpus = cpus_parse_list(check->cpus ? check->cpus : "", NULL);
		cpus_or(named, cpus);
		n++;
	}
	g_hash_table_add(scene->fails, g_strdup(words[1]));
	list = cpus_to_list(named);
	g_assert_cmpuint(n, >, 0);
	g_assert_cmpstr(list, ==, strcmp(words[2], "-") == 0 ? "" : words[2]);
	scene->n_judged++;
}

static void want_errors(struct scene *scene, char **words)
{
	const struct checks *checks = scene->job->result->judgement->checks;
	unsigned n = 0;

	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);

		n += check->verdict == VERDICT_ERROR && strcmp(check->name, words[1]) == 0;
	}
	g_assert_cmpuint(n, ==, 1);
	scene->n_judged++;
}

static const struct keyword {
	const char *name;
	unsigned min_words, max_words;
	void (*want)(struct scene *scene, char **words);
} keywords[] = {
	{"verdict", 2, 2, want_verdict}, {"cpu", 4, 4, want_cpu},   {"chain", 3, 64, want_chain},
	{"flags", 5, 64, want_flags},	 {"node", 3, 3, want_node}, {"fails", 3, 3, want_fails},
	{"errors", 2, 2, want_errors},
};

static void want_line(struct scene *scene, const char *line)
{
	const char *source = strchr(line, '#');
	g_autofree char *text = NULL;
	g_auto(GStrv) all = NULL;
	g_autoptr(GPtrArray) words = g_ptr_array_new();

	if (!source || strlen(source) < strlen("# source")) {
		g_test_fail_printf("'%s' has no source", line);
		return;
	}
	text = g_strndup(line, (gsize)(source - line));
	all = g_strsplit_set(text, " \t", -1);
	for (unsigned i = 0; all[i]; i++)
		if (*all[i])
			g_ptr_array_add(words, all[i]);
	scene->line = line;
	g_ptr_array_add(words, NULL);
	for (unsigned i = 0; i < G_N_ELEMENTS(keywords); i++) {
		const struct keyword *keyword = &keywords[i];

		if (words->len < 2 || strcmp(words->pdata[0], keyword->name) != 0)
			continue;
		if (words->len - 1 < keyword->min_words || words->len - 1 > keyword->max_words)
			break;
		keyword->want(scene, (char **)words->pdata);
		return;
	}
	g_test_fail_printf("'%s' is not an expectation", line);
}

static void assert_no_other_fails(const struct scene *scene)
{
	const struct checks *checks = scene->job->result->judgement->checks;

	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);

		if (check->verdict == VERDICT_FAIL &&
		    !g_hash_table_contains(scene->fails, check->name))
			g_test_fail_printf("%s fails, and no line wants that", check->name);
	}
}

static void assert_schema(const json_t *json)
{
	json_t *schema = schema_load();
	g_autofree char *problem = schema_check(schema, json, "result");

	g_assert_cmpstr(problem, ==, NULL);
	json_decref(schema);
}

static void test_saved(gconstpointer data)
{
	const char *folder = data;
	g_autofree char *path = g_build_filename(folder, "result.json", NULL);
	g_autofree char *want_path = g_build_filename(folder, "want.txt", NULL);
	g_autofree char *want = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(saved_job) *job = saved_job_open(path, &error);
	AUTO(root) *evidence = NULL;
	g_autoptr(GHashTable) fails = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct scene scene = {.job = job, .fails = fails};
	g_auto(GStrv) lines = NULL;
	json_t *judged;

	g_assert_no_error(error);
	if (!job || !g_file_get_contents(want_path, &want, NULL, NULL)) {
		g_test_fail_printf("%s lacks something", folder);
		return;
	}
	assert_schema(job->json);
	saved_job_judge(job);
	judged = result_to_json(job->result);
	assert_schema(judged);
	json_decref(judged);
	if (job->evidence)
		scene.evidence = evidence = evidence_open(job->evidence, &error);
	g_assert_no_error(error);
	lines = g_strsplit(g_strchomp(want), "\n", -1);
	for (unsigned i = 0; lines[i]; i++)
		want_line(&scene, lines[i]);
	assert_no_other_fails(&scene);
	g_assert_true(scene.verdict);
	g_assert_cmpuint(scene.n_judged, >, 0);
}

/* What a job's folder may hold; a guest that died has no evidence. */
static const char *const names[] = {"result.json", "evidence.tar.gz", "console.log"};

/* A copy of one saved job that a test may change. */
static char *copy_job(const char *folder)
{
	char *copy = g_dir_make_tmp("topolab-judge-XXXXXX", NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *from = g_build_filename(folder, names[i], NULL);
		g_autofree char *to = g_build_filename(copy, names[i], NULL);
		g_autofree char *bytes = NULL;
		gsize length;

		if (g_file_get_contents(from, &bytes, &length, NULL))
			g_assert_true(g_file_set_contents(to, bytes, (gssize)length, NULL));
	}
	return copy;
}

static void remove_job(const char *folder)
{

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(folder, names[i], NULL);

		g_remove(path);
	}
	g_assert_cmpint(g_rmdir(folder), ==, 0);
}

/* judge --write puts the verdict right and leaves what it does not know. */
static void test_write(gconstpointer data)
{
	g_autofree char *folder = copy_job(data);
	g_autofree char *path = g_build_filename(folder, "result.json", NULL);
	AUTO(saved_job) *job = saved_job_open(path, NULL);
	AUTO(saved_job) *again = NULL;
	g_autoptr(GError) error = NULL;
	const char *verdict;

	g_assert_nonnull(job);
	json_object_set_new(job->json, "verdict", json_string("SKIP"));
	json_object_set_new(job->json, "later", json_string("kept"));
	saved_job_judge(job);
	verdict = verdict_name(result_verdict(job->result));
	g_assert_true(saved_job_write(job, &error));
	g_assert_no_error(error);
	again = saved_job_open(path, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(json_string_value(json_object_get(again->json, "verdict")), ==, verdict);
	g_assert_cmpstr(json_string_value(json_object_get(again->json, "later")), ==, "kept");
	g_assert_cmpint(result_verdict(again->result), ==, result_verdict(job->result));
	remove_job(folder);
}

/* Without its evidence a job that powered itself off is ERROR, whatever it said before. */
static void test_evidence_lost(gconstpointer data)
{
	g_autofree char *folder = copy_job(data);
	g_autofree char *path = g_build_filename(folder, "result.json", NULL);
	g_autofree char *evidence = g_build_filename(folder, "evidence.tar.gz", NULL);
	AUTO(saved_job) *job = NULL;

	g_remove(evidence);
	job = saved_job_open(path, NULL);
	g_assert_nonnull(job);
	saved_job_judge(job);
	g_assert_cmpint(result_verdict(job->result), ==, VERDICT_ERROR);
	remove_job(folder);
}

static void test_broken_input(void)
{
	static const char *const texts[] = {
		"", "{", "[]", "{}", "{\"schema\":1}", "{\"schema\":1,\"schema\":1}", "nonsense",
	};
	g_autofree char *folder = g_dir_make_tmp("topolab-judge-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "result.json", NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(saved_job) *job = NULL;

		g_assert_true(g_file_set_contents(path, texts[i], -1, NULL));
		job = saved_job_open(path, &error);
		g_assert_null(job);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	}
	remove_job(folder);
}

static void test_paths(void)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-judge-XXXXXX", NULL);
	g_autofree char *missing = g_build_filename(folder, "no.json", NULL);
	g_autoptr(GError) empty = NULL, absent = NULL;
	AUTO(saved_job) *job = saved_job_open(missing, &absent);

	g_assert_null(job);
	g_assert_error(absent, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_null(saved_job_paths(folder, &empty));
	g_assert_error(empty, TOPOLAB_ERROR, ERROR_INPUT);
	remove_job(folder);
}

static gint folder_compare(gconstpointer a, gconstpointer b)
{
	const char *const *left = a, *const *right = b;

	return strcmp(*left, *right);
}

/* Folders below tests/saved/, sorted. */
static GPtrArray *saved_folders(void)
{
	GPtrArray *folders = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(SAVED, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *folder = g_build_filename(SAVED, name, NULL);

		/* Those of the cases are judged by test_case_saved.c. */
		if (g_file_test(folder, G_FILE_TEST_IS_DIR) && strcmp(name, "cases") != 0)
			g_ptr_array_add(folders, g_steal_pointer(&folder));
	}
	g_ptr_array_sort(folders, folder_compare);
	return folders;
}

static void add_saved(const char *folder)
{
	g_autofree char *name = g_path_get_basename(folder);
	g_autofree char *judged = g_strdup_printf("/judge/saved/%s", name);
	g_autofree char *written = g_strdup_printf("/judge/write/%s", name);
	g_autofree char *lost = g_strdup_printf("/judge/evidence-lost/%s", name);

	g_test_add_data_func(judged, folder, test_saved);
	g_test_add_data_func(written, folder, test_write);
	g_test_add_data_func(lost, folder, test_evidence_lost);
}

int main(int argc, char **argv)
{
	g_autoptr(GPtrArray) folders = saved_folders();

	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (guint i = 0; i < folders->len; i++)
		add_saved(folders->pdata[i]);
	g_test_add_func("/judge/broken-input", test_broken_input);
	g_test_add_func("/judge/paths", test_paths);
	return g_test_run();
}
