// SPDX-License-Identifier: GPL-2.0-only
/* Bytes are typed here from the description in base/frames.h. */
#include "base/frames.h"

#include <errno.h>
#include <glib.h>
#include <string.h>

/* SIZE of session 3: 24 rows, 80 columns; then INPUT of session 0, "hi". */
static const unsigned char two_frames[] = {
	0xd7, 3, 3, 0, 4, 0, 0, 0, 24, 0, 80, 0, 0xd7, 2, 0, 0, 2, 0, 0, 0, 'h', 'i',
};

static void check_two_frames(gsize step)
{
	g_autofree struct frame_reader *reader = g_new0(struct frame_reader, 1);
	g_autoptr(GString) seen = g_string_new(NULL);

	for (gsize at = 0; at < sizeof(two_frames);) {
		struct frame frame;

		at += frame_reader_take(reader, two_frames + at,
					MIN(step, sizeof(two_frames) - at));
		if (frame_reader_next(reader, &frame) != FRAME_WHOLE)
			continue;
		g_string_append_printf(seen, "%d/%u/%zu/%u ", frame.kind, frame.session,
				       frame.length, frame.payload[0]);
	}
	g_assert_cmpstr(seen->str, ==, "3/3/4/24 2/0/2/104 ");
}

/* However the bytes come. */
static void test_pieces(void)
{
	for (gsize step = 1; step <= sizeof(two_frames); step++)
		check_two_frames(step);
}

static void test_head(void)
{
	unsigned char head[FRAME_HEAD];

	frame_head(head, FRAME_SIZE, 3, 4);
	g_assert_cmpmem(head, FRAME_HEAD, two_frames, FRAME_HEAD);
}

static void check_broken(const char *what, const unsigned char *bytes, gsize length)
{
	g_autofree struct frame_reader *reader = g_new0(struct frame_reader, 1);
	struct frame frame;

	frame_reader_take(reader, bytes, length);
	if (frame_reader_next(reader, &frame) != FRAME_BROKEN)
		g_test_fail_printf("%s was taken", what);
	/* And stays so, whatever comes. */
	g_assert_cmpuint(frame_reader_take(reader, two_frames, sizeof(two_frames)), ==,
			 sizeof(two_frames));
	g_assert_cmpint(frame_reader_next(reader, &frame), ==, FRAME_BROKEN);
}

