/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KTAP and TAP: Documentation/dev-tools/ktap.rst of Linux 7.3, and what kselftest.h and KUnit
 * print. Pure; the text is a guest's and may be anything.
 *
 * Two spaces or more of indentation begin a subtest where a version line ("KTAP version 1", "TAP
 * version 13") or "# Subtest: NAME" follows; it belongs to the next result of its parent. Lines of
 * no known form say nothing.
 */
#ifndef OBSERVE_KTAP_H
#define OBSERVE_KTAP_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

/* A text that asks for more is a problem, not a reason to use more memory. */
#define KTAP_DEPTH_MAX	 16
#define KTAP_RESULTS_MAX 100000u
/* Of a test's name so much is kept. */
#define KTAP_NAME_MAX 120

struct ktap {
	unsigned n_passed;  /* tests without subtests; a parent counts by them */
	unsigned n_xfailed; /* failed as they were expected to: XFAIL and the like */
	GPtrArray *failed;  /* char *: "parent/test", outermost first */
	GPtrArray *skipped; /* the same */
	bool planned;	    /* it said how many tests there would be, and so many there were */
	/*
	 * Why this is not a whole and valid report, NULL when it is: fewer or more results than
	 * planned, a number out of turn, "Bail out!", a subtest without its parent's result.
	 */
	char *problem;
};

struct ktap *ktap_parse(const char *text, gsize length);
void ktap_free(struct ktap *ktap);
AUTO_DEFINE(ktap, ktap_free)

#endif
