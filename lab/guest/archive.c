// SPDX-License-Identifier: GPL-2.0-only
#include "guest/archive.h"

#include "guest/agent.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST /* next_in is only read */
#include <zlib.h>

#define BLOCK 512

struct archive {
	z_stream stream;
	struct text out;
	struct text notes;
	unsigned members;
};

/* The ustar header, POSIX.1-1988; numbers are octal text. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
	char type, link[100], magic[6], version[2], user[32], group[32], major[8], minor[8];
	char prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a tar header is one block");

struct archive *archive_new(void)
{
	struct archive *archive = calloc(1, sizeof(*archive));

	/* 15 + 16: a 32 KiB window and a gzip header. Level 1: in a TCG guest, CPU is what is short. */
	if (!archive || deflateInit2(&archive->stream, 1, Z_DEFLATED, 15 + 16, 8,
				     Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	return archive;
}

static void archive_deflate(struct archive *archive, const void *data, size_t length, int flush)
{
	z_stream *stream = &archive->stream;
	int status;

	stream->next_in = data;
	stream->avail_in = (uInt)length;
	do {
		text_reserve(&archive->out, 65536);
		stream->next_out = (Bytef *)archive->out.data + archive->out.length;
		stream->avail_out = 65536;
		status = deflate(stream, flush);
		archive->out.length += 65536 - stream->avail_out;
	} while (status == Z_OK && stream->avail_out == 0);
}

static void header_fill(struct header *header, const char *path, size_t length)
{
	unsigned sum = 0;

	snprintf(header->name, sizeof(header->name), "%s", path);
	snprintf(header->mode, sizeof(header->mode), "%07o", 0644u);
	snprintf(header->uid, sizeof(header->uid), "%07o", 0u);
	snprintf(header->gid, sizeof(header->gid), "%07o", 0u);
	snprintf(header->size, sizeof(header->size), "%011zo", length);
	snprintf(header->mtime, sizeof(header->mtime), "%011o", 0u);
	header->type = '0';
	memcpy(header->magic, "ustar", sizeof(header->magic));
	memcpy(header->version, "00", sizeof(header->version));
	/* The checksum is taken with its own field blank. */
	memset(header->checksum, ' ', sizeof(header->checksum));
	for (size_t i = 0; i < sizeof(*header); i++)
		sum += ((const unsigned char *)header)[i];
	snprintf(header->checksum, sizeof(header->checksum), "%06o", sum);
}

static void archive_put(struct archive *archive, const char *path, const void *data, size_t length)
{
	static const char zeros[BLOCK];
	struct header header = {0};

	header_fill(&header, path, length);
	archive_deflate(archive, &header, sizeof(header), Z_NO_FLUSH);
	archive_deflate(archive, data, length, Z_NO_FLUSH);
	if (length % BLOCK)
		archive_deflate(archive, zeros, BLOCK - length % BLOCK, Z_NO_FLUSH);
}

void archive_add(struct archive *archive, const char *path, const void *data, size_t length)
{
	if (strlen(path) >= sizeof(((struct header *)NULL)->name)) {
		archive_note(archive, "error: %s: path too long for the archive", path);
		return;
	}
	archive_put(archive, path, data, length);
	archive->members++;
}

void archive_note(struct archive *archive, const char *format, ...)
{
	char line[512];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	text_printf(&archive->notes, "%s\n", line);
}

struct text archive_finish(struct archive *archive)
{
	static const char end[2 * BLOCK];
	struct text manifest = {0}, out;

	text_printf(&manifest, "agent: %d\nmembers: %u\n", AGENT_VERSION, archive->members);
	text_add(&manifest, archive->notes.data ? archive->notes.data : "", archive->notes.length);
	archive_put(archive, "manifest", manifest.data, manifest.length);
	archive_deflate(archive, end, sizeof(end), Z_FINISH);
	deflateEnd(&archive->stream);
	out = archive->out;
	text_free(&manifest);
	text_free(&archive->notes);
	free(archive);
	return out;
}
