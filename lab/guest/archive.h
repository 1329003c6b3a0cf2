/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The evidence: a gzipped ustar archive made in memory. Its last member, "manifest", says how many
 * members came before it, what was missing, what could not be read, and how long each phase took.
 */
#ifndef GUEST_ARCHIVE_H
#define GUEST_ARCHIVE_H

#include "guest/text.h"

struct archive;

struct archive *archive_new(void);
/* @path: relative, at most 99 bytes; a longer one is noted and left out. */
void archive_add(struct archive *archive, const char *path, const void *data, size_t length);
/* One line of the manifest. */
void archive_note(struct archive *archive, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds the manifest, ends the gzip stream and frees @archive; the caller frees the bytes. */
struct text archive_finish(struct archive *archive);

#endif
