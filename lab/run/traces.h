/* SPDX-License-Identifier: GPL-2.0-only */
/* The call traces of a console, with the lines of source that they are of. Pure. */
#ifndef RUN_TRACES_H
#define RUN_TRACES_H

#include "kernel/symbols.h"

/* In the job's folder. */
#define TRACES_FILE "traces.log"
/* A guest may print more addresses than one would read; the rest is left as it is. */
#define TRACES_MAX 20000

/* May there be something to decode? Cheap; to open a vmlinux is not. */
bool traces_has(const char *console);
/*
 * @console, @length bytes of it, with " (kernel/sched/core.c:1234)" behind every address of the
 * kernel's own code that it prints by name and @symbols has a line for; @n: how many they are.
 * NULL: none. Where a call returns to, the line is the call's. Caller frees.
 */
GString *traces_decode(const char *console, gsize length, const struct symbols *symbols,
		       unsigned *n);

#endif
