// SPDX-License-Identifier: GPL-2.0-only
/* The files of guests that stay up: whose name it is, and what dead keepers leave. */
#include "base/error.h"
#include "base/tree.h"
#include "live/guests.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
	char *runtime;
};

static void fixture_setup(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	fixture->runtime = g_dir_make_tmp("g-XXXXXX", NULL);
	g_setenv("TOPOLAB_RUNTIME", fixture->runtime, TRUE);
}

static void fixture_teardown(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_assert_true(tree_remove(fixture->runtime, NULL));
	g_free(fixture->runtime);
}

static bool has_file(struct fixture *fixture, const char *name)
{
	g_autofree char *path = g_build_filename(fixture->runtime, name, NULL);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

static struct guest example(void)
{
	static char topology[] = "nps4-mini", kernel[] = "debian-6.12", root[] = "/run/x/abcdefgh";

	return (struct guest){.topology = topology, .kernel = kernel, .root = root, .pid = 42};
}

static void test_claim(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct guest guest = example();
	g_autoptr(GError) error = NULL;
	int claim = guests_claim("nps4-mini", &error);
	AUTO(guest) *found = NULL;

	g_assert_no_error(error);
	/* Claimed a moment ago: there is nothing to tell yet. */
	g_assert_null(guests_find("nps4-mini", &error));
	g_assert_no_error(error);
	g_assert_true(guests_write(claim, &guest, &error));
	found = guests_find("nps4-mini", &error);
	g_assert_no_error(error);
	g_assert_cmpstr(found->kernel, ==, "debian-6.12");
	g_assert_cmpstr(found->root, ==, "/run/x/abcdefgh");
	g_assert_null(found->verdict);
	g_assert_cmpint(found->pid, ==, 42);

	g_assert_cmpint(guests_claim("nps4-mini", &error), ==, -1);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_cmpstr(error->message, ==, "'nps4-mini' is up already, or on its way");

	guests_release(claim, "nps4-mini");
	g_assert_false(has_file(fixture, "nps4-mini.up"));
	g_assert_null(guests_find("nps4-mini", NULL));
}

/* A keeper that is killed cannot remove its file. */
static void test_dead_keeper(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct guest guest = example();
	g_autoptr(GPtrArray) guests = NULL;
	pid_t pid = fork();
	int claim;

	if (pid == 0)
		_exit(!guests_write(guests_claim("nps4-mini", NULL), &guest, NULL));
	waitpid(pid, NULL, 0);
	g_assert_true(has_file(fixture, "nps4-mini.up"));
	claim = guests_claim("snc4", NULL);
	g_assert_true(guests_write(claim, &guest, NULL));
	guests = guests_list(NULL);
	g_assert_cmpuint(guests->len, ==, 1);
	g_assert_false(has_file(fixture, "nps4-mini.up"));
	g_assert_true(has_file(fixture, "snc4.up"));
	guests_release(claim, "snc4");
}

static void test_round(void)
{
	struct guest guest = example();
	g_autofree char *text = guest_format(&guest);
	g_autoptr(GError) error = NULL;
	AUTO(guest) *again = guest_parse(text, strlen(text), &error);

	g_assert_no_error(error);
	g_assert_cmpstr(again->topology, ==, "nps4-mini");
	for (gsize length = 0; length < strlen(text); length++) {
		g_autoptr(GError) cut = NULL;

		g_assert_null(guest_parse(text, length, &cut));
		g_assert_error(cut, TOPOLAB_ERROR, ERROR_LAB);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add("/guests/claim", struct fixture, NULL, fixture_setup, test_claim,
		   fixture_teardown);
	g_test_add("/guests/dead-keeper", struct fixture, NULL, fixture_setup, test_dead_keeper,
		   fixture_teardown);
	g_test_add_func("/guests/round", test_round);
	return g_test_run();
}
