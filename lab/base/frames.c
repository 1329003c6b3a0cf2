// SPDX-License-Identifier: GPL-2.0-only
#include "base/frames.h"

#include <errno.h>
#include <string.h>

/* No byte of text, so that a line on the wrong port is seen at once. */
#define MAGIC 0xd7

#define START_HEAD 10 /* bytes before the words */

/* What a payload may measure. */
static const struct {
	size_t low, high;
} lengths[FRAME_KINDS] = {
	[FRAME_HELLO] = {4, 4},
	[FRAME_START] = {START_HEAD + 1, FRAME_MAX},
	[FRAME_INPUT] = {0, FRAME_MAX},
	[FRAME_SIZE] = {4, 4},
	[FRAME_CLOSE] = {0, 0},
	[FRAME_TAKEN] = {4, 4},
	[FRAME_OUTPUT] = {1, FRAME_MAX},
	[FRAME_ERRORS] = {1, FRAME_MAX},
	[FRAME_EXIT] = {FRAME_EXIT_BYTES, FRAME_EXIT_BYTES},
	[FRAME_DOWN] = {0, 0},
	[FRAME_FAILED] = {1, 1024},
};

void frame_put16(unsigned char *at, unsigned value)
{
	at[0] = (unsigned char)value;
	at[1] = (unsigned char)(value >> 8);
}

void frame_put32(unsigned char *at, uint32_t value)
{
	frame_put16(at, value & 0xffff);
	frame_put16(at + 2, value >> 16);
}

unsigned frame_get16(const unsigned char *at)
{
	return (unsigned)at[0] | (unsigned)at[1] << 8;
}

uint32_t frame_get32(const unsigned char *at)
{
	return frame_get16(at) | (uint32_t)frame_get16(at + 2) << 16;
}

void frame_head(unsigned char *head, enum frame_kind kind, unsigned session, size_t length)
{
	head[0] = MAGIC;
	head[1] = (unsigned char)kind;
	head[2] = (unsigned char)session;
	head[3] = 0;
	frame_put32(head + 4, (uint32_t)length);
}

static bool head_is_sane(const unsigned char *head)
{
	size_t length = frame_get32(head + 4);

	return head[0] == MAGIC && head[1] < FRAME_KINDS && head[2] < FRAME_SESSIONS &&
	       head[3] == 0 && length >= lengths[head[1]].low && length <= lengths[head[1]].high;
}

/* Of the frame that has begun; the head alone while its length is not known. */
static size_t reader_wants(const struct frame_reader *reader)
{
	return reader->have < FRAME_HEAD ? FRAME_HEAD : FRAME_HEAD + frame_get32(reader->bytes + 4);
}

static bool reader_has_whole(const struct frame_reader *reader)
{
	return reader->have >= FRAME_HEAD && reader->have == reader_wants(reader);
}

size_t frame_reader_take(struct frame_reader *reader, const void *data, size_t length)
{
	const unsigned char *bytes = data;
	size_t taken = 0;

	/* frame_reader_next() has given it out. */
	if (!reader->broken && reader_has_whole(reader))
		reader->have = 0;
	while (taken < length && !reader->broken && !reader_has_whole(reader)) {
		size_t part = reader_wants(reader) - reader->have;

		if (part > length - taken)
			part = length - taken;
		memcpy(reader->bytes + reader->have, bytes + taken, part);
		reader->have += part;
		taken += part;
		if (reader->have == FRAME_HEAD && !head_is_sane(reader->bytes))
			reader->broken = true;
	}
	return reader->broken ? length : taken;
}

enum frame_result frame_reader_next(struct frame_reader *reader, struct frame *frame)
{
	if (reader->broken)
		return FRAME_BROKEN;
	if (!reader_has_whole(reader))
		return FRAME_MORE;
	*frame = (struct frame){
		.kind = (enum frame_kind)reader->bytes[1],
		.session = reader->bytes[2],
		.length = reader->have - FRAME_HEAD,
		.payload = reader->bytes + FRAME_HEAD,
	};
	return FRAME_WHOLE;
}

/* Appends strings with their NULs; false when there is no room. */
static bool words_pack(unsigned char *payload, size_t *length, const char *const *words,
		       unsigned n_words)
{
	for (unsigned i = 0; i < n_words; i++) {
		size_t size = strlen(words[i]) + 1;

		if (size > FRAME_MAX - *length)
			return false;
		memcpy(payload + *length, words[i], size);
		*length += size;
	}
	return true;
}

size_t frame_start_pack(unsigned char *payload, const struct frame_start *start)
{
	size_t length = START_HEAD;

	if (start->n_arguments == 0 || start->n_arguments > FRAME_WORDS ||
	    start->n_environment > FRAME_WORDS)
		return 0;
	payload[0] = start->terminal;
	payload[1] = start->store;
	frame_put16(payload + 2, start->rows);
	frame_put16(payload + 4, start->columns);
	frame_put16(payload + 6, start->n_arguments);
	frame_put16(payload + 8, start->n_environment);
	if (!words_pack(payload, &length, start->arguments, start->n_arguments) ||
	    !words_pack(payload, &length, start->environment, start->n_environment))
		return 0;
	return length;
}

static bool words_parse(const char **words, unsigned n_words, const char **at, const char *end)
{
	for (unsigned i = 0; i < n_words; i++) {
		const char *nul = memchr(*at, '\0', (size_t)(end - *at));

		if (!nul)
			return false;
		words[i] = *at;
		*at = nul + 1;
	}
	words[n_words] = NULL;
	return true;
}

bool frame_start_parse(struct frame_start *start, const unsigned char *payload, size_t length)
{
	const char *at = (const char *)payload + START_HEAD;
	const char *end = (const char *)payload + length;

	if (length <= START_HEAD || payload[0] > 1 || payload[1] > 1)
		return false;
	start->terminal = payload[0];
	start->store = payload[1];
	start->rows = frame_get16(payload + 2);
	start->columns = frame_get16(payload + 4);
	start->n_arguments = frame_get16(payload + 6);
	start->n_environment = frame_get16(payload + 8);
	return start->n_arguments > 0 && start->n_arguments <= FRAME_WORDS &&
	       start->n_environment <= FRAME_WORDS &&
	       words_parse(start->arguments, start->n_arguments, &at, end) &&
	       words_parse(start->environment, start->n_environment, &at, end) && at == end;
}

void frame_exit_pack(unsigned char *payload, const struct frame_exit *ending)
{
	payload[0] = (unsigned char)ending->how;
	frame_put32(payload + 1, ending->number);
}

bool frame_exit_parse(struct frame_exit *ending, const unsigned char *payload)
{
	if (payload[0] > FRAME_NOT_STARTED)
		return false;
	ending->how = (enum frame_how)payload[0];
	ending->number = frame_get32(payload + 1);
	/* wait(2): a status has eight bits, a signal seven. */
	return ending->number <= (ending->how == FRAME_SIGNALLED ? 127 : 255);
}

int frame_exit_status(const struct frame_exit *ending)
{
	switch (ending->how) {
	case FRAME_EXITED:
		return (int)ending->number;
	case FRAME_SIGNALLED:
		return 128 + (int)ending->number;
	case FRAME_NOT_STARTED:
		break;
	}
	return ending->number == ENOENT ? 127 : 126;
}
