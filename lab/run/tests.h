/* SPDX-License-Identifier: GPL-2.0-only */
/* What `run --test` can judge. */
#ifndef RUN_TESTS_H
#define RUN_TESTS_H

#include <glib.h>

struct run_test {
	const char *name, *title;
};

/* Ends with an empty row. */
extern const struct run_test run_tests[];
/* A name that no test has is ERROR_INPUT, and the message lists those there are. */
const struct run_test *run_test_require(const char *name, GError **error);

#endif
