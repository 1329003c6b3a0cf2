/* SPDX-License-Identifier: GPL-2.0-only */
/* Expected against observed -> checks with verdicts. Pure. */
#ifndef VERDICT_VERDICT_H
#define VERDICT_VERDICT_H

#include "base/auto.h"
#include "base/ending.h"
#include "base/kernel_facts.h"
#include "topo/domains.h"
#include "topo/topo.h"
#include "topo/view.h"
#include "verdict/programs.h"

#include <glib.h>

/* In order of weight: the worst check makes the job's verdict. */
enum verdict {
	VERDICT_PASS,
	VERDICT_SKIP,
	VERDICT_INVALID,
	VERDICT_TIMEOUT,
	VERDICT_FAIL,
	VERDICT_ERROR,
	VERDICT_COUNT,
};
const char *verdict_name(enum verdict verdict); /* "PASS" */
bool verdict_from_name(const char *name, enum verdict *verdict);

/*
 * NULL and -1 mean "does not apply". A check that passed says in @reason what it compared. A
 * finding that several CPUs share is one check: @cpu is the first of @cpus.
 */
struct check {
	const char
		*name; /* "guest.cpuid", "kernel.numa", "domains.rules", "invariants.nested", ... */
	enum verdict verdict;
	int cpu;
	int level;	  /* index of the domain (N of domainN) */
	const char *cpus; /* every CPU with this finding, as a list */
	const char *expected;
	const char *observed;
	const char *rule;     /* the row or invariant that says so */
	const char *reason;   /* one sentence for a human */
	const char *evidence; /* member of evidence.tar.gz */
};

struct checks;

struct checks *checks_new(void);
void checks_free(struct checks *checks);
AUTO_DEFINE(checks, checks_free)
guint checks_count(const struct checks *checks);
const struct check *checks_get(const struct checks *checks, guint i);
/* Copies every string of @check. */
void checks_add(struct checks *checks, const struct check *check);
/*
 * The names of checks of single test programs. One that was skipped weighs nothing: a job passes
 * without the programs that its kernel is too old for. One that must not be skipped fails.
 */
#define CHECK_TEST_PREFIX "test."
/* No check at all is ERROR: nothing was judged. */
enum verdict checks_verdict(const struct checks *checks);

struct verdict_input {
	const struct topo *topo;
	const struct kernel_facts *facts;
	enum ending ending;
	const char
		*ending_detail; /* one sentence: QEMU's last words, the panic line; may be NULL */
	const char *channel_problem; /* why the agent's stream was not usable; NULL: it was */
	const char *console;	     /* raw console text, maybe empty; NULL: none was kept */
	gsize console_length;
	GBytes *evidence;	   /* evidence.tar.gz; NULL: the guest sent none */
	const GPtrArray *programs; /* struct program *, of the tests asked for; NULL: none were */
	/* Taken before the evidence, as step_parse() reads them; NULL: none were. */
	const char *const *steps;
	/*
	 * Above 1 the host was overloaded, and an RCU stall or a lockup is its fault. 0: not known.
	 */
	double vcpus_per_host_cpu;
	bool emulated; /* by QEMU's TCG */
};

/* What a job came to: the checks, and the domain tree that was seen (NULL when there was none). */
struct judgement {
	struct checks *checks;
	struct domain_tree *observed;
	struct domain_tree *expected;
};

/*
 * The name of the check that says, as an ERROR, that the emulator, not the kernel, went wrong: what
 * else was seen of that guest counts for nothing.
 */
#define CHECK_EMULATOR "lab.emulator"

/* Never fails: whatever goes wrong becomes a check. */
struct judgement *judge(const struct verdict_input *input);
/* Is there a check by that name? */
bool judgement_has(const struct judgement *judgement, const char *name);
void judgement_free(struct judgement *judgement);
AUTO_DEFINE(judgement, judgement_free)

#endif
