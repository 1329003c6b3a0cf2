/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long a parent waits for a worker's last look: each part of it has a time of its own, because
 * the worker may be inside a libvirt call that a wedged QEMU never answers.
 */
#ifndef VM_PATIENCE_H
#define VM_PATIENCE_H

#include "base/look.h"

#include <glib.h>
#include <stdbool.h>

struct patience {
	bool dump_memory;
	gint64 since_usec; /* monotonic: when the current part began; 0: there is no look */
	enum look_part part;
};

void patience_begin(struct patience *patience, gint64 now_usec);
/* @part is done; the next one begins. */
void patience_looked(struct patience *patience, enum look_part part, gint64 now_usec);
bool patience_is_over(const struct patience *patience, gint64 now_usec);
/* Nobody's time ran for @usec. */
void patience_forgive(struct patience *patience, gint64 usec, gint64 now_usec);
/* What did not come in time, in @look. */
void patience_note(const struct patience *patience, struct look *look);

#endif
