/* SPDX-License-Identifier: GPL-2.0-only */
/* One job while it is judged; only judge.c and judge_machine.c include this. */
#ifndef VERDICT_SESSION_H
#define VERDICT_SESSION_H

#include "base/root.h"
#include "expect/situation.h"
#include "verdict/verdict.h"

struct session {
	const struct verdict_input *input;
	struct judgement *judgement;
	struct root *evidence;
	GPtrArray *log;		     /* of the evidence */
	GPtrArray *console;	     /* NULL: it holds nothing */
	struct topo *topo;	     /* the input's, CPUs numbered as this kernel does */
	unsigned n_possible;	     /* CPUs that may exist to it */
	struct situation *situation; /* of @topo */
};

/* Adds a check without an observed value. @evidence may be NULL. */
void session_say(struct session *session, const char *name, enum verdict verdict,
		 const char *evidence, const char *reason);

/* The machine by three witnesses, and the domains if the guest was given it. */
void session_judge_machine(struct session *session);

#endif
