// SPDX-License-Identifier: GPL-2.0-only
#include "run/test_plan.h"

#include "base/error.h"
#include "base/test_job.h"
#include "kernel/headers.h"
#include "kernel/sources.h"
#include "run/compile.h"
#include "run/guest_test.h"
#include "run/scheduler.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SELFTESTS "tools/testing/selftests"

/* A program of the plan. */
struct planned {
	const struct guest_program *program;
	char *name; /* "rseq.basic_test" */
	bool required;
	char *skipped; /* why; NULL: @bytes are there */
	GBytes *bytes;
};

struct test_plan {
	GPtrArray *planned; /* struct planned * */
	GBytes *scheduler;  /* the user's; NULL: none */
};

/* What is the same for all programs of a kernel. */
struct planner {
	const struct kernel *kernel;
	const struct kernel_options *options;
	const char *selftests;	 /* the tree that the user named; NULL: the kernel's own */
	struct sources *sources; /* NULL: not asked for yet */
	const char *tree;	 /* of @sources */
	char *headers;		 /* of @tree; NULL: not made yet */
	bool own_tree;		 /* @tree is of the kernel's own series */
	char *series;		 /* "6.12": of the kernel */
};

static void planned_release(gpointer data)
{
	struct planned *planned = data;

	g_free(planned->name);
	g_free(planned->skipped);
	g_clear_pointer(&planned->bytes, g_bytes_unref);
	g_free(planned);
}

void test_plan_free(struct test_plan *plan)
{
	if (!plan)
		return;
	g_ptr_array_unref(plan->planned);
	g_clear_pointer(&plan->scheduler, g_bytes_unref);
	g_free(plan);
}

static char *series_of(const struct kernel_facts *facts)
{
	unsigned version = kernel_facts_version(facts);

	return g_strdup_printf("%u.%u", version >> 20, version >> 10 & 1023);
}

static unsigned series_version(const char *series)
{
	unsigned major = 0, minor = 0;

	sscanf(series, "%4u.%4u", &major, &minor);
	return KERNEL_VERSION_OF(major, minor, 0);
}

static bool series_is_in(const char *series, const GPtrArray *list)
{
	for (guint i = 0; i < list->len; i++)
		if (strcmp(list->pdata[i], series) == 0)
			return true;
	return false;
}

/* Why the kernel cannot run it, or NULL. */
static char *kernel_lack(const struct guest_program *program, const struct kernel *kernel)
{
	if (program->since && kernel_facts_version(kernel->facts) < series_version(program->since))
		return g_strdup_printf("it tests what kernels have since %s, and this one is %s",
				       program->since, kernel_facts_release(kernel->facts));
	for (guint i = 0; i < program->needs->len; i++) {
		const char *symbol = program->needs->pdata[i];

		if (!kernel_facts_builtin(kernel->facts, symbol))
			return g_strdup_printf("it needs CONFIG_%s, which this kernel is built "
					       "without",
					       symbol);
	}
	return NULL;
}

static void add_flag(GPtrArray *flags, const char *option, const char *folder, const char *sub)
{
	g_autofree char *path = g_build_filename(folder, sub, NULL);

	g_ptr_array_add(flags, g_strconcat(option, path, NULL));
}

static GPtrArray *flags_of(const struct planner *planner, const struct guest_test *test,
			   const struct guest_program *program, const char *folder)
{
	GPtrArray *flags = g_ptr_array_new_with_free_func(g_free);

	/* As selftests/lib.mk has them. */
	g_ptr_array_add(flags, g_strdup("-D_GNU_SOURCE="));
	g_ptr_array_add(flags, g_strconcat("-I", folder, NULL));
	if (test->selftests) {
		add_flag(flags, "-I", planner->tree, SELFTESTS);
		for (guint i = 0; i < test->include->len; i++)
			add_flag(flags, "-I", planner->tree, test->include->pdata[i]);
		g_ptr_array_add(flags, g_strdup("-isystem"));
		g_ptr_array_add(flags, g_strdup(planner->headers));
	}
	for (guint i = 0; i < program->flags->len; i++)
		g_ptr_array_add(flags, g_strdup(program->flags->pdata[i]));
	return flags;
}

