// SPDX-License-Identifier: GPL-2.0-only
/*
 * Changes the rules a little, one change at a time, and asks whether a test then fails whose
 * expected side is what a real kernel did. A change that none misses is a rule that nothing shows
 *to be right.
 *
 *	mutants LIBRARY FOLDER LIST... -- COMPILER FLAG... -- LIBRARY FLAG...
 *
 * Only the changed file is compiled again, and linked before the library that has the others; the
 * objects of the tests are in FOLDER, where everything is written. Exit status: 0 every mutant was
 * killed or is listed to survive, 1 one was not, 3 nothing was learnt.
 */
#include "list.h"

#include "base/error.h"
#include "base/spawn.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define N_THREADS 2
/* So many of the tests that killed last are asked first. */
#define N_KILLERS 8

/* How a test that failed begins in TAP. The first one will do: the program is ended there. */
#define FAILURE		  "not ok "
#define LOOK_MICROSECONDS 20000

/* What a mutant may use before it counts as hanging. */
#define CPU_SECONDS  120
#define MEMORY_BYTES ((rlim_t)4 << 30)

/* @only: the folder of those of its tests that judge evidence as it was saved; NULL: all do. */
static const struct program {
	const char *name, *only;
} programs[] = {
	{"test_case_saved", NULL},
	{"test_judge_saved", "/judge/saved"},
	{"test_mutations", NULL},
	{"test_mutations_kernel", NULL},
};

enum outcome { OUTCOME_KILLED, OUTCOME_SURVIVED, OUTCOME_LISTED, OUTCOME_ERROR, OUTCOME_COUNT };

/* What is common to all mutants. */
static struct {
	const char *library, *folder;
	char **compiler; /* and its flags */
	char **libraries;
	GMutex lock; /* of the output and of what follows */
	unsigned n[OUTCOME_COUNT];
	GHashTable *killers; /* name of a program -> GPtrArray of paths, the last one first */
} common;

/* One mutant to try. */
struct job {
	const struct list *list;
	const struct mutant *mutant;
	char *text; /* of the file as it is to be compiled */
	char *folder;
};

static void die_on(GError *error)
{
	if (!error)
		return;
	fprintf(stderr, "mutants: %s\n", error->message);
	exit(3);
}

static void say(enum outcome outcome, const struct job *job, const char *text)
{
	g_mutex_lock(&common.lock);
	common.n[outcome]++;
	printf("%s: %s: %s\n", job->list->file, job->mutant->title, text);
	fflush(stdout);
	g_mutex_unlock(&common.lock);
}

static void add_all(GPtrArray *argv, const char *const *words)
{
	for (unsigned i = 0; words[i]; i++)
		g_ptr_array_add(argv, (gpointer)(guintptr)words[i]);
}

static bool compile(const char *source, const char *object, GError **error)
{
	const char *const words[] = {"-w", "-O0", "-g0", "-c", "-o", object, source, NULL};
	g_autoptr(GPtrArray) argv = g_ptr_array_new();

	add_all(argv, (const char *const *)common.compiler);
	add_all(argv, words);
	g_ptr_array_add(argv, NULL);
	return spawn_run((const char *const *)argv->pdata, NULL, NULL, error);
}

/* @object is taken in place of the library's own. NULL: none is. */
static bool link_program(const char *name, const char *object, const char *path, GError **error)
{
	g_autofree char *test = g_strdup_printf("%s/%s.o", common.folder, name);
	const char *const words[] = {"-s",	     "-o", path, test, object ?: common.library,
				     common.library, NULL};
	g_autoptr(GPtrArray) argv = g_ptr_array_new();

	add_all(argv, (const char *const *)common.compiler);
	add_all(argv, words);
	add_all(argv, (const char *const *)common.libraries);
	g_ptr_array_add(argv, NULL);
	return spawn_run((const char *const *)argv->pdata, NULL, NULL, error);
}

/* The first test of @output, which is TAP, that fails; NULL: none does. */
static char *first_failure(const char *output)
{
	g_auto(GStrv) lines = g_strsplit(output, "\n", -1);

	for (unsigned i = 0; lines[i]; i++) {
		const char *path = strchr(lines[i], '/');

		if (g_str_has_prefix(lines[i], FAILURE) && path)
			return g_strndup(path, strcspn(path, " "));
	}
	return NULL;
}

/* The tests of @program that killed last, each as "-p PATH"; NULL at the end. New. */
static char **killers_recall(const struct program *program)
{
	GStrvBuilder *words = g_strv_builder_new();
	const GPtrArray *paths;
	char **list;

	g_mutex_lock(&common.lock);
	paths = g_hash_table_lookup(common.killers, program->name);
	for (guint i = 0; paths && i < MIN(paths->len, N_KILLERS); i++)
		g_strv_builder_add_many(words, "-p", paths->pdata[i], NULL);
	g_mutex_unlock(&common.lock);
	list = g_strv_builder_end(words);
	g_strv_builder_unref(words);
	return list;
}

