/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A set of CPU (or node) numbers. Sets are reference counted and shared freely: once a set has
 * been handed to somebody else it is no longer changed.
 */
#ifndef BASE_CPUS_H
#define BASE_CPUS_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

/* Debian's kernels are built with NR_CPUS=8192; no set reaches beyond. */
#define CPUS_MAX 8192

struct cpus;

struct cpus *cpus_new(void);
struct cpus *cpus_ref(struct cpus *set);
void cpus_unref(struct cpus *set); /* takes NULL */
struct cpus *cpus_copy(const struct cpus *set);
AUTO_DEFINE(cpus, cpus_unref)

void cpus_add(struct cpus *set, unsigned cpu);
void cpus_remove(struct cpus *set, unsigned cpu);
void cpus_or(struct cpus *set, const struct cpus *other);
void cpus_and(struct cpus *set, const struct cpus *other);
void cpus_andnot(struct cpus *set, const struct cpus *other);

bool cpus_has(const struct cpus *set, unsigned cpu);
bool cpus_is_empty(const struct cpus *set);
unsigned cpus_count(const struct cpus *set);
bool cpus_equal(const struct cpus *a, const struct cpus *b);
bool cpus_intersects(const struct cpus *a, const struct cpus *b);
/* Is every member of @a also in @b? */
bool cpus_subset(const struct cpus *a, const struct cpus *b);
/* The first member after @after (-1 to start), or -1. */
int cpus_next(const struct cpus *set, int after);
/* For GHashTable keys. */
guint cpus_hash(gconstpointer set);
gboolean cpus_hash_equal(gconstpointer a, gconstpointer b);

#define CPUS_FOREACH(cpu, set)                                                                     \
	for (int cpu = cpus_next(set, -1); cpu >= 0; cpu = cpus_next(set, cpu))

/* "0-7,128-135", as in /sys; the empty set is "". Errors are ERROR_LAB. */
struct cpus *cpus_parse_list(const char *text, GError **error);
/* "00000000,0000ff00", as the kernel's %*pb prints it; most significant word first. */
struct cpus *cpus_parse_mask(const char *text, GError **error);
char *cpus_to_list(const struct cpus *set);

#endif
