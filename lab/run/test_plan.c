// SPDX-License-Identifier: GPL-2.0-only
#include "run/test_plan.h"

#include "base/error.h"
#include "base/test_job.h"
#include "run/guest_test.h"
#include "run/scheduler.h"
#include "run/test_build.h"

#include <string.h>
#include <sys/stat.h>

/* A program of the plan. */
struct planned {
	const struct guest_test *test;
	const struct guest_program *program;
	char *name; /* "rseq.basic_test" */
	char *file; /* in the guest's tests/; programs of one target have one */
	bool required;
	char *skipped; /* why; NULL: @bytes are there */
	char *wide;    /* why a machine with little memory does not get it; NULL: any does */
	GBytes *bytes;
};

struct test_plan {
	GPtrArray *planned; /* struct planned * */
	GBytes *scheduler;  /* the user's; NULL: none */
	GBytes *config;	    /* the kernel's; NULL: not known */
	char *release;	    /* the kernel's */
};

/* What is the same for all programs of a kernel. */
struct planner {
	const struct kernel *kernel;
	const struct kernel_options *options;
	struct test_builder *builder;
	char *series; /* "6.12": of the kernel */
};

static void planned_release(gpointer data)
{
	struct planned *planned = data;

	g_free(planned->name);
	g_free(planned->file);
	g_free(planned->skipped);
	g_free(planned->wide);
	g_clear_pointer(&planned->bytes, g_bytes_unref);
	g_free(planned);
}

void test_plan_free(struct test_plan *plan)
{
	if (!plan)
		return;
	g_ptr_array_unref(plan->planned);
	g_clear_pointer(&plan->scheduler, g_bytes_unref);
	g_clear_pointer(&plan->config, g_bytes_unref);
	g_free(plan->release);
	g_free(plan);
}

static char *series_of(const struct kernel_facts *facts)
{
	unsigned version = kernel_facts_version(facts);

	return g_strdup_printf("%u.%u", version >> 20, version >> 10 & 1023);
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
	if (program->target && !kernel_facts_config_known(kernel->facts))
		return g_strdup("its kernel must have options and types, and the config of this "
				"one is not known");
	for (guint i = 0; i < program->needs->len; i++) {
		const char *symbol = program->needs->pdata[i];

		if (!kernel_facts_builtin(kernel->facts, symbol))
			return g_strdup_printf("it needs CONFIG_%s, which this kernel is built "
					       "without",
					       symbol);
	}
	return NULL;
}

/* The list is of kernels that have what a program tests. */
static bool is_required(const struct planner *planner, const struct guest_program *program,
			bool own_tree)
{
	return own_tree && series_is_in(planner->series, program->must_pass);
}

static struct planned *plan_program(const struct planner *planner, struct test_plan *plan,
				    const struct guest_test *test,
				    const struct guest_program *program)
{
	struct planned *planned = g_new0(struct planned, 1);

	g_ptr_array_add(plan->planned, planned);
	planned->test = test;
	planned->program = program;
	planned->name = g_strdup_printf("%s.%s", test->name, program->name);
	planned->file = program->target ? g_strdup_printf("%s:%s", test->name, program->target)
					: g_strdup(planned->name);
	planned->skipped = kernel_lack(program, planner->kernel);
	if (program->memory_mib)
		planned->wide = g_strdup_printf("it needs a machine with %u MiB of memory",
						program->memory_mib);
	return planned;
}

static bool plan_build(const struct planner *planner, const struct guest_test *test,
		       struct planned *planned, GError **error)
{
	bool own_tree;

	if (!test_builder_open(planner->builder, test, &own_tree, error))
		return false;
	planned->required = is_required(planner, planned->program, own_tree);
	return test_builder_build(planner->builder, test, planned->program, &planned->bytes,
				  &planned->skipped, error);
}

