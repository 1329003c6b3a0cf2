// SPDX-License-Identifier: GPL-2.0-only
#include "run/guest_test.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/test_job.h"
#include "base/yaml.h"

#include <string.h>

#define FILE_NAME "test.yaml"
/* A day; nobody waits longer. */
#define SECONDS_MAX 86400
/* 64 TiB, the physical memory that x86-64 has with four levels of page tables. */
#define MEMORY_MAX_MIB (64u << 20)

static const char *const test_keys[] = {
	"title",  "group",   "selftests", "include", "flags",	"environment", "needs",
	"target", "helpers", "answer",	  "seconds", "patches", "programs",    NULL,
};
static const char *const program_keys[] = {
	"name",	 "sources", "helpers", "flags",	   "environment", "arguments", "runs",	 "target",
	"needs", "seconds", "answer",  "measures", "since",	  "must-pass", "memory", NULL,
};

static void program_release(gpointer data)
{
	struct guest_program *program = data;

	g_free(program->name);
	g_free(program->since);
	g_free(program->target);
	g_ptr_array_unref(program->sources);
	g_ptr_array_unref(program->helpers);
	g_ptr_array_unref(program->flags);
	g_ptr_array_unref(program->environment);
	g_ptr_array_unref(program->runs);
	g_ptr_array_unref(program->needs);
	g_ptr_array_unref(program->must_pass);
	g_free(program);
}

void guest_test_free(struct guest_test *test)
{
	if (!test)
		return;
	g_free(test->name);
	g_free(test->title);
	g_free(test->group);
	g_free(test->folder);
	g_free(test->selftests);
	g_ptr_array_unref(test->include);
	g_ptr_array_unref(test->programs);
	g_free(test);
}

/* What a file name or an argument of ours may be: the job file has one in a line. */
static bool is_printable(const char *text)
{
	for (const char *p = text; *p; p++)
		if (!g_ascii_isprint(*p))
			return false;
	return true;
}

static bool read_word(const struct yaml_node *node, GPtrArray *words, GError **error)
{
	const char *text = yaml_text(node, error);

	if (!text)
		return false;
	if (!is_printable(text))
		return yaml_wrong(node, error, "printable ASCII");
	g_ptr_array_add(words, g_strdup(text));
	return true;
}

/* Appends the words of the list below @key, if there is one. */
static bool read_words(const struct yaml_node *node, const char *key, GPtrArray *words,
		       GError **error)
{
	const struct yaml_node *list = yaml_get(node, key);

	if (!list)
		return true;
	if (!yaml_check_list(list, error))
		return false;
	for (unsigned i = 0; i < yaml_count(list); i++)
		if (!read_word(yaml_item(list, i), words, error))
			return false;
	if (words->len > TEST_WORDS_MAX)
		return yaml_error(list, error, "'%s' has more than %d entries", key,
				  TEST_WORDS_MAX);
	return true;
}

/* A list of the test's and of the program's own. */
static GPtrArray *read_both(const struct yaml_node *test, const struct yaml_node *program,
			    const char *key, GError **error)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);

	return read_words(test, key, words, error) && read_words(program, key, words, error)
		       ? g_steal_pointer(&words)
		       : NULL;
}

/* NULL when neither says it. */
static const struct yaml_node *get_either(const struct yaml_node *test,
					  const struct yaml_node *program, const char *key)
{
	const struct yaml_node *node = yaml_get(program, key);

	return node ? node : yaml_get(test, key);
}

static bool is_symbol(const char *text)
{
	return !g_str_has_prefix(text, "CONFIG_") &&
	       strspn(text, G_CSET_A_2_Z G_CSET_DIGITS "_") == strlen(text);
}

/* "RSEQ" */
static bool check_needs(const struct yaml_node *node, const GPtrArray *needs, GError **error)
{
	for (guint i = 0; i < needs->len; i++)
		if (!is_symbol(needs->pdata[i]))
			return yaml_error(node, error,
					  "'needs' has options of a kernel's config without "
					  "CONFIG_, such as RSEQ, not '%s'",
					  (const char *)needs->pdata[i]);
	return true;
}