static void killers_remember(const struct program *program, const char *path)
{
	GPtrArray *paths;

	g_mutex_lock(&common.lock);
	paths = g_hash_table_lookup(common.killers, program->name);
	if (!paths) {
		paths = g_ptr_array_new_with_free_func(g_free);
		g_hash_table_insert(common.killers, g_strdup(program->name), paths);
	}
	for (guint i = 0; i < paths->len; i++)
		if (strcmp(paths->pdata[i], path) == 0)
			g_ptr_array_remove_index(paths, i--);
	g_ptr_array_insert(paths, 0, g_strdup(path));
	g_mutex_unlock(&common.lock);
}

/* What fails in the program at @path, or how it ended; NULL: nothing does. */
static char *run_tests(const char *path, char **words, const char *output_path, GError **error)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	g_autofree char *output = NULL;
	char *failure;
	int status = 0;
	pid_t pid;

	g_ptr_array_add(argv, (gpointer)(guintptr)path);
	g_ptr_array_add(argv, (gpointer)(guintptr) "--tap");
	add_all(argv, (const char *const *)words);
	g_ptr_array_add(argv, NULL);
	g_unlink(output_path);
	pid = spawn_start((const char *const *)argv->pdata, NULL, 0, output_path, error);
	if (pid < 0)
		return NULL;
	while (waitpid(pid, &status, WNOHANG) == 0) {
		g_autofree char *so_far = NULL;

		g_usleep(LOOK_MICROSECONDS);
		if (g_file_get_contents(output_path, &so_far, NULL, NULL) &&
		    strstr(so_far, FAILURE))
			kill(pid, SIGKILL);
	}
	if (!g_file_get_contents(output_path, &output, NULL, error) || status == 0)
		return NULL;
	failure = first_failure(output);
	if (!failure && WIFSIGNALED(status))
		failure = g_strdup_printf("signal %d", WTERMSIG(status));
	return failure ?: g_strdup_printf("status %d", WEXITSTATUS(status));
}

static char *run_program(const struct program *program, const char *path, const char *output_path,
			 GError **error)
{
	char *all[] = {(char *)(guintptr)(program->only ? "-p" : NULL),
		       (char *)(guintptr)program->only, NULL};
	g_auto(GStrv) killers = killers_recall(program);
	char *failure = NULL;

	if (killers[0])
		failure = run_tests(path, killers, output_path, error);
	if (!failure && !(error && *error))
		failure = run_tests(path, all, output_path, error);
	if (failure && *failure == '/')
		killers_remember(program, failure);
	return failure;
}

static const struct program *program_find(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(programs); i++)
		if (strcmp(programs[i].name, name) == 0)
			return &programs[i];
	fprintf(stderr, "mutants: '%s' is no test that judges evidence\n", name);
	exit(3);
}

/* "test_case_saved /case-saved/...", the first test that fails with @object; NULL: all pass. */
static char *find_killer(char **tests, const char *object, const char *folder, GError **error)
{
	for (unsigned i = 0; tests[i]; i++) {
		g_autofree char *path = g_strdup_printf("%s/%s", folder, tests[i]);
		g_autofree char *output_path = g_strdup_printf("%s/output", folder);
		g_autofree char *failure = NULL;
		GError *problem = NULL;

		if (link_program(tests[i], object, path, &problem))
			failure = run_program(program_find(tests[i]), path, output_path, &problem);
		if (problem)
			g_propagate_error(error, problem);
		if (problem)
			return NULL;
		if (failure)
			return g_strdup_printf("%s %s", tests[i], failure);
	}
	return NULL;
}

static char *job_killer(const struct job *job, GError **error)
{
	g_autofree char *source = g_strdup_printf("%s/mutant.c", job->folder);
	g_autofree char *object = g_strdup_printf("%s/mutant.o", job->folder);

	if (!g_file_set_contents(source, job->text, -1, error) || !compile(source, object, error))
		return NULL;
	return find_killer(job->list->tests, object, job->folder, error);
}

static void job_judge(const struct job *job, const char *killer)
{
	const char *reason = job->mutant->survives;
	g_autofree char *text = NULL;

	if (killer && !reason) {
		text = g_strdup_printf("killed by %s", killer);
		say(OUTCOME_KILLED, job, text);
	} else if (killer) {
		text = g_strdup_printf("KILLED, and listed to survive, by %s", killer);
		say(OUTCOME_ERROR, job, text);
	} else if (reason) {
		text = g_strdup_printf("survives: %s", reason);
		say(OUTCOME_LISTED, job, text);
	} else {
		say(OUTCOME_SURVIVED, job, "SURVIVED");
	}
}

/* In a thread of its own; folders are taken in turn. */
static void job_run(gpointer data, gpointer folders)
{
	struct job *job = data;
	g_autofree char *killer = NULL;
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;

	job->folder = g_async_queue_pop(folders);
	killer = job_killer(job, &error);
	g_async_queue_push(folders, job->folder);
	if (error)
		text = g_strdup_printf("DOES NOT BUILD: %s", error->message);
	if (error)
		say(OUTCOME_ERROR, job, text);
	else
		job_judge(job, killer);
	g_free(job->text);
	g_free(job);
}

