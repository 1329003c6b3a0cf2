// SPDX-License-Identifier: GPL-2.0-only
/* spawn_function(): what a child writes comes back, and whatever befalls it is an error. */
#include "base/error.h"
#include "base/spawn.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum deed { SAY, FAIL, CRASH, HANG, FLOOD };

static int child(int fd, void *data)
{
	const enum deed *deed = data;

	switch (*deed) {
	case SAY:
		dprintf(fd, "%s %s", g_getenv("EXTRA"), g_getenv("UNWANTED") ? "dirty" : "clean");
		return 0;
	case FAIL:
		return 3;
	case CRASH:
		raise(SIGKILL);
		return 0;
	case HANG:
		for (;;)
			pause();
	case FLOOD:
		for (;;)
			dprintf(fd, "more and more");
	}
	return 1;
}

static char *run(enum deed deed, GError **error)
{
	static const char *const environment[] = {"EXTRA=given", NULL};

	return spawn_function("the child", child, &deed, environment, 1, 1000, error);
}

static void test_output(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;

	g_setenv("UNWANTED", "1", TRUE);
	text = run(SAY, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(text, ==, "given clean");
	/* The child's environment is its own. */
	g_assert_cmpstr(g_getenv("UNWANTED"), ==, "1");
	g_assert_null(g_getenv("EXTRA"));
}

static void test_failures(void)
{
	static const struct {
		enum deed deed;
		const char *message;
	} cases[] = {
		{FAIL, "the child failed: it returned 3"},
		{CRASH, "the child failed: signal 9 (Killed) ended it"},
		{HANG, "the child failed: signal 14 (Alarm clock) ended it"},
		{FLOOD, "the child failed: it wrote too much"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(run(cases[i].deed, &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		g_assert_cmpstr(error->message, ==, cases[i].message);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/child/output", test_output);
	g_test_add_func("/child/failures", test_failures);
	return g_test_run();
}
