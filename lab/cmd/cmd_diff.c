// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/terminal.h"
#include "cmd/command.h"
#include "report/diff.h"
#include "run/saved_job.h"

#include <stdio.h>
#include <string.h>

/* The results below one of the two arguments. */
struct results {
	GPtrArray *jobs;  /* struct saved_job * */
	GPtrArray *trees; /* struct domain_tree *, NULL where none were seen */
	GPtrArray *keys;  /* char *: what is compared with what */
};

static void job_release(gpointer job)
{
	saved_job_free(job);
}

static void tree_release(gpointer tree)
{
	if (tree)
		domain_tree_free(tree);
}

static void results_clear(struct results *results)
{
	g_clear_pointer(&results->jobs, g_ptr_array_unref);
	g_clear_pointer(&results->trees, g_ptr_array_unref);
	g_clear_pointer(&results->keys, g_ptr_array_unref);
}

/* A result may have been kept without what was made of its evidence: it is judged again. */
static bool results_judge(struct results *results, const char *path, GError **error)
{
	struct saved_job *job = saved_job_open(path, error);

	if (!job)
		return false;
	saved_job_judge(job);
	g_ptr_array_add(results->jobs, job);
	g_ptr_array_add(results->trees, g_steal_pointer(&job->result->judgement->observed));
	return true;
}

static bool results_read(struct results *results, const char *path, GError **error)
{
	AUTO(saved_job) *job = saved_job_open_result(path, error);
	struct domain_tree *tree = NULL;
	const json_t *domains;

	if (!job)
		return false;
	if (checks_count(job->result->judgement->checks) == 0)
		return results_judge(results, path, error);
	domains = json_object_get(job->json, "domains");
	if (domains && !json_is_null(domains)) {
		tree = domain_tree_from_json(domains, error);
		if (!tree) {
			g_prefix_error(error, "'%s': ", path);
			return false;
		}
	}
	g_ptr_array_add(results->jobs, g_steal_pointer(&job));
	g_ptr_array_add(results->trees, tree);
	return true;
}

static bool results_open(struct results *results, const char *path, GError **error)
{
	g_autoptr(GPtrArray) paths = saved_job_paths(path, error);

	results->jobs = g_ptr_array_new_with_free_func(job_release);
	results->trees = g_ptr_array_new_with_free_func(tree_release);
	results->keys = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; paths && i < paths->len; i++)
		if (!results_read(results, paths->pdata[i], error))
			return false;
	return paths != NULL;
}

static const struct result *result_at(const struct results *results, guint i)
{
	const struct saved_job *job = g_ptr_array_index(results->jobs, i);

	return job->result;
}

/* Does every job have a topology of its own? */
static bool topologies_differ(const struct results *results)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < results->jobs->len; i++)
		if (!g_hash_table_add(seen, result_at(results, i)->topology))
			return false;
	return true;
}

/*
 * One job with another whatever they are; jobs of runs by topology, so that a run with one kernel
 * is compared with a run with another, unless a topology was run with several kernels.
 */
static void results_match(struct results *left, struct results *right)
{
	bool single = left->jobs->len == 1 && right->jobs->len == 1;
	bool by_topology = topologies_differ(left) && topologies_differ(right);
	struct results *const sides[] = {left, right};

	for (guint s = 0; s < G_N_ELEMENTS(sides); s++)
		for (guint i = 0; i < sides[s]->jobs->len; i++) {
			const struct result *result = result_at(sides[s], i);

			g_ptr_array_add(sides[s]->keys,
					single	      ? g_strdup("")
					: by_topology ? g_strdup(result->topology)
						      : g_strdup_printf("%s/%s", result->topology,
									result->kernel));
		}
}

static int results_find(const struct results *results, const char *key)
{
	guint i;

	return g_ptr_array_find_with_equal_func(results->keys, key, g_str_equal, &i) ? (int)i : -1;
}

static struct diff_side side_at(const struct results *results, guint i)
{
	const struct saved_job *job = g_ptr_array_index(results->jobs, i);

	return (struct diff_side){
		.name = job->path,
		.result = job->result,
		.domains = g_ptr_array_index(results->trees, i),
	};
}

/* Prints the jobs that only @ours has; true if there is one. */
static bool print_lone(const struct results *ours, const struct results *theirs,
		       const char *their_name)
{
	bool any = false;

	for (guint i = 0; i < ours->jobs->len; i++) {
		const struct saved_job *job = g_ptr_array_index(ours->jobs, i);

		if (results_find(theirs, g_ptr_array_index(ours->keys, i)) >= 0)
			continue;
		printf("%s has no counterpart in %s\n", job->path, their_name);
		any = true;
	}
	return any;
}

static bool print_pairs(const struct results *left, const struct results *right)
{
	struct report_style style = {.utf8 = terminal_is_utf8()};
	bool any = false;

	for (guint i = 0; i < left->jobs->len; i++) {
		int j = results_find(right, g_ptr_array_index(left->keys, i));
		struct diff_side ours = side_at(left, i), theirs;
		g_autofree char *text = NULL;

		if (j < 0)
			continue;
		theirs = side_at(right, (guint)j);
		text = report_diff(&ours, &theirs, &style);
		fputs(text, stdout);
		any = any || *text;
	}
	return any;
}

static int diff_run(char **arguments, void *settings G_GNUC_UNUSED, GError **error)
{
	struct results left = {0}, right = {0};
	int status = 2;

	if (results_open(&left, arguments[0], error) && results_open(&right, arguments[1], error)) {
		bool differ;

		results_match(&left, &right);
		differ = print_lone(&left, &right, arguments[1]);
		differ = print_lone(&right, &left, arguments[0]) || differ;
		status = print_pairs(&left, &right) || differ;
	}
	results_clear(&left);
	results_clear(&right);
	return status;
}

const struct command command_diff = {
	.name = "diff",
	.arguments = "RESULT RESULT",
	.summary = "Say what differs between two results",
	.details =
		"RESULT is a result.json, a job's folder or a run's folder. Compared are kernel, "
		"command line, verdict, checks and every CPU's domains; times and the host's "
		"versions are not. A result without checks is judged again from the evidence "
		"beside it. Exit status: 0 equal, and nothing is printed; 1 different; 2 "
		"bad "
		"input.",
	.min_arguments = 2,
	.max_arguments = 2,
	.run = diff_run,
};
