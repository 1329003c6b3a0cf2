/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Why a guest stopped, by the first SHUTDOWN event of QEMU's monitor: libvirt's own events do not
 * tell a power-off from a reset that on_reboot=destroy turned into one.
 */
#ifndef VM_SHUTDOWN_H
#define VM_SHUTDOWN_H

#include "base/ending.h"

#include <stdbool.h>

/* ShutdownCause in QEMU's qapi/run-state.json; OTHER has no better name there or is not ours. */
enum shutdown_reason {
	SHUTDOWN_NONE,
	SHUTDOWN_GUEST_SHUTDOWN,
	SHUTDOWN_GUEST_RESET,
	SHUTDOWN_GUEST_PANIC,
	SHUTDOWN_SUBSYSTEM_RESET,
	SHUTDOWN_HOST_SIGNAL,
	SHUTDOWN_OTHER,
	SHUTDOWN_COUNT,
};
const char *shutdown_reason_name(enum shutdown_reason reason);
bool shutdown_reason_from_name(const char *name, enum shutdown_reason *reason);

struct shutdown {
	enum shutdown_reason reason;
};

/* @details: the event's JSON, {"guest":true,"reason":"guest-shutdown"}; NULL: none. */
void shutdown_note(struct shutdown *shutdown, const char *details);
bool shutdown_is_known(const struct shutdown *shutdown);
enum ending shutdown_ending(const struct shutdown *shutdown);
/* A sentence, or NULL: there is nothing to add, or QEMU went without a word. */
const char *shutdown_detail(const struct shutdown *shutdown);

#endif
