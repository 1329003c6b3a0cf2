// SPDX-License-Identifier: GPL-2.0-only
#include "run/saved_job.h"

#include "base/caller.h"
#include "base/error.h"
#include "topo/load.h"

#include <string.h>

static bool input_failed(GError **error, const char *path, const char *what)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "'%s': %s", path, what);
	return false;
}

/* Errors of readers that do not know whose file it was. */
static bool input_failed_with(GError **error, const char *path, const GError *cause)
{
	return input_failed(error, path, cause->message);
}

static bool file_read(const char *path, char **data, gsize *length, GError **error)
{
	g_autoptr(GError) cause = NULL;

	if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return input_failed(error, path, "there is no such file");
	if (!g_file_get_contents(path, data, length, &cause))
		return input_failed_with(error, path, cause);
	return true;
}

static bool job_read_result(struct saved_job *job, GError **error)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) cause = NULL;
	json_error_t position;
	gsize length;

	if (!file_read(job->path, &text, &length, error))
		return false;
	job->json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &position);
	if (!job->json) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "%s:%d:%d: %s", job->path,
			    position.line, position.column, position.text);
		return false;
	}
	job->result = result_from_json(job->json, &cause);
	if (!job->result)
		return input_failed_with(error, job->path, cause);
	job->result->folder = g_path_get_dirname(job->path);
	return true;
}

static bool job_read_inputs(struct saved_job *job, GError **error)
{
	const struct result *result = job->result;
	g_autofree char *file = g_strdup_printf("%s, topology_text", job->path);
	g_autoptr(GError) cause = NULL;

	job->topo =
		topo_load_text(result->topology_text, strlen(result->topology_text), file, error);
	if (!job->topo)
		return false;
	job->facts = kernel_facts_new(result->kernel_release, &cause);
	if (!job->facts)
		return input_failed_with(error, job->path, cause);
	if (result->kernel_config)
		kernel_facts_set_config(job->facts, result->kernel_config);
	return true;
}

/* A file that is not there is something the guest never sent; one that cannot be read is not. */
static bool job_read_beside(struct saved_job *job, const char *name, char **data, gsize *length,
			    GError **error)
{
	g_autofree char *path = g_build_filename(job->result->folder, name, NULL);

	return !g_file_test(path, G_FILE_TEST_EXISTS) || file_read(path, data, length, error);
}

static bool job_read_outputs(struct saved_job *job, GError **error)
{
	const GPtrArray *programs = job->result->programs;

	for (guint i = 0; programs && i < programs->len; i++) {
		struct program *program = programs->pdata[i];
		g_autofree char *name = g_strdup_printf("tests/%s.log", program->name);

		if (!job_read_beside(job, name, &program->output, &program->output_length, error))
			return false;
	}
	return true;
}

static bool job_read(struct saved_job *job, GError **error)
{
	char *evidence = NULL;
	gsize length;

	if (!job_read_result(job, error) || !job_read_inputs(job, error) ||
	    !job_read_beside(job, "console.log", &job->console, &job->console_length, error) ||
	    !job_read_beside(job, "evidence.tar.gz", &evidence, &length, error))
		return false;
	if (evidence)
		job->evidence = g_bytes_new_take(evidence, length);
	return job_read_outputs(job, error);
}

struct saved_job *saved_job_open(const char *path, GError **error)
{
	AUTO(saved_job) *job = g_new0(struct saved_job, 1);

	job->path = g_strdup(path);
	if (!job_read(job, error))
		return NULL;
	return g_steal_pointer(&job);
}

struct saved_job *saved_job_open_result(const char *path, GError **error)
{
	AUTO(saved_job) *job = g_new0(struct saved_job, 1);

	job->path = g_strdup(path);
	return job_read_result(job, error) ? g_steal_pointer(&job) : NULL;
}

void saved_job_free(struct saved_job *job)
{
	if (!job)
		return;
	g_free(job->path);
	json_decref(job->json);
	result_free(job->result);
	topo_unref(job->topo);
	kernel_facts_unref(job->facts);
	g_clear_pointer(&job->evidence, g_bytes_unref);
	g_free(job->console);
	g_free(job);
}

void saved_job_judge(struct saved_job *job)
{
	result_judge(job->result, &(struct verdict_input){
					  .topo = job->topo,
					  .facts = job->facts,
					  .console = job->console,
					  .console_length = job->console_length,
					  .evidence = job->evidence,
				  });
}

/* Members that this version does not know stay as they were. */
bool saved_job_write(struct saved_job *job, GError **error)
{
	static const char *const judged[] = {"verdict", "checks", "domains"};
	json_t *fresh = result_to_json(job->result);
	g_autofree char *text = NULL;
	g_autoptr(GError) cause = NULL;

	for (gsize i = 0; i < G_N_ELEMENTS(judged); i++)
		json_object_set(job->json, judged[i], json_object_get(fresh, judged[i]));
	json_decref(fresh);
	text = report_json_text(job->json);
	if (!g_file_set_contents_full(job->path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0644,
				      &cause))
		return input_failed_with(error, job->path, cause);
	caller_give(job->path);
	return true;
}

static void paths_below(const char *folder, unsigned depth, GPtrArray *paths)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(folder, name, NULL);

		/* A job that is still running lies in a folder whose name begins with a dot. */
		if (name[0] == '.' || g_file_test(below, G_FILE_TEST_IS_SYMLINK))
			continue;
		if (depth == 0 && strcmp(name, "result.json") == 0)
			g_ptr_array_add(paths, g_steal_pointer(&below));
		else if (depth > 0 && g_file_test(below, G_FILE_TEST_IS_DIR))
			paths_below(below, depth - 1, paths);
	}
}

static gint path_compare(gconstpointer a, gconstpointer b)
{
	const char *const *left = a, *const *right = b;

	return strcmp(*left, *right);
}

GPtrArray *saved_job_paths(const char *path, GError **error)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);

	if (!g_file_test(path, G_FILE_TEST_IS_DIR)) {
		g_ptr_array_add(paths, g_strdup(path));
		return g_steal_pointer(&paths);
	}
	paths_below(path, 0, paths);
	/* TOPOLOGY/KERNEL/result.json */
	if (paths->len == 0)
		paths_below(path, 2, paths);
	if (paths->len == 0) {
		input_failed(error, path,
			     "neither a job (no result.json) nor a run (no "
			     "TOPOLOGY/KERNEL/result.json)");
		return NULL;
	}
	g_ptr_array_sort(paths, path_compare);
	return g_steal_pointer(&paths);
}
