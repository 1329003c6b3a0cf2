/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of kernels/: a title and one source, such as
 *
 *	title: Debian's 6.12 for cloud machines
 *	deb:
 *	  suites: bookworm-security bookworm-backports
 *	  package: linux-image-6.12.*-cloud-amd64
 */
#ifndef KERNEL_KERNEL_FILE_H
#define KERNEL_KERNEL_FILE_H

#include "base/auto.h"
#include "kernel/kernel.h"

struct kernel_file {
	char *title;
	const struct kernel_source *source;
	GHashTable *fields; /* char * -> char *: the keys of the source's mapping, see field_kind */
};

/* Pure. @file is where paths in it begin, and for messages, which are ERROR_INPUT,
 * "file:line:column: sentence". */
struct kernel_file *kernel_file_parse(const char *text, gsize length, const char *file,
				      GError **error);
struct kernel_file *kernel_file_load(const char *path, GError **error);
/* The file of a name in kernels/; an unknown one's error lists those that exist. */
struct kernel_file *kernel_file_find(const char *name, GError **error);
void kernel_file_free(struct kernel_file *file);
AUTO_DEFINE(kernel_file, kernel_file_free)

/* NULL when absent. */
const char *kernel_field(GHashTable *fields, const char *name);

#endif
