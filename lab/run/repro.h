/* SPDX-License-Identifier: GPL-2.0-only */
/* Cases x kernels -> what each kernel shows of each case, a line for each. */
#ifndef RUN_REPRO_H
#define RUN_REPRO_H

#include "run/case.h"

#include <glib.h>
#include <stdbool.h>

struct repro_options {
	char **cases;	    /* names or files, or "all"; at least one */
	char **kernels;	    /* NULL: those that each case lists */
	const char *append; /* more kernel arguments for every guest; NULL: none */
	const char *accel;  /* "auto", "kvm" or "tcg" */
	const char *folder; /* NULL: results/<UTC>-<pid> */
	unsigned jobs;	    /* guests at a time */
	unsigned timeout_seconds;
	/* A line of what is found, without its end. */
	void (*say)(const char *line);
	bool offline;
	bool quiet;
};

/*
 * 0: every kernel shows what is right, or exactly what is recorded of it; 1: any FAIL, FIXED or
 * TIMEOUT; 3: any ERROR (wins); 77: everything was skipped. With @error set nothing was judged.
 */
int repro_all(const struct repro_options *options, GError **error);

/*
 * What the job in the folder @job shows of @file. ERROR_INPUT when it is no job. The rest as of
 * case_judge().
 */
bool repro_judge(const struct case_file *file, const struct case_kernel *known, const char *job,
		 enum case_verdict *verdict, char **reason, GError **error);

#endif