/* False: a source is missing, and the reason is set. */
static bool find_sources(const struct guest_program *program, const char *folder,
			 GPtrArray *sources, char **reason)
{
	for (guint i = 0; i < program->sources->len; i++) {
		char *path = g_build_filename(folder, program->sources->pdata[i], NULL);

		g_ptr_array_add(sources, path);
		if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
			*reason = g_strdup_printf("there is no '%s'", path);
			return false;
		}
	}
	for (guint i = 0; i < program->helpers->len; i++) {
		g_autofree char *path = g_build_filename(folder, program->helpers->pdata[i], NULL);

		if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
			g_ptr_array_add(sources, g_steal_pointer(&path));
	}
	return true;
}

/* False: the lab cannot build anything. */
static bool plan_build(struct planner *planner, const struct guest_test *test,
		       struct planned *planned, GError **error)
{
	g_autofree char *folder =
		test->selftests ? g_build_filename(planner->tree, SELFTESTS, test->selftests, NULL)
				: g_strdup(test->folder);
	g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) flags = NULL;
	g_autoptr(GError) cause = NULL;

	if (!find_sources(planned->program, folder, sources, &planned->skipped))
		return true;
	flags = flags_of(planner, test, planned->program, folder);
	planned->bytes = compile_program(
		&(struct compile){
			.folder = folder,
			.sources = sources,
			.flags = flags,
			.options = planner->options,
		},
		&cause);
	if (planned->bytes)
		return true;
	if (!g_error_matches(cause, TOPOLAB_ERROR, ERROR_BUILD)) {
		g_propagate_error(error, g_steal_pointer(&cause));
		return false;
	}
	planned->skipped = g_strdup_printf("it does not build: %s", cause->message);
	return true;
}

static bool plan_program(struct planner *planner, struct test_plan *plan,
			 const struct guest_test *test, const struct guest_program *program,
			 GError **error)
{
	struct planned *planned = g_new0(struct planned, 1);

	g_ptr_array_add(plan->planned, planned);
	planned->program = program;
	planned->name = g_strdup_printf("%s.%s", test->name, program->name);
	planned->skipped = kernel_lack(program, planner->kernel);
	/* The list is of kernels that have what a program tests. */
	if (planned->skipped)
		return true;
	planned->required = (!test->selftests || planner->own_tree) &&
			    series_is_in(planner->series, program->must_pass);
	return plan_build(planner, test, planned, error);
}

/* Held until all programs are built: nobody patches it meanwhile. */
static bool planner_open_tree(struct planner *planner, const struct guest_test *test,
			      GError **error)
{
	g_autoptr(GError) cause = NULL;

	planner->sources = planner->selftests
				   ? sources_of_user(planner->selftests)
				   : kernel_sources(planner->kernel, planner->options, &cause);
	if (planner->sources) {
		planner->tree = planner->sources->tree;
		return true;
	}
	if (!g_error_matches(cause, TOPOLAB_ERROR, ERROR_UNSUPPORTED)) {
		g_propagate_error(error, g_steal_pointer(&cause));
		return false;
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "the programs of the test '%s' are part of the kernel's sources: %s; name a "
		    "tree with --selftests",
		    test->name, cause->message);
	return false;
}

/* The tree, its headers, and what they are worth. */
static bool planner_find_tree(struct planner *planner, const struct guest_test *test,
			      GError **error)
{
	g_autofree char *series = NULL;

	if (planner->headers)
		return true;
	if (!planner_open_tree(planner, test, error))
		return false;
	planner->headers = kernel_headers(planner->tree, planner->options, error);
	if (!planner->headers)
		return false;
	series = kernel_tree_series(planner->tree);
	planner->own_tree = g_strcmp0(series, planner->series) == 0;
	if (!planner->own_tree)
		kernel_say(planner->options,
			   "'%s' is of Linux %s, and '%s' of %s: what is skipped is not held "
			   "against the kernel",
			   planner->tree, series ?: "without a version", planner->kernel->name,
			   planner->series);
	return true;
}

static bool plan_test(struct planner *planner, struct test_plan *plan,
		      const struct guest_test *test, GError **error)
{
	if (test->selftests && !planner_find_tree(planner, test, error))
		return false;
	kernel_say(planner->options, "the programs of the test '%s' for '%s'", test->name,
		   planner->kernel->name);
	for (guint i = 0; i < test->programs->len; i++)
		if (!plan_program(planner, plan, test, test->programs->pdata[i], error))
			return false;
	return true;
}

