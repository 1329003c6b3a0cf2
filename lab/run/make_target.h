/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of the kernel's selftests that are more than C files: their folder's own Makefile builds
 * them, with BPF programs inside that are made for the types of one kernel.
 */
#ifndef RUN_MAKE_TARGET_H
#define RUN_MAKE_TARGET_H

#include "kernel/kernel.h"

#include <glib.h>

struct make_target {
	const char *tree;   /* of the kernel's sources; absolute; nothing is written there */
	const char *folder; /* below tools/testing/selftests: "sched_ext" */
	const char *target; /* a file that its Makefile makes in $(OUTPUT): "runner" */
	GBytes *btf;	    /* of the kernel in which it will run */
	const struct kernel_options *options;
};

/*
 * The program's bytes, linked statically. What was built before from the same sources, for the same
 * types and by the same compilers, is not built again. ERROR_BUILD when it does not build or the
 * host lacks what that takes, and then the message says what to install; ERROR_LAB when there is no
 * cache.
 */
GBytes *make_target_program(const struct make_target *target, GError **error);

/* "Debian clang version 19.1.7 (3~deb12u1)\n...": 19; 0: it is none. Pure. */
unsigned make_target_clang_version(const char *text);

#endif