/* "NAME=value" */
static bool check_environment(const struct yaml_node *node, const GPtrArray *environment,
			      GError **error)
{
	for (guint i = 0; i < environment->len; i++) {
		const char *setting = environment->pdata[i];

		if (*setting == '=' || !strchr(setting, '='))
			return yaml_error(node, error, "'environment' has NAME=value, not '%s'",
					  setting);
	}
	return true;
}

static GPtrArray *words_new(void)
{
	return g_ptr_array_new_with_free_func(g_free);
}

static void words_free(gpointer words)
{
	g_ptr_array_unref(words);
}

static bool read_runs(struct guest_program *program, const struct yaml_node *node, GError **error)
{
	const struct yaml_node *runs = yaml_get(node, "runs");

	if (!runs) {
		GPtrArray *words = words_new();

		g_ptr_array_add(program->runs, words);
		return read_words(node, "arguments", words, error);
	}
	if (yaml_get(node, "arguments"))
		return yaml_error(node, error, "a program has 'arguments' or 'runs', not both");
	if (!yaml_check_list(runs, error))
		return false;
	for (unsigned i = 0; i < yaml_count(runs); i++) {
		const struct yaml_node *run = yaml_item(runs, i);
		GPtrArray *words = words_new();

		g_ptr_array_add(program->runs, words);
		if (!yaml_check_list(run, error))
			return false;
		for (unsigned j = 0; j < yaml_count(run); j++)
			if (!read_word(yaml_item(run, j), words, error))
				return false;
		if (words->len > TEST_WORDS_MAX)
			return yaml_error(run, error, "a run has more than %d arguments",
					  TEST_WORDS_MAX);
	}
	if (program->runs->len == 0)
		return yaml_error(runs, error, "a program without a run runs nothing");
	if (program->runs->len > 1 && program->answer != ANSWER_EXIT)
		return yaml_error(runs, error,
				  "a program that answers in KTAP has one run: a second one would "
				  "begin to count anew");
	return true;
}

static bool is_series(const char *text)
{
	return g_regex_match_simple("^[1-9][0-9]{0,2}\\.(0|[1-9][0-9]{0,2})$", text,
				    G_REGEX_DEFAULT, G_REGEX_MATCH_DEFAULT);
}

static bool read_series(struct guest_program *program, const struct yaml_node *node, GError **error)
{
	const struct yaml_node *since = yaml_get(node, "since");
	const struct yaml_node *list = yaml_get(node, "must-pass");

	if (since) {
		program->since = g_strdup(yaml_text(since, error));
		if (!program->since)
			return false;
		if (!is_series(program->since))
			return yaml_wrong(since, error, "a version such as 6.12");
	}
	if (!read_words(node, "must-pass", program->must_pass, error))
		return false;
	for (guint i = 0; i < program->must_pass->len; i++)
		if (!is_series(program->must_pass->pdata[i]))
			return yaml_wrong(yaml_item(list, i), error, "a version such as 6.12");
	return true;
}

static bool read_answer(struct guest_program *program, const struct yaml_node *test,
			const struct yaml_node *node, GError **error)
{
	const struct yaml_node *answer = get_either(test, node, "answer");
	const struct yaml_node *seconds = get_either(test, node, "seconds");
	const char *name = answer ? yaml_text(answer, error) : NULL;

	if (!answer)
		return yaml_error(node, error, "neither the program nor its test has an 'answer'");
	if (!name)
		return false;
	if (!answer_from_name(name, &program->answer))
		return yaml_wrong(answer, error, "'exit', 'ktap' or 'ktap-unplanned'");
	if (!seconds)
		return yaml_error(node, error, "neither the program nor its test has 'seconds'");
	return yaml_unsigned(seconds, 1, SECONDS_MAX, &program->seconds, error);
}