static bool plan_test(const struct planner *planner, struct test_plan *plan,
		      const struct guest_test *test, GError **error)
{
	kernel_say(planner->options, "the programs of the test '%s' for '%s'", test->name,
		   planner->kernel->name);
	for (guint i = 0; i < test->programs->len; i++) {
		struct planned *planned =
			plan_program(planner, plan, test, test->programs->pdata[i]);

		if (!planned->skipped && !plan_build(planner, test, planned, error))
			return false;
	}
	return true;
}

struct test_plan *test_plan_new(const GPtrArray *tests, const struct kernel *kernel,
				const struct test_supplies *supplies,
				const struct kernel_options *options, GError **error)
{
	AUTO(test_plan) *plan = g_new0(struct test_plan, 1);
	AUTO(test_builder) *builder = test_builder_new(kernel, supplies->selftests, options);
	g_autofree char *series = series_of(kernel->facts);
	const struct planner planner = {
		.kernel = kernel,
		.options = options,
		.builder = builder,
		.series = series,
	};

	plan->planned = g_ptr_array_new_with_free_func(planned_release);
	plan->scheduler = supplies->scheduler ? g_bytes_ref(supplies->scheduler) : NULL;
	plan->config = kernel->config ? g_bytes_new(kernel->config, strlen(kernel->config)) : NULL;
	plan->release = g_strdup(kernel_facts_release(kernel->facts));
	for (guint i = 0; i < tests->len; i++)
		if (!plan_test(&planner, plan, tests->pdata[i], error))
			return NULL;
	return g_steal_pointer(&plan);
}

/* Why a guest there does not get it; NULL: it does. */
static const char *planned_lack(const struct planned *planned, const struct test_host *host)
{
	if (planned->skipped)
		return planned->skipped;
	if (planned->program->memory_mib > host->memory_mib)
		return planned->wide;
	return planned->program->timing ? host->untimely : NULL;
}

bool test_plan_patches_code(const struct test_plan *plan, const struct test_host *host)
{
	for (guint i = 0; i < plan->planned->len; i++) {
		const struct planned *planned = plan->planned->pdata[i];

		if (planned->test->patches_code && !planned_lack(planned, host))
			return true;
	}
	return false;
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
			       planned->file, program->seconds * slow);
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

/* Where tests look for it when there is no /proc/config.gz. */
static void add_config(const struct test_plan *plan, GArray *files, GPtrArray *paths)
{
	char *path = g_strconcat("boot/config-", plan->release, NULL);

	g_ptr_array_add(paths, path);
	if (!plan->config || strchr(plan->release, '/'))
		return;
	files_add(files, "boot", S_IFDIR | 0755, NULL);
	files_add(files, path, S_IFREG | 0644, plan->config);
}

/* Is the file there already? */
static bool is_added(const GArray *files, const char *path)
{
	for (guint i = 0; i < files->len; i++)
		if (strcmp(g_array_index(files, struct initramfs_file, i).path, path) == 0)
			return true;
	return false;
}

GBytes *test_plan_add(const struct test_plan *plan, const struct test_host *host, GBytes *initramfs,
		      GError **error)
{
	g_autoptr(GArray) files = g_array_new(FALSE, FALSE, sizeof(struct initramfs_file));
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GString) job = g_string_new(NULL);
	g_autoptr(GBytes) job_bytes = NULL;

	files_add(files, "tests", S_IFDIR | 0755, NULL);
	add_config(plan, files, paths);
	if (plan->scheduler)
		files_add(files, SCHEDULER_FILE, S_IFREG | 0755, plan->scheduler);
	for (guint i = 0; i < plan->planned->len; i++) {
		const struct planned *planned = plan->planned->pdata[i];
		char *path = g_strconcat("tests/", planned->file, NULL);

		g_ptr_array_add(paths, path);
		if (planned_lack(planned, host))
			continue;
		if (!is_added(files, path))
			files_add(files, path, S_IFREG | 0755, planned->bytes);
		job_add(job, planned, host->slow);
	}
	job_bytes = g_bytes_new(job->str, job->len);
	files_add(files, TEST_JOB_FILE, S_IFREG | 0644, job_bytes);
	return initramfs_add(initramfs, (const struct initramfs_file *)files->data, files->len,
			     error);
}