static void test_broken(void)
{
	static const struct {
		const char *what;
		unsigned char bytes[FRAME_HEAD];
	} rows[] = {
		{"another magic", {0xd6, 3, 0, 0, 4, 0, 0, 0}},
		{"text", {'[', ' ', ' ', '0', '.', '0', '0', '0'}},
		{"a kind that is none", {0xd7, FRAME_KINDS, 0, 0, 0, 0, 0, 0}},
		{"a session too high", {0xd7, 2, 8, 0, 0, 0, 0, 0}},
		{"a byte that is not zero", {0xd7, 2, 0, 1, 0, 0, 0, 0}},
		{"32 KiB and one", {0xd7, 6, 0, 0, 0x01, 0x80, 0, 0}},
		{"4 GiB", {0xd7, 6, 0, 0, 0xff, 0xff, 0xff, 0xff}},
		{"an exit of 4 bytes", {0xd7, 8, 0, 0, 4, 0, 0, 0}},
		{"an exit of 6 bytes", {0xd7, 8, 0, 0, 6, 0, 0, 0}},
		{"output of nothing", {0xd7, 6, 0, 0, 0, 0, 0, 0}},
		{"a hello of nothing", {0xd7, 0, 0, 0, 0, 0, 0, 0}},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
		check_broken(rows[i].what, rows[i].bytes, FRAME_HEAD);
}

static void test_largest(void)
{
	g_autofree struct frame_reader *reader = g_new0(struct frame_reader, 1);
	g_autofree unsigned char *bytes = g_malloc0(FRAME_HEAD + FRAME_MAX);
	struct frame frame;

	frame_head(bytes, FRAME_OUTPUT, 7, FRAME_MAX);
	g_assert_cmpuint(frame_reader_take(reader, bytes, FRAME_HEAD + FRAME_MAX), ==,
			 FRAME_HEAD + FRAME_MAX);
	g_assert_cmpint(frame_reader_next(reader, &frame), ==, FRAME_WHOLE);
	g_assert_cmpuint(frame.length, ==, FRAME_MAX);
}

static const unsigned char start_bytes[] = {1,	 0,   25,  0,	0x2c, 1,   2,	0,
					    1,	 0,   'l', 's', '\0', '-', 'l', '\0',
					    'T', 'E', 'R', 'M', '=',  'x', '\0'};

static void test_start(void)
{
	struct frame_start start = {
		.terminal = true,
		.rows = 25,
		.columns = 300,
		.n_arguments = 2,
		.n_environment = 1,
		.arguments = {"ls", "-l"},
		.environment = {"TERM=x"},
	};
	unsigned char payload[FRAME_MAX];
	struct frame_start parsed;
	gsize length = frame_start_pack(payload, &start);

	g_assert_cmpmem(payload, length, start_bytes, sizeof(start_bytes));
	g_assert_true(frame_start_parse(&parsed, payload, length));
	g_assert_true(parsed.terminal);
	g_assert_false(parsed.store);
	g_assert_cmpuint(parsed.columns, ==, 300);
	g_assert_cmpstr(parsed.arguments[1], ==, "-l");
	g_assert_null(parsed.arguments[2]);
	g_assert_cmpstr(parsed.environment[0], ==, "TERM=x");
	g_assert_null(parsed.environment[1]);
}

/* Every prefix, one byte more, and counts that do not hold. */
static void test_start_wrong(void)
{
	unsigned char bytes[sizeof(start_bytes) + 1] = {0};
	struct frame_start parsed;

	memcpy(bytes, start_bytes, sizeof(start_bytes));
	for (gsize length = 0; length < sizeof(start_bytes); length++) {
		/* Exactly as long, so that a read beyond it is seen. */
		g_autofree unsigned char *exact = g_memdup2(bytes, MAX(length, 1));

		g_assert_false(frame_start_parse(&parsed, exact, length));
	}
	g_assert_false(frame_start_parse(&parsed, bytes, sizeof(bytes)));
	bytes[6] = 0;
	g_assert_false(frame_start_parse(&parsed, bytes, sizeof(start_bytes)));
	bytes[6] = 0xff;
	bytes[7] = 0xff;
	g_assert_false(frame_start_parse(&parsed, bytes, sizeof(start_bytes)));
}

static void test_start_too_long(void)
{
	g_autofree char *word = g_strnfill(FRAME_MAX, 'x');
	struct frame_start start = {.n_arguments = 1, .arguments = {word}};
	unsigned char payload[FRAME_MAX];

	g_assert_cmpuint(frame_start_pack(payload, &start), ==, 0);
	/* Ten bytes before the words, and a NUL. */
	word[FRAME_MAX - 11] = '\0';
	g_assert_cmpuint(frame_start_pack(payload, &start), ==, FRAME_MAX);
	start.n_arguments = 0;
	g_assert_cmpuint(frame_start_pack(payload, &start), ==, 0);
}

/* POSIX shell, 2.8.2: 127 not found, 126 found but not executable, above 128 a signal. */
static void test_exit(void)
{
	static const struct {
		unsigned char bytes[FRAME_EXIT_BYTES];
		int status; /* -1: not to be taken */
	} rows[] = {
		{{FRAME_EXITED, 7, 0, 0, 0}, 7},
		{{FRAME_EXITED, 255, 0, 0, 0}, 255},
		{{FRAME_EXITED, 0, 1, 0, 0}, -1},
		{{FRAME_SIGNALLED, 9, 0, 0, 0}, 137},
		{{FRAME_SIGNALLED, 128, 0, 0, 0}, -1},
		{{FRAME_NOT_STARTED, ENOENT, 0, 0, 0}, 127},
		{{FRAME_NOT_STARTED, EACCES, 0, 0, 0}, 126},
		{{3, 0, 0, 0, 0}, -1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		struct frame_exit ending;
		unsigned char back[FRAME_EXIT_BYTES];
		bool taken = frame_exit_parse(&ending, rows[i].bytes);

		g_assert_cmpint(taken, ==, rows[i].status >= 0);
		if (!taken)
			continue;
		g_assert_cmpint(frame_exit_status(&ending), ==, rows[i].status);
		frame_exit_pack(back, &ending);
		g_assert_cmpmem(back, sizeof(back), rows[i].bytes, sizeof(back));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/frames/pieces", test_pieces);
	g_test_add_func("/frames/head", test_head);
	g_test_add_func("/frames/broken", test_broken);
	g_test_add_func("/frames/largest", test_largest);
	g_test_add_func("/frames/start", test_start);
	g_test_add_func("/frames/start-wrong", test_start_wrong);
	g_test_add_func("/frames/start-too-long", test_start_too_long);
	g_test_add_func("/frames/exit", test_exit);
	return g_test_run();
}
