// SPDX-License-Identifier: GPL-2.0-only
#include "base/terminal.h"
#include "base/version.h"
#include "cmd/command.h"
#include "run/saved_job.h"

#include <stdio.h>

enum { KEY_FORMAT = 256, KEY_WRITE };

struct judge_settings {
	const struct report_format *format; /* NULL: text */
	bool write;
	bool verbose;
};

static const struct argp_option judge_options[] = {
	{.name = "format",
	 .key = KEY_FORMAT,
	 .arg = "F",
	 .doc = "Print the report in the format F (default text)"},
	{.name = "write", .key = KEY_WRITE, .doc = "Put the new verdict into result.json"},
	{.name = "verbose", .key = 'v', .doc = "Say what each check compared"},
	{0},
};

static bool judge_option(int key, const char *value, void *data, GError **error)
{
	struct judge_settings *settings = data;

	if (key == KEY_WRITE)
		settings->write = true;
	if (key == 'v')
		settings->verbose = true;
	if (key != KEY_FORMAT)
		return true;
	settings->format = report_format_require(value, error);
	return settings->format != NULL;
}

static void job_release(gpointer job)
{
	saved_job_free(job);
}

/*
 * Opens every job before the first is judged: a broken one ends the command with nothing written.
 */
static GPtrArray *jobs_open(const char *path, GError **error)
{
	g_autoptr(GPtrArray) paths = saved_job_paths(path, error);
	g_autoptr(GPtrArray) jobs = g_ptr_array_new_with_free_func(job_release);

	for (guint i = 0; paths && i < paths->len; i++) {
		struct saved_job *job = saved_job_open(paths->pdata[i], error);

		if (!job)
			return NULL;
		g_ptr_array_add(jobs, job);
	}
	return paths ? g_steal_pointer(&jobs) : NULL;
}

static int judge_run(char **arguments, void *data, GError **error)
{
	struct judge_settings *settings = data;
	g_autoptr(GPtrArray) jobs = jobs_open(arguments[0], error);
	g_autoptr(GPtrArray) results = g_ptr_array_new();
	struct report report = {
		.results = results,
		.run_folder = "",
		.version = TOPOLAB_VERSION,
	};
	struct report_style style = {
		.utf8 = terminal_is_utf8(),
		.colour = terminal_has_colour(),
		.verbose = settings->verbose,
	};
	g_autofree char *text = NULL;

	if (!jobs)
		return 2;
	for (guint i = 0; i < jobs->len; i++) {
		struct saved_job *job = jobs->pdata[i];

		saved_job_judge(job);
		if (settings->write && !saved_job_write(job, error))
			return 2;
		g_ptr_array_add(results, job->result);
	}
	text = (settings->format ? settings->format : report_format_find("text"))
		       ->write(&report, &style);
	fputs(text, stdout);
	return report_exit_status(&report);
}

const struct command command_judge = {
	.name = "judge",
	.arguments = "RUN|JOB|result.json",
	.summary = "Judge saved jobs again, from their files alone",
	.notes = report_format_notes,
	.options = judge_options,
	.min_arguments = 1,
	.max_arguments = 1,
	.settings_size = sizeof(struct judge_settings),
	.option = judge_option,
	.run = judge_run,
};
