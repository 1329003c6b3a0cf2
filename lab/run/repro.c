// SPDX-License-Identifier: GPL-2.0-only
#include "run/repro.h"

#include "base/error.h"
#include "run/output.h"
#include "run/run.h"
#include "run/saved_job.h"

#include <errno.h>
#include <string.h>

struct repro {
	const struct repro_options *options;
	GPtrArray *cases; /* struct case_file * */
	char *folder;
	guint counts[CASE_VERDICT_COUNT];
	guint n_guards, n_shown; /* cases of which every kernel was as it must be */
	bool interrupted;
};

static void case_release(gpointer file)
{
	case_free(file);
}

static bool load_case(struct repro *repro, const char *name, GError **error)
{
	struct case_file *file = case_find(name, error);

	if (!file)
		return false;
	g_ptr_array_add(repro->cases, file);
	return true;
}

static bool load_cases(struct repro *repro, GError **error)
{
	g_auto(GStrv) all = case_list();

	for (unsigned i = 0; repro->options->cases[i]; i++) {
		const char *name = repro->options->cases[i];

		if (strcmp(name, "all") != 0) {
			if (!load_case(repro, name, error))
				return false;
			continue;
		}
		for (unsigned k = 0; all[k]; k++)
			if (!load_case(repro, all[k], error))
				return false;
	}
	return true;
}

static const struct case_kernel *kernel_of(const struct case_file *file, const char *name)
{
	for (guint i = 0; i < file->kernels->len; i++) {
		const struct case_kernel *kernel = file->kernels->pdata[i];

		if (strcmp(kernel->name, name) == 0)
			return kernel;
	}
	return NULL;
}

bool repro_judge(const struct case_file *file, const struct case_kernel *known, const char *job,
		 enum case_verdict *verdict, char **reason, GError **error)
{
	g_autofree char *path = g_build_filename(job, "result.json", NULL);
	AUTO(saved_job) *saved = saved_job_open(path, error);
	AUTO(seen) *seen = NULL;

	if (!saved)
		return false;
	saved_job_judge(saved);
	seen = seen_new(saved->result->judgement, saved->evidence, saved->console,
			saved->console_length);
	*verdict = case_judge(file, known, kernel_facts_version(saved->facts),
			      saved->result->judgement, seen, reason);
	return true;
}

/* "KNOWN-BUG  gnr-snc3 with debian-6.12: half-remote" */
static void say(struct repro *repro, const struct case_file *file, const char *kernel,
		enum case_verdict verdict, const char *reason)
{
	g_autofree char *line =
		g_strdup_printf("%-10s %s with %s%s%s", case_verdict_name(verdict), file->name,
				kernel, reason ? ": " : "", reason ?: "");

	repro->options->say(line);
	repro->counts[verdict]++;
}

/* The folder of the one job in the run's @folder. */
static char *job_in(const char *folder, GError **error)
{
	g_autoptr(GPtrArray) paths = saved_job_paths(folder, error);

	return paths ? g_path_get_dirname(paths->pdata[0]) : NULL;
}

/* The machine's file, for whoever wants to boot it again. */
static char *machine_file(const struct case_file *file, const char *folder, GError **error)
{
	g_autofree char *name = g_strconcat(file->name, ".yaml", NULL);
	g_autofree char *path = g_build_filename(folder, name, NULL);

	if (file->topology)
		return g_strdup(file->topology);
	return g_file_set_contents_full(path, file->machine, -1, G_FILE_SET_CONTENTS_NONE, 0644,
					error)
		       ? g_steal_pointer(&path)
		       : NULL;
}

/* NULL: none. Either may be. */
static char *join_arguments(const char *first, const char *second)
{
	return first && second ? g_strjoin(" ", first, second, NULL) : g_strdup(first ?: second);
}

/* With other arguments than it was seen with, nothing is recorded of a kernel. */
static const struct case_kernel *known_of(const struct repro_options *options,
					  const struct case_file *file, const char *kernel)
{
	return options->append ? NULL : kernel_of(file, kernel);
}

