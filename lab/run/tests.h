/* SPDX-License-Identifier: GPL-2.0-only */
/* What `run --test` takes: the domains, which are always judged, and tests that run in the guest.
 */
#ifndef RUN_TESTS_H
#define RUN_TESTS_H

#include <glib.h>

/* Needs nothing in the guest but the agent. */
/* What --scheduler asks for. */
#define TEST_SCHEDULER	   "sched-ext"
#define TEST_DOMAINS	   "domains"
#define TEST_DOMAINS_TITLE "the sched domains of every CPU, and what they are built from"

/*
 * The guest tests that @names mean (NULL-terminated; NULL: none): tests, groups of them, or paths
 * of tests' folders. Each once; elements are struct guest_test *. A name that nothing has is
 * ERROR_INPUT, and the message lists those there are.
 */
GPtrArray *run_tests_choose(const char *const *names, GError **error);

/* All that it takes by name, sorted; tests that cannot be read are left out. Caller frees. */
char **run_tests_names(void);

#endif
