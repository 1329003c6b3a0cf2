/* SPDX-License-Identifier: GPL-2.0-only */
/* Test programs: what was asked of a guest, what came of it, and what that is worth. Pure. */
#ifndef VERDICT_PROGRAMS_H
#define VERDICT_PROGRAMS_H

#include "base/auto.h"
#include "base/ending.h"

#include <glib.h>
#include <stdbool.h>

struct checks;

/*
 * How a program says what it found: by its exit status alone, by KTAP with a plan as well, or by
 * KTAP that may lack the plan, so that only the exit status says that it came to its end.
 */
enum answer { ANSWER_EXIT, ANSWER_KTAP, ANSWER_KTAP_UNPLANNED, ANSWER_COUNT };
const char *answer_name(enum answer answer); /* "exit", "ktap", "ktap-unplanned" */
bool answer_from_name(const char *name, enum answer *answer);

enum program_end {
	PROGRAM_SKIPPED, /* never given to the guest */
	PROGRAM_UNHEARD, /* the guest did not say that it began */
	PROGRAM_RUNNING, /* it began; then nothing came of it */
	PROGRAM_EXITED,
	PROGRAM_SIGNALLED,
	PROGRAM_TIMEOUT,
	PROGRAM_NOT_STARTED,
	PROGRAM_END_COUNT,
};
const char *program_end_name(enum program_end end); /* "skipped", ... as the agent spells them */
bool program_end_from_name(const char *name, enum program_end *end);

struct program {
	char *name; /* "rseq.basic_test" */
	enum answer answer;
	bool required; /* it must run and pass on this kernel */
	enum program_end end;
	int number;	  /* exit status, signal or errno */
	unsigned seconds; /* that it was given */
	gint64 ms;	  /* that it took; -1: not known */
	gint64 dropped;	  /* bytes of output that were not kept */
	unsigned left;	  /* processes of it that could not be killed */
	char *reason;	  /* why it was skipped; NULL: it was not */
	char *output;	  /* NUL-terminated, may hold more NULs; NULL: none was kept */
	gsize output_length;
};

void program_free(struct program *program);
AUTO_DEFINE(program, program_free)

/* "rseq.basic_test": letters, digits, '-', '_' and a point inside, at most TEST_NAME_MAX. */
bool program_name_is_sane(const char *name);

/* An empty list that owns its struct program *. */
GPtrArray *programs_new(void);

/* kselftest.h: KSFT_SKIP. */
#define PROGRAM_EXIT_SKIP 4

/*
 * One check "test.NAME" for each of @programs (struct program *), and "tests.run", which says
 * whether any of them ran. @ending: of the guest that they ran in.
 */
void check_programs(const GPtrArray *programs, enum ending ending, struct checks *checks);

#endif
