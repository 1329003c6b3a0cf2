/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How commands travel into a guest that stays up and their bytes out of it: over the guest's second
 * port between agent and keeper, and over a Unix socket between keeper and client. Without GLib,
 * because the agent has the same file. Neither side trusts the other: every length is bounded, and
 * a reader that met a wrong frame stays broken.
 *
 * A frame is FRAME_HEAD bytes (magic, kind, session, 0, payload's length as 32 bits), then the
 * payload. Numbers are little endian. A session is one command, from FRAME_START to FRAME_EXIT. In
 * each direction a session has at most FRAME_WINDOW bytes on their way that FRAME_TAKEN has not
 * reported, so nobody ever waits for a slow reader, and nobody has to store more than that for one.
 */
#ifndef BASE_FRAMES_H
#define BASE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file of this name in the guest's root folder tells the agent to stay and take commands. */
#define FRAME_SERVE_FILE "serve"

#define FRAME_VERSION  1
#define FRAME_HEAD     8
#define FRAME_MAX      (32u << 10) /* bytes of payload */
#define FRAME_SESSIONS 8
/* Eight of them fit into the 640 KiB that a tty of Linux keeps for a slow reader. */
#define FRAME_WINDOW (64u << 10)
/* Arguments and variables of one command. */
#define FRAME_WORDS 1024

enum frame_kind {
	FRAME_HELLO,  /* 32 bits of version; the keeper begins, the agent answers */
	FRAME_START,  /* a command: frame_start_pack() */
	FRAME_INPUT,  /* for its stdin; empty: the end */
	FRAME_SIZE,   /* the client's terminal: rows, columns; 16 bits each */
	FRAME_CLOSE,  /* the client is gone: end the command; FRAME_EXIT still follows */
	FRAME_TAKEN,  /* 32 bits: so many bytes of input or output need no memory any more */
	FRAME_OUTPUT, /* from its stdout, or its terminal */
	FRAME_ERRORS, /* from its stderr */
	FRAME_EXIT,   /* struct frame_exit; the session is over */
	FRAME_DOWN,   /* client to keeper: end the guest */
	FRAME_FAILED, /* keeper to client: a sentence why the session is over */
	FRAME_KINDS,
};

struct frame {
	enum frame_kind kind;
	unsigned session;
	size_t length;
	const unsigned char *payload; /* in the reader, until it takes the next bytes */
};

struct frame_reader {
	unsigned char bytes[FRAME_HEAD + FRAME_MAX];
	size_t have;
	bool broken;
};

/* Takes bytes up to the end of a frame; returns how many. */
size_t frame_reader_take(struct frame_reader *reader, const void *data, size_t length);

enum frame_result { FRAME_MORE, FRAME_WHOLE, FRAME_BROKEN };
/* Is there a whole frame? After FRAME_WHOLE the reader begins a new one. */
enum frame_result frame_reader_next(struct frame_reader *reader, struct frame *frame);

/* Writes the FRAME_HEAD bytes before a payload. */
void frame_head(unsigned char *head, enum frame_kind kind, unsigned session, size_t length);

void frame_put16(unsigned char *at, unsigned value);
void frame_put32(unsigned char *at, uint32_t value);
unsigned frame_get16(const unsigned char *at);
uint32_t frame_get32(const unsigned char *at);

struct frame_start {
	bool terminal; /* a pty in the guest, its stderr with its stdout */
	bool store;    /* no command: stdin becomes the program file that the first word names */
	unsigned rows, columns;
	unsigned n_arguments, n_environment;
	const char *arguments[FRAME_WORDS + 1]; /* NULL-terminated, as is the other */
	const char *environment[FRAME_WORDS + 1];
};

/* @payload has FRAME_MAX bytes. Returns the length, 0 when it is too long or has no argument. */
size_t frame_start_pack(unsigned char *payload, const struct frame_start *start);
/* The words point into @payload. False when it is not exactly what frame_start_pack() makes. */
bool frame_start_parse(struct frame_start *start, const unsigned char *payload, size_t length);

enum frame_how {
	FRAME_EXITED,	   /* number: its status */
	FRAME_SIGNALLED,   /* number: the signal that ended it */
	FRAME_NOT_STARTED, /* number: errno */
};

struct frame_exit {
	enum frame_how how;
	unsigned number;
};

#define FRAME_EXIT_BYTES 5
void frame_exit_pack(unsigned char *payload, const struct frame_exit *ending);
/* @payload: of a FRAME_EXIT, whose length the reader has checked. */
bool frame_exit_parse(struct frame_exit *ending, const unsigned char *payload);
/* As a shell's $?: 128 + signal; 127 when there is no such program, 126 when it does not start. */
int frame_exit_status(const struct frame_exit *ending);

#endif
