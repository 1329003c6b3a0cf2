/* SPDX-License-Identifier: GPL-2.0-only */
/* A Linux release as a compressed tar. */
#ifndef KERNEL_TARBALL_H
#define KERNEL_TARBALL_H

#include <glib.h>
#include <stdbool.h>

/*
 * Unpacks @path into @folder, which is made, without the folder that each of its members lies in
 * ("linux-6.12/"). Members that would leave @folder are errors; ERROR_INPUT names the archive,
 * ERROR_LAB a disk that is full.
 */
bool tarball_unpack(const char *path, const char *folder, GError **error);

#endif
