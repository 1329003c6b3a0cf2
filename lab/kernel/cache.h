/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernels in the cache. An entry is a folder with vmlinuz, config and meta.json (where both came
 * from and their SHA-256), put in place by one rename and never changed afterwards. Of what was
 * built here vmlinux lies there too, where symbols_find() looks; it has no sum, since it is large
 * and whoever reads it compares its banner. A pin says which entry a kernel file led to, and its
 * age is the age of that answer.
 */
#ifndef KERNEL_CACHE_H
#define KERNEL_CACHE_H

#include "kernel/kernel.h"

/* A private folder inside the cache to prepare an entry in; the caller removes it. */
char *cache_stage(GError **error);

/* Files inside a stage. */
struct cache_files {
	const char *image, *config;
	const char *vmlinux; /* NULL: there is none */
};

/*
 * Makes @files the entry @id. An entry that is already there and intact wins, a damaged one is
 * replaced; two runs may do this at once.
 */
bool cache_commit(const char *stage, const struct cache_files *files, const char *id,
		  const char *package, GError **error);

/*
 * Fills @kernel from the entry. Absent, incomplete or changed since it was written: an error, and
 * @kernel is as it was. Until kernel_free() nobody removes the entry; now is its last use.
 */
bool cache_load(const char *id, struct kernel *kernel, GError **error);

/* Takes NULL. */
void cache_release(struct cache_hold *hold);

/* Is the entry there? Whether it is intact only cache_load() says. */
bool cache_has(const char *id);

/* The id pinned under @key, or NULL. @age_seconds: how long ago it was found to be the newest. */
char *cache_pin_read(const char *key, gint64 *age_seconds, GError **error);
/* Removes every pin that leads to @id. */
void cache_pins_remove(const char *id);
/* Pins @id as if that had been done @age_seconds ago. */
bool cache_pin_write(const char *key, const char *id, gint64 age_seconds, GError **error);

#endif
