/* SPDX-License-Identifier: GPL-2.0-only */
/* What a build made, put into the cache. */
#ifndef KERNEL_BUILT_H
#define KERNEL_BUILT_H

#include "kernel/kbuild.h"

struct built_as {
	const char *id;	     /* of the cache's entry; NULL: the sum of image and config */
	const char *origin;  /* where they came from, for people */
	const char *vmlinux; /* to be kept with them; NULL: none is */
};

/*
 * Keeps a copy of the image and config that @kbuild made in the cache and fills @kernel from it:
 * the next build writes over them, perhaps while a guest has yet to boot these. An entry that is
 * already there stays as it is.
 */
bool built_keep(struct kernel *kernel, const struct kbuild *kbuild, const struct built_as *as,
		GError **error);

#endif
