/* SPDX-License-Identifier: GPL-2.0-only */
/* A user's program that loads a sched_ext scheduler; tests/guest/sched-ext runs it. */
#ifndef RUN_SCHEDULER_H
#define RUN_SCHEDULER_H

#include <glib.h>
#include <stdbool.h>

/* Where it lies in the initramfs. */
#define SCHEDULER_FILE "tests/scheduler"

/* The file @path, if scheduler_check() finds nothing against it. ERROR_INPUT. */
GBytes *scheduler_load(const char *path, GError **error);
/*
 * Can a guest that has no library run it: is it an ELF program for x86-64 that names no loader?
 * Pure;
 * @path is only for the message, which is ERROR_INPUT.
 */
bool scheduler_check(const guint8 *data, gsize length, const char *path, GError **error);

#endif