static void list_run(const struct list *list, GThreadPool *pool)
{
	g_autofree char *source = NULL;
	g_auto(GStrv) lines = NULL;
	g_autoptr(GArray) gaps = NULL;
	GError *error = NULL;

	g_file_get_contents(list->file, &source, NULL, &error);
	die_on(error);
	lines = g_strsplit(source, "\n", -1);
	gaps = list_gaps(list, lines);
	for (guint i = 0; i < gaps->len; i++) {
		const struct job gap = {
			.list = list,
			.mutant = &(struct mutant){
				.title = lines[g_array_index(gaps, unsigned, i) - 1]}};

		say(OUTCOME_ERROR, &gap, "NO MUTANT changes this row or version");
	}
	for (guint i = 0; i < list->mutants->len; i++) {
		struct job *job = g_new0(struct job, 1);
		g_autoptr(GError) problem = NULL;

		job->list = list;
		job->mutant = list->mutants->pdata[i];
		job->text = mutant_apply(job->mutant, lines, &problem);
		if (job->text) {
			g_thread_pool_push(pool, job, NULL);
			continue;
		}
		say(OUTCOME_ERROR, job, problem->message);
		g_free(job);
	}
}

static char *folder_make(const char *name)
{
	char *folder = g_strdup_printf("%s/%s", common.folder, name);

	if (g_mkdir_with_parents(folder, 0777) == 0)
		return folder;
	fprintf(stderr, "mutants: cannot make '%s': %s\n", folder, g_strerror(errno));
	exit(3);
}

static bool list_asks(const GPtrArray *lists, const char *program)
{
	for (guint i = 0; i < lists->len; i++) {
		const struct list *list = lists->pdata[i];

		if (g_strv_contains((const char *const *)list->tests, program))
			return true;
	}
	return false;
}

/* A test that fails by itself would kill whatever it is shown. */
static void check_tests(const GPtrArray *lists)
{
	g_autofree char *folder = folder_make("plain");

	for (gsize i = 0; i < G_N_ELEMENTS(programs); i++) {
		char *tests[] = {(char *)(guintptr)programs[i].name, NULL};
		g_autofree char *killer = NULL;
		GError *error = NULL;

		if (!list_asks(lists, programs[i].name))
			continue;
		killer = find_killer(tests, NULL, folder, &error);
		die_on(error);
		if (!killer)
			continue;
		fprintf(stderr, "mutants: fails before anything is changed: %s\n", killer);
		exit(3);
	}
}

static void lists_run(const GPtrArray *lists)
{
	g_autoptr(GAsyncQueue) folders = g_async_queue_new_full(g_free);
	GThreadPool *pool = g_thread_pool_new(job_run, folders, N_THREADS, TRUE, NULL);

	for (unsigned i = 0; i < N_THREADS; i++) {
		g_autofree char *name = g_strdup_printf("%u", i);

		g_async_queue_push(folders, folder_make(name));
	}
	for (guint i = 0; i < lists->len; i++)
		list_run(lists->pdata[i], pool);
	g_thread_pool_free(pool, FALSE, TRUE);
}

static void limit(int resource, rlim_t most)
{
	struct rlimit value = {most, most};

	setrlimit(resource, &value);
}

/* The words up to "--", which becomes the end of them. */
static char **words_take(char ***next)
{
	char **first = *next;

	while (**next && strcmp(**next, "--") != 0)
		++*next;
	if (**next)
		*(*next)++ = NULL;
	return first;
}

static void release_list(gpointer list)
{
	list_free(list);
}

int main(int argc, char **argv)
{
	g_autoptr(GPtrArray) lists = g_ptr_array_new_with_free_func(release_list);
	char **next = argv + 3, **paths;
	gint64 begun = g_get_monotonic_time();

	if (argc < 4) {
		fprintf(stderr, "mutants: it is `make mutants` that knows what this wants\n");
		return 3;
	}
	common.library = argv[1];
	common.folder = argv[2];
	paths = words_take(&next);
	common.compiler = words_take(&next);
	common.libraries = next;
	limit(RLIMIT_AS, MEMORY_BYTES);
	limit(RLIMIT_CORE, 0);
	for (unsigned i = 0; paths[i]; i++) {
		GError *error = NULL;

		g_ptr_array_add(lists, list_read(paths[i], &error));
		die_on(error);
	}
	common.killers = g_hash_table_new(g_str_hash, g_str_equal);
	check_tests(lists);
	limit(RLIMIT_CPU, CPU_SECONDS);
	lists_run(lists);
	printf("mutants: %u killed, %u survived, %u survive as listed, %u errors; %.0f s\n",
	       common.n[OUTCOME_KILLED], common.n[OUTCOME_SURVIVED], common.n[OUTCOME_LISTED],
	       common.n[OUTCOME_ERROR], (double)(g_get_monotonic_time() - begun) / G_USEC_PER_SEC);
	return common.n[OUTCOME_SURVIVED] || common.n[OUTCOME_ERROR];
}
