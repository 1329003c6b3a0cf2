/* SPDX-License-Identifier: GPL-2.0-only */
/* What a build made, put into the cache. */
#ifndef KERNEL_BUILT_H
#define KERNEL_BUILT_H

#include "kernel/kbuild.h"

/*
 * Keeps a copy of the image and config that @kbuild made, as the entry @id of the cache, and fills
 * @kernel from it: the next build writes over them, perhaps while a guest has yet to boot these.
 * @id NULL: the sum of both files. @origin is where they came from, for people.
 */
bool built_keep(struct kernel *kernel, const struct kbuild *kbuild, const char *id,
		const char *origin, GError **error);

#endif
