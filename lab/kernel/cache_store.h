/* SPDX-License-Identifier: GPL-2.0-only */
/* The cache as a whole: what lies in it, and what can go. */
#ifndef KERNEL_CACHE_STORE_H
#define KERNEL_CACHE_STORE_H

#include <glib.h>
#include <stdbool.h>

struct cache_entry {
	char *name; /* below the cache: "kernels/linux-image-..." */
	char *path;
	guint64 bytes;
	gint64 used; /* seconds since 1970 */
	bool in_use; /* some process holds it now */
	bool kept;   /* small, and learnt at the cost of seconds: not pruned */
};

/* Least recently used first; elements are struct cache_entry *. ERROR_LAB. */
GPtrArray *cache_entries(GError **error);
guint64 cache_entries_bytes(const GPtrArray *entries);

/*
 * Removes @entry and the pins that lead to it, unless somebody uses it: then it is false and
 * @error is not set. ERROR_LAB: it cannot be removed.
 */
bool cache_entry_remove(const struct cache_entry *entry, GError **error);

#endif
