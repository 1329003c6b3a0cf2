/* SPDX-License-Identifier: GPL-2.0-only */
/* A run's folder and the reports in it. */
#ifndef RUN_OUTPUT_H
#define RUN_OUTPUT_H

#include "report/report.h"

/*
 * May results go into @folder (NULL: one of our own)? ERROR_INPUT when it is there and not empty.
 */
bool output_folder_check(const char *folder, GError **error);

/* Makes @folder, or results/<UTC>-<pid> when it is NULL and then points results/latest to it. */
char *output_folder_new(const char *folder, GError **error);

/* Writes every format's file into the run's folder. */
bool output_write(const struct report *report, GError **error);
/*
 * The same, and @format (NULL: nothing) to stdout, whose last line has all counts. Returns the exit
 * status.
 */
int output_report(const struct report *report, const struct report_format *format, bool verbose,
		  GError **error);

#endif
