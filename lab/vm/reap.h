/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parent reaps every child, its own and those that dead workers left to it. GLib's child
 * watches would compete for them and are not used.
 */
#ifndef VM_REAP_H
#define VM_REAP_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* Becomes a child subreaper and reaps from the default main context. Once per process. */
bool reap_init(GError **error);
/* @gone is called once, with waitpid()'s status, when that child was reaped. */
void reap_watch(pid_t pid, void (*gone)(pid_t pid, int status, void *data), void *data);
void reap_unwatch(pid_t pid);

#endif