/* True: the job's files are in @folder. */
static bool boot(struct repro *repro, const struct case_file *file, const char *kernel,
		 const char *topology, const char *folder, GError **error)
{
	const struct case_kernel *known = known_of(repro->options, file, kernel);
	g_autofree char *append =
		join_arguments(file->append, known ? known->append : repro->options->append);
	struct run_options options = {
		.topologies = (char *[]){(char *)(guintptr)topology, NULL},
		.kernels = (char *[]){(char *)(guintptr)kernel, NULL},
		.steps = (char **)file->steps->pdata,
		.append = append,
		.accel = repro->options->accel,
		.folder = folder,
		.jobs = repro->options->jobs,
		.timeout_seconds = repro->options->timeout_seconds,
		.offline = repro->options->offline,
		.quiet = repro->options->quiet,
		.interrupted = &repro->interrupted,
	};

	return run_all(&options, error) >= 0 && !*error;
}

static bool repro_kernel(struct repro *repro, const struct case_file *file, const char *kernel,
			 const char *topology, GError **error)
{
	g_autofree char *plain = g_path_get_basename(kernel);
	g_autofree char *folder = g_build_filename(repro->folder, file->name, plain, NULL);
	g_autofree char *reason = NULL;
	g_autofree char *job = NULL;
	enum case_verdict verdict;

	if (!boot(repro, file, kernel, topology, folder, error))
		return false;
	job = job_in(folder, error);
	if (!job || !repro_judge(file, known_of(repro->options, file, kernel), job, &verdict,
				 &reason, error))
		return false;
	say(repro, file, kernel, verdict, reason);
	return true;
}

static bool repro_case(struct repro *repro, const struct case_file *file, GError **error)
{
	g_autofree char *folder = g_build_filename(repro->folder, file->name, NULL);
	g_autofree char *topology = NULL;
	guint before = repro->counts[CASE_PASS] + repro->counts[CASE_KNOWN_BUG];
	guint n = repro->options->kernels ? g_strv_length(repro->options->kernels)
					  : file->kernels->len;

	if (g_mkdir_with_parents(folder, 0755) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make '%s': %s", folder,
			    g_strerror(errno));
		return false;
	}
	topology = machine_file(file, folder, error);
	for (guint i = 0; topology && i < n && !repro->interrupted; i++) {
		const struct case_kernel *listed =
			repro->options->kernels ? NULL : file->kernels->pdata[i];

		if (!repro_kernel(repro, file, listed ? listed->name : repro->options->kernels[i],
				  topology, error))
			return false;
	}
	if (repro->counts[CASE_PASS] + repro->counts[CASE_KNOWN_BUG] == before + n) {
		repro->n_guards += case_is_guard(file);
		repro->n_shown += !case_is_guard(file);
	}
	return topology != NULL;
}

static int exit_status(const struct repro *repro)
{
	guint n = 0;

	if (repro->interrupted || repro->counts[CASE_ERROR])
		return 3;
	if (repro->counts[CASE_FAIL] || repro->counts[CASE_FIXED] || repro->counts[CASE_TIMEOUT])
		return 1;
	for (unsigned i = 0; i < CASE_VERDICT_COUNT; i++)
		n += repro->counts[i];
	return n && repro->counts[CASE_SKIP] == n ? 77 : 0;
}

static int conclude(const struct repro *repro)
{
	int status = exit_status(repro);
	g_autoptr(GString) last = g_string_new(NULL);
	g_autofree char *cases =
		g_strdup_printf("%u bugs shown, %u guards hold", repro->n_shown, repro->n_guards);

	g_string_append_printf(last, "topolab: exit %d (", status);
	for (unsigned i = 0; i < CASE_VERDICT_COUNT; i++) {
		g_autofree char *name = g_ascii_strdown(case_verdict_name(i), -1);

		g_string_append_printf(last, "%s%u %s", i ? ", " : "", repro->counts[i], name);
	}
	g_string_append_c(last, ')');
	repro->options->say(cases);
	repro->options->say(last->str);
	return status;
}

int repro_all(const struct repro_options *options, GError **error)
{
	struct repro repro = {
		.options = options,
		.cases = g_ptr_array_new_with_free_func(case_release),
	};
	bool whole = load_cases(&repro, error) && output_folder_check(options->folder, error) &&
		     (repro.folder = output_folder_new(options->folder, error));

	for (guint i = 0; whole && i < repro.cases->len && !repro.interrupted; i++)
		whole = repro_case(&repro, repro.cases->pdata[i], error);
	g_ptr_array_unref(repro.cases);
	g_free(repro.folder);
	return whole ? conclude(&repro) : 2;
}
