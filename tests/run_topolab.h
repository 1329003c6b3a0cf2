/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts the real binary, as a user does, and looks at what it leaves behind. */
#ifndef TESTS_RUN_TOPOLAB_H
#define TESTS_RUN_TOPOLAB_H

#include "base/tree.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <jansson.h>
#include <string.h>

/* The binary beside the tests' own folder: build/tests/test_x -> build/topolab. */
static inline char *topolab_path(void)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *folder = g_path_get_dirname(self);

	return g_build_filename(folder, "..", "topolab", NULL);
}

struct topolab_run {
	int status; /* exit status; -1: ended by a signal */
	char *output, *errors;
};

/* @arguments: blank separated, after the program's name. */
static inline struct topolab_run topolab_run(const char *format, ...) G_GNUC_PRINTF(1, 2);
static inline struct topolab_run topolab_run(const char *format, ...)
{
	struct topolab_run run = {.status = -1};
	g_autofree char *arguments = NULL;
	g_autofree char *path = topolab_path();
	g_autofree char *line = NULL;
	g_auto(GStrv) argv = NULL;
	g_autoptr(GError) error = NULL;
	int wait_status;
	va_list args;

	va_start(args, format);
	arguments = g_strdup_vprintf(format, args);
	va_end(args);
	line = g_strchomp(g_strdup_printf("%s %s", path, arguments));
	argv = g_strsplit(line, " ", -1);
	g_spawn_sync(NULL, argv, NULL, 0, NULL, NULL, &run.output, &run.errors, &wait_status,
		     &error);
	g_assert_no_error(error);
	if (WIFEXITED(wait_status))
		run.status = WEXITSTATUS(wait_status);
	g_test_message("topolab %s: exit %d\n%s%s", arguments, run.status, run.output, run.errors);
	return run;
}

static inline void topolab_run_clear(struct topolab_run *run)
{
	g_free(run->output);
	g_free(run->errors);
}

static inline json_t *result_load(const char *folder, const char *job)
{
	g_autofree char *path = g_build_filename(folder, job, "result.json", NULL);
	json_error_t error;
	json_t *json = json_load_file(path, 0, &error);

	if (!json)
		g_test_fail_printf("%s: %s", path, error.text);
	return json;
}

/* How the console of @folder ends, on stderr: prove and CI show no more of a test that fails. */
static inline void console_explain(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, "console.log", NULL);
	g_autofree char *console = NULL;

	if (g_file_get_contents(path, &console, NULL, NULL))
		g_printerr("%s: the console ends:\n%s\n", name,
			   console + MAX((gssize)strlen(console) - 3000, 0));
}

/* Why a job came out as it did, on stderr too. */
static inline void result_explain(const char *folder, const char *job, const json_t *result)
{
	g_autofree char *path = g_build_filename(folder, job, NULL);
	json_t *check;
	size_t i;

	json_array_foreach (json_object_get(result, "checks"), i, check) {
		const char *verdict = json_string_value(json_object_get(check, "verdict"));
		const char *reason = json_string_value(json_object_get(check, "reason"));
		const char *observed = json_string_value(json_object_get(check, "observed"));

		if (g_strcmp0(verdict, "PASS") != 0)
			g_printerr("%s: %s %s: %s; %s\n", job, verdict,
				   json_string_value(json_object_get(check, "name")),
				   reason ? reason : "", observed ? observed : "");
	}
	console_explain(path, job);
}

static inline void folder_remove(const char *folder)
{
	tree_remove(folder, NULL);
}

#endif
