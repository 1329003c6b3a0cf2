// SPDX-License-Identifier: GPL-2.0-only
#include "run/output.h"

#include "base/caller.h"
#include "base/error.h"
#include "base/terminal.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool folder_is_empty(const char *folder)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);

	return dir && !g_dir_read_name(dir);
}

/* In a kernel's tree, say: git is not to see our results there. */
static void hide_from_git(const char *folder)
{
	g_autofree char *path = g_build_filename(folder, ".gitignore", NULL);

	if (!g_file_test(path, G_FILE_TEST_EXISTS))
		g_file_set_contents(path, "*\n", -1, NULL);
	caller_give(path);
}

static void point_latest_to(const char *name)
{
	g_autofree char *fresh = g_strdup_printf("results/.latest-%d", (int)getpid());

	/* A convenience: where it cannot be made the run goes on without it. */
	if (symlink(name, fresh) == 0 && rename(fresh, "results/latest") != 0)
		g_remove(fresh);
	caller_give("results/latest");
}

bool output_folder_check(const char *folder, GError **error)
{
	if (!folder || !g_file_test(folder, G_FILE_TEST_EXISTS) || folder_is_empty(folder))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "'%s' exists and is not an empty folder; results are never overwritten",
		    folder);
	return false;
}

/* The first part of @path that is not there yet, or all of it. */
static char *first_missing(const char *path)
{
	char *missing = g_strdup(path);

	for (;;) {
		g_autofree char *parent = g_path_get_dirname(missing);

		if (strcmp(parent, missing) == 0 || g_file_test(parent, G_FILE_TEST_EXISTS))
			return missing;
		g_free(missing);
		missing = g_steal_pointer(&parent);
	}
}

char *output_folder_new(const char *folder, GError **error)
{
	g_autofree char *name = NULL;
	g_autofree char *path = g_strdup(folder);
	g_autofree char *made = NULL;

	if (!path) {
		g_autoptr(GDateTime) now = g_date_time_new_now_utc();
		g_autofree char *stamp = g_date_time_format(now, "%Y%m%dT%H%M%SZ");

		name = g_strdup_printf("%s-%d", stamp, (int)getpid());
		path = g_build_filename("results", name, NULL);
	}
	made = first_missing(path);
	if (g_mkdir_with_parents(path, 0755) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make '%s': %s", path,
			    g_strerror(errno));
		return NULL;
	}
	caller_give(made);
	if (name) {
		hide_from_git("results");
		point_latest_to(name);
	}
	return g_steal_pointer(&path);
}

static bool write_format(const struct report *report, const struct report_format *format,
			 GError **error)
{
	struct report_style plain = {.utf8 = true, .verbose = true};
	g_autofree char *text = format->write(report, &plain);
	g_autofree char *path = g_build_filename(report->run_folder, format->file, NULL);

	g_autoptr(GError) cause = NULL;

	if (g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_NONE, 0644, &cause))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "the run's reports are not kept: %s",
		    cause->message);
	return false;
}

bool output_write(const struct report *report, GError **error)
{
	bool written = true;

	for (unsigned i = 0; written && report_format_table[i]; i++)
		written = write_format(report, report_format_table[i], error);
	return written;
}

int output_report(const struct report *report, const struct report_format *format, bool verbose,
		  GError **error)
{
	struct report_style style = {
		.utf8 = terminal_is_utf8(),
		.colour = terminal_has_colour(),
		.verbose = verbose,
	};
	g_autofree char *text = format ? format->write(report, &style) : NULL;
	bool written = output_write(report, error);

	caller_give(report->run_folder);
	/* Where no file can be written, what was found out is at least told. */
	if (text)
		fputs(text, stdout);
	/* The judgements stand all the same, but a program would look for them in vain. */
	return written ? report_exit_status(report) : report->bisect ? BISECT_SKIP : 3;
}
