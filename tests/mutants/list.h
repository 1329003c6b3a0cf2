/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A list of mutants, one file of tests/mutants/rules for each source file that is mutated:
 *
 *	file lab/expect/numa.c		what is mutated
 *	tests test_case_saved ...	what must miss it, in the order in which they are asked
 *
 *	= AMD families: 19h is left out	a mutant begins with its title
 *	 context			as in a diff: lines that stay,
 *	-line				lines that go
 *	+line				and lines that come
 *	survives: REASON		optional: no test at hand can miss it
 *
 * Lines that begin with '#' and empty ones say nothing.
 */
#ifndef MUTANTS_LIST_H
#define MUTANTS_LIST_H

#include "base/auto.h"

#include <glib.h>

struct mutant {
	char *title;
	GPtrArray *old, *new; /* lines, without their ends */
	GArray *gone;	      /* unsigned: which of the old ones go */
	char *survives;	      /* NULL: it must be killed */
};

struct list {
	char *file;	    /* below the top folder */
	char **tests;	    /* names of programs */
	GPtrArray *mutants; /* struct mutant * */
};

/* NULL, and ERROR_INPUT, when @path is no such list. */
struct list *list_read(const char *path, GError **error);
void list_free(struct list *list);
AUTO_DEFINE(list, list_free)

/*
 * @source (lines, NULL at the end) with the mutant's lines in place. ERROR_INPUT when the old ones
 * are not there exactly once.
 */
char *mutant_apply(const struct mutant *mutant, char **source, GError **error);

/*
 * Numbers of those lines of @source, from 1 on, that a mutant should change and none does: each row
 * of a table, and each version. GArray of unsigned; new.
 */
GArray *list_gaps(const struct list *list, char **source);

#endif
