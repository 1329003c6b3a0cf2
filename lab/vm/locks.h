/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who owns a root. ROOT/owner is locked (flock(2)) by the parent for as long as it lives; libvirt
 * locks ROOT/run/qemu/driver.pid (fcntl(2)) in the worker. A root whose locks are both free was
 * left by dead processes. Both locks also hold between containers that share a runtime folder.
 */
#ifndef VM_LOCKS_H
#define VM_LOCKS_H

#include <glib.h>
#include <stdbool.h>

/* The name of a new root: short, because sockets lie below it, and not to be guessed. */
char *locks_new_name(void);
/* Could it come from locks_new_name()? */
bool locks_is_name(const char *name);

/*
 * Held while a root appears or is judged, so that a new one is never taken for an orphan. Returns a
 * descriptor whose close() unlocks.
 */
int locks_take_runtime(const char *runtime, GError **error);
/* Makes and locks ROOT/owner; the descriptor, or -1. */
int locks_make_owner(const char *root, GError **error);

enum locks_state {
	LOCKS_BARE,   /* no owner file: half made or half removed, or not a root at all */
	LOCKS_LIVE,   /* its parent or its worker is alive */
	LOCKS_ORPHAN, /* ours now: @fd holds the owner's lock */
};
enum locks_state locks_try(const char *root, int *fd);

#endif
