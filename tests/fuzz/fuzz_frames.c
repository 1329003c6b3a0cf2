// SPDX-License-Identifier: GPL-2.0-only
/* What a guest's agent sends: no frame is larger than it may be, and pieces make no difference. */
#include "fuzz.h"

#include "base/frames.h"

/* Frames up to the first wrong one, taken @step bytes at a time: a sum over what they say. */
static uint32_t frames_sum(const uint8_t *data, size_t size, size_t step)
{
	g_autofree struct frame_reader *reader = g_new0(struct frame_reader, 1);
	g_autofree struct frame_start *start = g_new0(struct frame_start, 1);
	uint32_t sum = 0;

	for (size_t at = 0; at < size;) {
		struct frame_exit ending;
		struct frame frame;

		at += frame_reader_take(reader, data + at, MIN(step, size - at));
		if (frame_reader_next(reader, &frame) != FRAME_WHOLE)
			continue;
		FUZZ_REQUIRE(frame.length <= FRAME_MAX && frame.kind < FRAME_KINDS &&
			     frame.session < FRAME_SESSIONS);
		sum = sum * 31 + frame.kind + (uint32_t)frame.length;
		if (frame.kind == FRAME_EXIT && frame_exit_parse(&ending, frame.payload))
			FUZZ_REQUIRE(frame_exit_status(&ending) <= 255);
		if (frame.kind == FRAME_START &&
		    frame_start_parse(start, frame.payload, frame.length))
			FUZZ_REQUIRE(start->arguments[0] && !start->arguments[start->n_arguments]);
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FUZZ_REQUIRE(frames_sum(data, size, size) == frames_sum(data, size, 1));
	return 0;
}