struct test_plan *test_plan_new(const GPtrArray *tests, const struct kernel *kernel,
				const struct test_supplies *supplies,
				const struct kernel_options *options, GError **error)
{
	AUTO(test_plan) *plan = g_new0(struct test_plan, 1);
	g_autofree char *absolute =
		supplies->selftests ? g_canonicalize_filename(supplies->selftests, NULL) : NULL;
	struct planner planner = {
		.kernel = kernel,
		.options = options,
		.selftests = absolute,
		.series = series_of(kernel->facts),
	};
	bool ok = true;

	plan->planned = g_ptr_array_new_with_free_func(planned_release);
	plan->scheduler = supplies->scheduler ? g_bytes_ref(supplies->scheduler) : NULL;
	for (guint i = 0; ok && i < tests->len; i++)
		ok = plan_test(&planner, plan, tests->pdata[i], error);
	g_clear_pointer(&planner.sources, sources_close);
	g_free(planner.headers);
	g_free(planner.series);
	return ok ? g_steal_pointer(&plan) : NULL;
}

/* Why a guest there does not get it; NULL: it does. */
static const char *planned_lack(const struct planned *planned, const struct test_host *host)
{
	if (planned->skipped)
		return planned->skipped;
	return planned->program->timing ? host->untimely : NULL;
}

GPtrArray *test_plan_programs(const struct test_plan *plan, const struct test_host *host)
{
	GPtrArray *programs = programs_new();

	for (guint i = 0; i < plan->planned->len; i++) {
		const struct planned *planned = plan->planned->pdata[i];
		const char *lack = planned_lack(planned, host);
		struct program *program = g_new0(struct program, 1);

		*program = (struct program){
			.name = g_strdup(planned->name),
			.answer = planned->program->answer,
			/* What this host cannot find out is not held against the kernel. */
			.required = planned->required && (!lack || planned->skipped),
			.end = lack ? PROGRAM_SKIPPED : PROGRAM_UNHEARD,
			.seconds = planned->program->seconds * host->slow,
			.ms = -1,
			.reason = g_strdup(lack),
		};
		g_ptr_array_add(programs, program);
	}
	return programs;
}

static void job_add(GString *job, const struct planned *planned, unsigned slow)
{
	const struct guest_program *program = planned->program;

	g_string_append_printf(job, "program %s\nfile /tests/%s\nseconds %u\n", planned->name,
			       planned->name, program->seconds * slow);
	for (guint i = 0; i < program->environment->len; i++)
		g_string_append_printf(job, "environment %s\n",
				       (const char *)program->environment->pdata[i]);
	for (guint i = 0; i < program->runs->len; i++) {
		const GPtrArray *words = program->runs->pdata[i];

		g_string_append(job, i ? "again\n" : "");
		for (guint j = 0; j < words->len; j++)
			g_string_append_printf(job, "argument %s\n", (const char *)words->pdata[j]);
	}
}

static void files_add(GArray *files, const char *path, unsigned mode, GBytes *bytes)
{
	struct initramfs_file file = {.path = path, .mode = mode, .bytes = bytes};

	g_array_append_val(files, file);
}

GBytes *test_plan_add(const struct test_plan *plan, const struct test_host *host, GBytes *initramfs,
		      GError **error)
{
	g_autoptr(GArray) files = g_array_new(FALSE, FALSE, sizeof(struct initramfs_file));
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) job = g_string_new(NULL);
	g_autoptr(GBytes) job_bytes = NULL;

	files_add(files, "tests", S_IFDIR | 0755, NULL);
	if (plan->scheduler)
		files_add(files, SCHEDULER_FILE, S_IFREG | 0755, plan->scheduler);
	for (guint i = 0; i < plan->planned->len; i++) {
		const struct planned *planned = plan->planned->pdata[i];

		if (planned_lack(planned, host))
			continue;
		g_ptr_array_add(paths, g_strconcat("tests/", planned->name, NULL));
		files_add(files, paths->pdata[paths->len - 1], S_IFREG | 0755, planned->bytes);
		job_add(job, planned, host->slow);
	}
	job_bytes = g_bytes_new(job->str, job->len);
	files_add(files, TEST_JOB_FILE, S_IFREG | 0644, job_bytes);
	return initramfs_add(initramfs, (const struct initramfs_file *)files->data, files->len,
			     error);
}
