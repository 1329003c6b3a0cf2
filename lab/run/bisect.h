/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the steps of one git bisect have in common: the accelerator of the first one, so that no
 * commit looks bad because it was judged in another way.
 */
#ifndef RUN_BISECT_H
#define RUN_BISECT_H

#include "emit/emit.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A name for the bisect that is going on in the work tree that @folder lies in, another one for
 * each that is begun; NULL: none is. Caller frees.
 */
char *bisect_find(const char *folder);
/* False: no step chose one yet. */
bool bisect_recall(const char *bisect, enum emit_accel *accel);
bool bisect_remember(const char *bisect, enum emit_accel accel, GError **error);

#endif