/* A key that has one value or is not there. */
static bool read_flag(const struct yaml_node *node, const char *key, const char *value,
		      bool *is_set, GError **error)
{
	const struct yaml_node *found = yaml_get(node, key);
	const char *text = found ? yaml_text(found, error) : NULL;
	g_autofree char *quoted = g_strdup_printf("'%s'", value);

	if (found && !text)
		return false;
	if (text && strcmp(text, value) != 0)
		return yaml_wrong(found, error, "%s", quoted);
	*is_set = text != NULL;
	return true;
}

static bool read_memory(struct guest_program *program, const struct yaml_node *node, GError **error)
{
	const struct yaml_node *memory = yaml_get(node, "memory");

	return !memory || yaml_unsigned(memory, 1, MEMORY_MAX_MIB, &program->memory_mib, error);
}

static bool is_program_name(const char *name)
{
	return strspn(name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_") == strlen(name);
}

/* What is made of the sources: that, or a program that we compile. */
static bool read_target(const struct guest_test *test, struct guest_program *program,
			const struct yaml_node *root, const struct yaml_node *node, GError **error)
{
	const struct yaml_node *target = get_either(root, node, "target");

	if (!target)
		return program->sources->len > 0 ||
		       yaml_error(node, error, "program '%s' has neither 'sources' nor a 'target'",
				  program->name);
	program->target = g_strdup(yaml_text(target, error));
	if (!program->target)
		return false;
	if (!is_program_name(program->target))
		return yaml_wrong(target, error, "letters, digits, '-' and '_'");
	if (!test->selftests)
		return yaml_error(
			target, error,
			"'target' is what a folder of the kernel's 'selftests' makes, and "
			"none is named");
	if (program->flags->len > 0 || program->helpers->len > 0 || test->include->len > 0)
		return yaml_error(target, error,
				  "'flags', 'helpers' and 'include' are for sources that are "
				  "compiled, and 'target' leaves that to make");
	return true;
}

static bool read_program_name(const struct guest_test *test, struct guest_program *program,
			      const struct yaml_node *node, GError **error)
{
	const struct yaml_node *name = yaml_require(node, "name", error);
	const char *text = name ? yaml_text(name, error) : NULL;

	if (!text)
		return false;
	if (!is_program_name(text))
		return yaml_wrong(name, error, "letters, digits, '-' and '_'");
	if (strlen(test->name) + 1 + strlen(text) > TEST_NAME_MAX)
		return yaml_error(name, error, "'%s.%s' is longer than %d bytes", test->name, text,
				  TEST_NAME_MAX);
	for (guint i = 0; i < test->programs->len; i++) {
		const struct guest_program *other = test->programs->pdata[i];

		if (other != program && strcmp(other->name, text) == 0)
			return yaml_error(name, error, "a second program '%s'", text);
	}
	program->name = g_strdup(text);
	return true;
}

static void keep_list(GPtrArray **list, GPtrArray *fresh)
{
	if (!fresh)
		return;
	g_ptr_array_unref(*list);
	*list = fresh;
}

static bool read_program(struct guest_test *test, const struct yaml_node *root,
			 const struct yaml_node *node, GError **error)
{
	struct guest_program *program = g_new0(struct guest_program, 1);
	GPtrArray *helpers, *flags, *environment, *needs;

	program->sources = words_new();
	program->helpers = words_new();
	program->flags = words_new();
	program->environment = words_new();
	program->runs = g_ptr_array_new_with_free_func(words_free);
	program->needs = words_new();
	program->must_pass = words_new();
	if (!yaml_check_keys(node, program_keys, error) ||
	    !read_program_name(test, program, node, error)) {
		program_release(program);
		return false;
	}
	g_ptr_array_add(test->programs, program);
	keep_list(&program->helpers, helpers = read_both(root, node, "helpers", error));
	if (!helpers)
		return false;
	keep_list(&program->flags, flags = read_both(root, node, "flags", error));
	if (!flags)
		return false;
	keep_list(&program->environment, environment = read_both(root, node, "environment", error));
	if (!environment)
		return false;
	keep_list(&program->needs, needs = read_both(root, node, "needs", error));
	if (!needs || !check_needs(node, needs, error) ||
	    !check_environment(node, environment, error) ||
	    !read_words(node, "sources", program->sources, error))
		return false;
	return read_target(test, program, root, node, error) &&
	       read_answer(program, root, node, error) && read_runs(program, node, error) &&
	       read_flag(node, "measures", "time", &program->timing, error) &&
	       read_memory(program, node, error) && read_series(program, node, error);
}

static bool read_text(const struct yaml_node *root, const char *key, char **text, GError **error)
{
	const struct yaml_node *node = yaml_get(root, key);

	if (!node)
		return true;
	*text = g_strdup(yaml_text(node, error));
	return *text != NULL;
}

static bool read_test(struct guest_test *test, const struct yaml_node *root, GError **error)
{
	const struct yaml_node *programs;

	if (!yaml_check_keys(root, test_keys, error) || !yaml_require(root, "title", error) ||
	    !read_text(root, "title", &test->title, error) ||
	    !read_text(root, "group", &test->group, error) ||
	    !read_text(root, "selftests", &test->selftests, error) ||
	    !read_words(root, "include", test->include, error) ||
	    !read_flag(root, "patches", "code", &test->patches_code, error))
		return false;
	programs = yaml_require(root, "programs", error);
	if (!programs || !yaml_check_list(programs, error))
		return false;
	for (unsigned i = 0; i < yaml_count(programs); i++)
		if (!read_program(test, root, yaml_item(programs, i), error))
			return false;
	if (test->programs->len == 0)
		return yaml_error(programs, error, "a test without a program tests nothing");
	return true;
}

struct guest_test *guest_test_parse(const char *text, gsize length, const char *name,
				    const char *file, GError **error)
{
	AUTO(yaml) *yaml = yaml_parse(text, length, file, error);
	AUTO(guest_test) *test = NULL;

	if (!yaml)
		return NULL;
	test = g_new0(struct guest_test, 1);
	test->name = g_strdup(name);
	test->include = words_new();
	test->programs = g_ptr_array_new_with_free_func(program_release);
	return read_test(test, yaml_root(yaml), error) ? g_steal_pointer(&test) : NULL;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

char **guest_test_list(void)
{
	g_autofree char *folder = paths_data("tests/guest");
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	GPtrArray *names = g_ptr_array_new();
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(folder, name, FILE_NAME, NULL);

		if (g_file_test(file, G_FILE_TEST_IS_REGULAR))
			g_ptr_array_add(names, g_strdup(name));
	}
	g_ptr_array_sort(names, compare_names);
	g_ptr_array_add(names, NULL);
	return (char **)g_ptr_array_free(names, FALSE);
}

/* It begins the names of checks, records and files. */
static bool check_name(const char *name, const char *path, GError **error)
{
	if (*name && strspn(name, G_CSET_a_2_z G_CSET_DIGITS "-") == strlen(name))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "the folder of a test is named with a-z, 0-9 and '-', and '%s' is '%s'", path,
		    name);
	return false;
}

struct guest_test *guest_test_load(const char *which, GError **error)
{
	g_autofree char *sub = g_build_filename("tests/guest", which, NULL);
	g_autofree char *found = strchr(which, '/') ? g_strdup(which) : paths_data(sub);
	g_autofree char *folder = g_canonicalize_filename(found, NULL);
	g_autofree char *name = g_path_get_basename(folder);
	g_autofree char *file = g_build_filename(found, FILE_NAME, NULL);
	g_autofree char *text = NULL;
	g_autoptr(GError) cause = NULL;
	struct guest_test *test;
	gsize length;

	if (!check_name(name, which, error))
		return NULL;
	if (!g_file_get_contents(file, &text, &length, &cause)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "cannot read the test '%s': %s",
			    which, cause->message);
		return NULL;
	}
	test = guest_test_parse(text, length, name, file, error);
	if (test)
		test->folder = g_steal_pointer(&folder);
	return test;
}
