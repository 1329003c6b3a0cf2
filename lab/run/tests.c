// SPDX-License-Identifier: GPL-2.0-only
#include "run/tests.h"

#include "base/error.h"

#include <string.h>

const struct run_test run_tests[] = {
	{.name = "domains",
	 .title = "the sched domains of every CPU, and what they are built from"},
	{0},
};

const struct run_test *run_test_require(const char *name, GError **error)
{
	g_autoptr(GString) known = g_string_new(NULL);

	for (const struct run_test *test = run_tests; test->name; test++) {
		if (strcmp(test->name, name) == 0)
			return test;
		g_string_append_printf(known, "%s%s", known->len ? ", " : "", test->name);
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "there is no test '%s', the tests are: %s",
		    name, known->str);
	return NULL;
}
