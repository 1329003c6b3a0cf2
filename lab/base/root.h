/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rooted handle: everything that is read from /sys, /proc or a guest goes through one, so the
 * same code reads this host, a saved guest's archive in memory, or a test's folder.
 * Paths are relative to the root and have no leading slash: "sys/devices/system/cpu/online".
 */
#ifndef BASE_ROOT_H
#define BASE_ROOT_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

struct root;

struct root *root_new_dir(const char *path);
/* @members: char * path -> GBytes *; the reference is taken over. */
struct root *root_new_members(GHashTable *members);
struct root *root_ref(struct root *root);
void root_unref(struct root *root);
AUTO_DEFINE(root, root_unref)

/* The bytes of a file. A missing one is ERROR_LAB and the message names it. */
GBytes *root_read_bytes(struct root *root, GError **error, const char *format, ...)
	G_GNUC_PRINTF(3, 4);
/* The same as text: NUL-terminated, without trailing white space; a NUL inside is an error. */
char *root_read(struct root *root, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* A decimal number. */
bool root_read_number(struct root *root, gint64 *value, GError **error, const char *format, ...)
	G_GNUC_PRINTF(4, 5);
bool root_has(struct root *root, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Names directly below a folder, sorted; an absent folder has none. Numbers sort as strings. */
char **root_list(struct root *root, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
