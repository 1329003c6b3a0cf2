/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent's records about test programs (base/test_job.h), believed no further than checked.
 * Pure. */
#ifndef RUN_ANSWERS_H
#define RUN_ANSWERS_H

#include "base/records.h"
#include "verdict/programs.h"

#include <glib.h>
#include <stdbool.h>

/*
 * Puts what @records say into @programs (struct program *, as they were asked for). ERROR_LAB: an
 * answer that nobody asked for, a second one, or one that says no such thing; the programs answered
 * before it keep their answers.
 */
bool answers_take(const struct records *records, GPtrArray *programs, GError **error);

#endif
