/* SPDX-License-Identifier: GPL-2.0-only */
/* Test programs, compiled on the host for the guest: static, and kept in the cache. */
#ifndef RUN_COMPILE_H
#define RUN_COMPILE_H

#include "kernel/kernel.h"

#include <glib.h>

struct compile {
	const char *folder;	  /* of the sources; absolute */
	const GPtrArray *sources; /* char *: absolute */
	const GPtrArray *flags;	  /* char *: for the compiler */
	const struct kernel_options *options;
};

/*
 * The program's bytes. What was compiled before from the same preprocessed text, with the same
 * flags and by the same compiler, is not compiled again. ERROR_BUILD with the compiler's first
 * error; ERROR_LAB when there is no compiler or no cache.
 */
GBytes *compile_program(const struct compile *compile, GError **error);

/* The cache's folder for the programs of one folder of sources; made. Caller frees. */
char *compile_store(const char *sources, GError **error);

#endif
