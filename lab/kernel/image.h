/* SPDX-License-Identifier: GPL-2.0-only */
/* What every source ends with: an image on disk, with or without its config, becomes a kernel. */
#ifndef KERNEL_IMAGE_H
#define KERNEL_IMAGE_H

#include "kernel/kernel.h"

/*
 * Reads both files and fills @kernel's image_path, sha256 and facts. @config_path: NULL when there
 * is none, and the facts' config stays unknown.
 */
bool kernel_read_image(struct kernel *kernel, const char *image_path, const char *config_path,
		       GError **error);

/* SHA-256 of a file as 64 hexadecimal digits. ERROR_LAB when it cannot be read. */
char *file_sha256(const char *path, GError **error);

#endif
