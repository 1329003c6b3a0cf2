/* SPDX-License-Identifier: GPL-2.0-only */
/* One topolab at a time in a folder of the cache, and none that prunes it. */
#ifndef KERNEL_FOLDER_LOCK_H
#define KERNEL_FOLDER_LOCK_H

#include "kernel/kernel.h"

/* Where the lock lies; see cache_store.c. */
#define FOLDER_LOCK "lock"

/*
 * Takes the lock of @folder, waiting, aloud, for another topolab that uses @what. A descriptor: to
 * close it gives the lock back. -1 and ERROR_LAB.
 */
int folder_lock(const char *folder, const char *what, const struct kernel_options *options,
		GError **error);

#endif
