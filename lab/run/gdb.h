/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest that is frozen until gdb lets it run: what the user may ask for and what he is told. */
#ifndef RUN_GDB_H
#define RUN_GDB_H

#include "run/job.h"
#include "run/progress.h"
#include "run/run.h"

/* NULL or "unix", or a port's number. ERROR_INPUT. */
bool gdb_option(const char *value, struct run_options *options, GError **error);
/* ERROR_INPUT: options that do not go together. */
bool gdb_check(const struct run_options *options, GError **error);
/* Once the guest in @root is frozen: the command that reaches it, as one can paste it. */
void gdb_progress(struct progress *progress, const struct vm_progress *state,
		  const struct job_spec *spec, const char *root);

#endif
