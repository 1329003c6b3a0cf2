/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One thing that can be seen of a kernel that was judged, as a line: "chain 0 MC 0-1; NUMA 0-11".
 * A kind of observation is one row in observation.c. Pure but for reading the evidence.
 */
#ifndef VERDICT_OBSERVATION_H
#define VERDICT_OBSERVATION_H

#include "base/auto.h"
#include "verdict/verdict.h"

#include <glib.h>
#include <stdbool.h>

/* What is looked at. */
struct seen;

/* @judgement must outlive it. @evidence and @console: as judged, NULL where there is none. */
struct seen *seen_new(const struct judgement *judgement, GBytes *evidence, const char *console,
		      gsize console_length);
void seen_free(struct seen *seen);
AUTO_DEFINE(seen, seen_free)

struct observation;

/* ERROR_INPUT, naming what there is. */
struct observation *observation_parse(const char *text, GError **error);
void observation_free(struct observation *observation);
AUTO_DEFINE(observation, observation_free)
const char *observation_text(const struct observation *observation);
/* Is it so? If not, @shown is what is there instead; the caller frees it. */
bool observation_holds(const struct observation *observation, const struct seen *seen,
		       char **shown);
/* The check that must fail where the observation says so ("fails kernel.splats"); NULL: none. */
const char *observation_failing_check(const struct observation *observation);

#endif
