/* SPDX-License-Identifier: GPL-2.0-only */
/* One test program: run, watched, and ended with everything that it started. */
#ifndef GUEST_PROGRAM_H
#define GUEST_PROGRAM_H

#include "guest/text.h"

#include <stddef.h>

struct program {
	char *const *arguments;	  /* NULL-terminated; the first is the file */
	char *const *environment; /* NULL-terminated: "NAME=value" to add */
	long long end_ms;	  /* of the monotonic clock, when its time is over */
	size_t output_max;	  /* bytes that may be added to @output */
	struct text *output;	  /* stdout and stderr as they came */
	/* Called every TEST_NEWS_SECONDS. */
	void (*news)(void *data);
	void *data;
};

enum program_end { PROGRAM_EXITED, PROGRAM_SIGNALLED, PROGRAM_TIMEOUT, PROGRAM_NOT_STARTED };

struct program_answer {
	enum program_end end;
	int number;	/* exit status, signal, or errno */
	size_t dropped; /* bytes of output */
	unsigned left;	/* processes that SIGKILL did not end */
};

long long program_now_ms(void);
/* Only for PID 1 of a guest that runs nothing else: every other process is killed at the end. */
void program_run(const struct program *program, struct program_answer *answer);

#endif
