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
/* Raw archive bytes collected for one call of deflate(): most members have a few bytes. */
#define BATCH (256u << 10)

struct archive {
	z_stream stream;
	struct text batch, out, notes;
	unsigned members;
};

/* The ustar header, POSIX.1-1988; numbers are octal text. */
struct header {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8];
	char type, link[100], magic[6], version[2], user[32], group[32], major[8], minor[8];
	char prefix[155], pad[12];
};
_Static_assert(sizeof(struct header) == BLOCK, "a tar header is one block");

/* All members are alike but for name, size and checksum, which is taken with its field blank. */
static const struct header header_template = {
	.mode = "0000644",
	.uid = "0000000",
	.gid = "0000000",
	.mtime = "00000000000",
	.checksum = {' ', ' ', ' ', ' ', ' ', ' ', ' ', ' '},
	.type = '0',
	.magic = "ustar",
	.version = {'0', '0'},
};

struct archive *archive_new(void)
{
	struct archive *archive = calloc(1, sizeof(*archive));

	/* 15 + 16: a 32 KiB window and a gzip header. Level 1: in a TCG guest, CPU is what is
	 * short. */
	if (!archive ||
	    deflateInit2(&archive->stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	return archive;
}

static void archive_deflate(struct archive *archive, int flush)
{
	z_stream *stream = &archive->stream;
	int status;

	stream->next_in = (const Bytef *)archive->batch.data;
	stream->avail_in = (uInt)archive->batch.length;
	do {
		text_reserve(&archive->out, 65536);
		stream->next_out = (Bytef *)archive->out.data + archive->out.length;
		stream->avail_out = 65536;
		status = deflate(stream, flush);
		archive->out.length += 65536 - stream->avail_out;
	} while (status == Z_OK && stream->avail_out == 0);
	archive->batch.length = 0;
}

/* @digits octal digits of @value; snprintf() would cost more than the rest of a member. */
static void octal_put(char *field, unsigned digits, size_t value)
{
	for (unsigned i = digits; i-- > 0; value >>= 3)
		field[i] = (char)('0' + (value & 7));
}

static void header_fill(struct header *header, const char *path, size_t path_length, size_t size)
{
	unsigned sum = 0;

	*header = header_template;
	memcpy(header->name, path, path_length);
	octal_put(header->size, sizeof(header->size) - 1, size);
	for (size_t i = 0; i < sizeof(*header); i++)
		sum += ((const unsigned char *)header)[i];
	/* Six digits, a NUL and a blank. */
	octal_put(header->checksum, 6, sum);
	header->checksum[6] = '\0';
}

static void archive_put(struct archive *archive, const char *path, const void *data, size_t length)
{
	static const char zeros[BLOCK];
	struct header header;

	header_fill(&header, path, strlen(path), length);
	text_add(&archive->batch, &header, sizeof(header));
	text_add(&archive->batch, data, length);
	if (length % BLOCK)
		text_add(&archive->batch, zeros, BLOCK - length % BLOCK);
	if (archive->batch.length >= BATCH)
		archive_deflate(archive, Z_NO_FLUSH);
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
	text_add(&archive->batch, end, sizeof(end));
	archive_deflate(archive, Z_FINISH);
	deflateEnd(&archive->stream);
	out = archive->out;
	text_free(&manifest);
	text_free(&archive->batch);
	text_free(&archive->notes);
	free(archive);
	return out;
}
