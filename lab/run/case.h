/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A public bug as a file: tests/cases/NAME.yaml. What a machine must look like, what it wrongly
 * looks like on some kernels, and what each kernel is known to show.
 */
#ifndef RUN_CASE_H
#define RUN_CASE_H

#include "base/auto.h"
#include "base/kernel_facts.h"
#include "topo/topo.h"
#include "verdict/observation.h"
#include "verdict/verdict.h"

#include <glib.h>

/* One look of a case: what holds together on some kernels. */
struct case_look {
	char *name;		 /* "right", or a wrong one's */
	GPtrArray *observations; /* struct observation * */
};

/* What one kernel is known to show. */
struct case_kernel {
	char *name;		      /* as --kernel takes it */
	const struct case_look *look; /* of the case */
	unsigned version;	      /* KERNEL_VERSION_OF() it was seen on; 0: right, on any */
	char *append;		      /* kernel arguments for this kernel alone; NULL: none */
};

struct case_file {
	char *name, *title;
	GPtrArray *sources; /* char *: where it was reported or mended */
	char *topology;	    /* a name or path; NULL: @machine */
	char *machine;	    /* the text of a topology file */
	char *append;	    /* kernel arguments; NULL: none */
	GPtrArray *steps;   /* char *, with a NULL at the end */
	GPtrArray *looks;   /* struct case_look *, the right one first */
	GPtrArray *kernels; /* struct case_kernel * */
};

void case_free(struct case_file *file);
AUTO_DEFINE(case_file, case_free)

/* @name: of the case; @from: for messages. ERROR_INPUT. */
struct case_file *case_parse(const char *text, gsize length, const char *name, const char *from,
			     GError **error);
/* A name looked up in tests/cases, or a file when it holds a '/' or ends in ".yaml". */
struct case_file *case_find(const char *name, GError **error);
/* Sorted names of all. */
char **case_list(void);
/*
 * Of a job that failed: the public bug that explains every check that does, "NAME: TITLE"; NULL:
 * none of tests/cases does. Caller frees.
 */
char *case_known(const struct topo *topo, const struct judgement *judgement,
		 const struct seen *seen);
/* Is it right on every kernel that is listed? */
bool case_is_guard(const struct case_file *file);

/* In order of weight. */
enum case_verdict {
	CASE_PASS,	/* right */
	CASE_KNOWN_BUG, /* exactly what was recorded of this kernel */
	CASE_SKIP,
	CASE_FIXED, /* right, though the kernel's very version is recorded as wrong */
	CASE_TIMEOUT,
	CASE_FAIL,
	CASE_ERROR,
	CASE_VERDICT_COUNT,
};
const char *case_verdict_name(enum case_verdict verdict);
bool case_verdict_from_name(const char *name, enum case_verdict *verdict);

/*
 * What a kernel shows of a case. @known: what it is known to show; NULL: nothing is recorded.
 * @version: its own. @reason, which the caller frees, is one sentence, NULL where there is nothing
 * to say.
 */
enum case_verdict case_judge(const struct case_file *file, const struct case_kernel *known,
			     unsigned version, const struct judgement *judgement,
			     const struct seen *seen, char **reason);

#endif
