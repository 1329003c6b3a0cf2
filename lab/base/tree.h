/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef BASE_TREE_H
#define BASE_TREE_H

#include <glib.h>
#include <stdbool.h>

/*
 * Removes a folder and all below it. Symbolic links are removed, never followed, also when somebody
 * swaps a folder for one meanwhile; other file systems mounted below are left alone, which is an
 * error. A path that does not exist is fine. Errors are ERROR_LAB.
 */
bool tree_remove(const char *path, GError **error);

/*
 * Adds to @sum the names and contents of all files below @path, in an order that is always the
 * same; of symbolic links what they say, and nothing of what is no file. A @path that does not
 * exist adds its name alone. ERROR_LAB when something cannot be read.
 */
bool tree_checksum(const char *path, GChecksum *sum, GError **error);

#endif
