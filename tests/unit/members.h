/* SPDX-License-Identifier: GPL-2.0-only */
/* Evidence made by hand: path -> bytes, without an archive around it. */
#ifndef TESTS_MEMBERS_H
#define TESTS_MEMBERS_H

#include "base/root.h"

#include <glib.h>
#include <string.h>

static inline GHashTable *members_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
				     (GDestroyNotify)g_bytes_unref);
}

static inline void members_add_bytes(GHashTable *members, const char *path, GBytes *bytes)
{
	g_hash_table_insert(members, g_strdup(path), bytes);
}

G_GNUC_PRINTF(3, 4)
static inline void members_add(GHashTable *members, const char *path, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	members_add_bytes(members, path, g_bytes_new_take(text, strlen(text)));
}

static inline void members_remove(GHashTable *members, const char *path)
{
	g_assert_true(g_hash_table_remove(members, path));
}

/* A root over a copy, so that one table of members serves several cases. */
static inline struct root *members_root(GHashTable *members)
{
	GHashTable *copy = members_new();
	GHashTableIter iter;
	gpointer path, bytes;

	g_hash_table_iter_init(&iter, members);
	while (g_hash_table_iter_next(&iter, &path, &bytes))
		members_add_bytes(copy, path, g_bytes_ref(bytes));
	return root_new_members(copy);
}

/* A root of a few text files: path, text, path, text, ..., NULL. */
G_GNUC_NULL_TERMINATED
static inline struct root *root_of(const char *path, ...)
{
	GHashTable *members = members_new();
	va_list args;

	va_start(args, path);
	while (path) {
		members_add(members, path, "%s", va_arg(args, const char *));
		path = va_arg(args, const char *);
	}
	va_end(args);
	return root_new_members(members);
}

#endif
