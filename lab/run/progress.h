/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a user sees while guests run, on stderr: one line that changes in place on a terminal,
 * otherwise a plain line whenever a job changes its state.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "base/auto.h"
#include "vm/vm.h"

struct progress;

enum progress_mode { PROGRESS_QUIET, PROGRESS_PLAIN, PROGRESS_LIVE };
/* Live only on a terminal that can move its cursor. */
enum progress_mode progress_mode_for_stderr(void);

struct progress *progress_new(enum progress_mode mode);
void progress_free(struct progress *progress);
AUTO_DEFINE(progress, progress_free)

/* How many jobs there will be. */
void progress_expect(struct progress *progress, unsigned n_jobs);
/* A sentence that stays. */
void progress_say(struct progress *progress, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* @job: its folder, "nps4/debian-6.12". */
void progress_update(struct progress *progress, const char *job, const struct vm_progress *state);
void progress_done(struct progress *progress, const char *job, const char *verdict, gint64 wall_ms);

#endif
