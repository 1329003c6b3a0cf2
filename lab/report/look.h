/* SPDX-License-Identifier: GPL-2.0-only */
/* A last look at a guest, in words and as a member of result.json. */
#ifndef REPORT_LOOK_H
#define REPORT_LOOK_H

#include "base/look.h"

#include <glib.h>
#include <jansson.h>

/* NULL: null. */
json_t *look_to_json(const struct look *look);
/* Null and absent are no look, which is not an error. ERROR_INPUT. */
bool look_from_json(const json_t *json, struct look **look, GError **error);

/*
 * "0 at native_halt+0xe (process.c:745, halted); 1-3 at 0x7f00 (user space)"; NULL: it is not
 * known where they stand. Caller frees.
 */
char *look_places_text(const struct look *look);
/* Where to read more, and what could not be had. Caller frees. */
char *look_parts_text(const struct look *look);

#endif
