// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's archive. An input that is no gzip stream is packed first, so that the fuzzer can
 * change the tar file inside, behind the checksums that it would not get past.
 */
#include "fuzz.h"

#include "observe/observe.h"

#include <zlib.h>

static GBytes *gzip(const uint8_t *data, size_t size)
{
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)size};
	g_autofree guint8 *out = NULL;
	uLong bound;

	/* 16 + 15: a gzip header, the largest window. */
	FUZZ_REQUIRE(deflateInit2(&stream, 0, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	bound = deflateBound(&stream, (uLong)size);
	out = g_malloc(bound);
	stream.next_out = out;
	stream.avail_out = (uInt)bound;
	FUZZ_REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
	deflateEnd(&stream);
	return g_bytes_new(out, stream.total_out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool packed = size > 2 && data[0] == 0x1f && data[1] == 0x8b;
	g_autoptr(GBytes) bytes = packed ? g_bytes_new(data, size) : gzip(data, size);
	g_autoptr(GError) error = NULL;
	AUTO(root) *root = evidence_open(bytes, &error);

	fuzz_check(root, error, ERROR_LAB);
	return 0;
}
