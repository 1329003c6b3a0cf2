/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is done to a running kernel before it is judged, and what that makes of its CPUs. A kind of
 * step is one row in step.c.
 */
#ifndef EXPECT_STEP_H
#define EXPECT_STEP_H

#include "expect/situation.h"
#include "topo/topo.h"

#include <glib.h>
#include <stdbool.h>

struct step;

/*
 * "offline 4-7", "cpuset a 0-3 root"; "try offline 4" may be refused. ERROR_INPUT, naming what
 * there is.
 */
struct step *step_parse(const char *text, GError **error);
void step_free(struct step *step);
AUTO_DEFINE(step, step_free)
/* As it was parsed. */
const char *step_text(const struct step *step);

/* struct step *, owned. NULL @texts: none. The first that is wrong is the error. */
GPtrArray *steps_parse(const char *const *texts, GError **error);
/* Their texts, NULL-terminated; NULL for NULL. Caller frees. */
char **steps_texts(const GPtrArray *steps);
/* The agent's file (base/steps.h): what it must do for all of them. Caller frees. */
char *steps_actions(const GPtrArray *steps);
/*
 * Does @answer, what the agent says it did, say that all was done, or refused where it may be?
 * Steps remember. ERROR_LAB, with the action and why it failed.
 */
bool steps_take_answers(GPtrArray *steps, const char *answer, GError **error);
/*
 * What @answer says of a step of one action: "0", "EBUSY"; NULL: nothing. Of equal ones the first.
 * Caller frees.
 */
char *step_answer(const struct step *step, const char *answer);
/* What they make of @situation, but for those that were refused. ERROR_INPUT for a CPU that the
 * machine lacks, or that must stay. */
bool steps_apply(const GPtrArray *steps, const struct topo *topo, struct situation *situation,
		 GError **error);

#endif
