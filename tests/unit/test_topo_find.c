// SPDX-License-Identifier: GPL-2.0-only
/* Names, paths and the search order. */
#include "base/error.h"
#include "base/paths.h"
#include "topo/load.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* A folder with a file of its own name for nps1-mini, and one that is no topology. */
struct fixture {
	char *folder, *file, *other;
};

static void fixture_set_up(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *source = NULL;
	g_autofree char *text = NULL;
	g_auto(GStrv) parts = NULL;
	g_autofree char *changed = NULL;

	(void)data;
	source = paths_data("topologies/nps1-mini.yaml");
	g_assert_true(g_file_get_contents(source, &text, NULL, NULL));
	parts = g_strsplit(text, "title: ", 2);
	changed = g_strjoinv("title: my own ", parts);
	fixture->folder = g_dir_make_tmp("find-XXXXXX", NULL);
	fixture->file = g_build_filename(fixture->folder, "nps1-mini.yaml", NULL);
	fixture->other = g_build_filename(fixture->folder, "notes.txt", NULL);
	g_assert_true(g_file_set_contents(fixture->file, changed, -1, NULL));
	g_assert_true(g_file_set_contents(fixture->other, "x", -1, NULL));
}

static void fixture_tear_down(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	g_unlink(fixture->file);
	g_unlink(fixture->other);
	g_rmdir(fixture->folder);
	g_free(fixture->folder);
	g_free(fixture->file);
	g_free(fixture->other);
}

/* $TOPOLAB_PATH comes first, and its empty parts are not the current folder. */
static void test_order(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *variable = g_strconcat(":", fixture->folder, ":", NULL);
	g_autofree char *shipped = paths_data("topologies");
	g_auto(GStrv) path = NULL;
	g_auto(GStrv) names = NULL;
	AUTO(topo) *topo = NULL;

	(void)data;
	g_setenv("TOPOLAB_PATH", variable, TRUE);
	path = topo_search_path();
	g_assert_cmpuint(g_strv_length(path), ==, 2);
	g_assert_cmpstr(path[0], ==, fixture->folder);
	g_assert_cmpstr(path[1], ==, shipped);
	topo = topo_find("nps1-mini", (const char *const *)path, NULL);
	g_assert_nonnull(topo);
	g_assert_true(g_str_has_prefix(topo_title(topo), "my own "));
	names = topo_list((const char *const *)path);
	for (unsigned i = 1; names[i]; i++)
		g_assert_cmpstr(names[i - 1], <, names[i]);
	g_unsetenv("TOPOLAB_PATH");
}

static void test_path(struct fixture *fixture, gconstpointer data)
{
	const char *const empty[] = {NULL};
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_find(fixture->file, empty, &error);

	(void)data;
	g_assert_no_error(error);
	g_assert_nonnull(topo);
}

/* A slash is enough to make it a path, and only a .yaml file must be named like its machine. */
static void test_any_file(struct fixture *fixture, gconstpointer data)
{
	const char *const path[] = {fixture->folder, NULL};
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = NULL;

	(void)data;
	g_assert_true(g_file_get_contents(fixture->file, &text, NULL, NULL));
	g_assert_true(g_file_set_contents(fixture->other, text, -1, NULL));
	topo = topo_find(fixture->other, path, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(topo ? topo_name(topo) : NULL, ==, "nps1-mini");
}

static void test_unknown(struct fixture *fixture, gconstpointer data)
{
	const char *const path[] = {fixture->folder, NULL};
	const char *const empty[] = {NULL};
	g_autoptr(GError) first = NULL;
	g_autoptr(GError) second = NULL;
	g_autoptr(GError) third = NULL;

	(void)data;
	g_assert_null(topo_find("nps9", path, &first));
	g_assert_error(first, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_cmpstr(first->message, ==,
			"there is no topology named 'nps9', the names are: nps1-mini");
	g_assert_null(topo_find("", empty, &second));
	g_assert_cmpstr(second->message, ==, "there is no topology named '', the names are: none");
	g_assert_null(topo_find("/nonexistent/nps9.yaml", path, &third));
	g_assert_error(third, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_true(g_str_has_prefix(third->message,
				       "topology file '/nonexistent/nps9.yaml' cannot be read: "));
}

/* An error in a file found by name says where the file lies. */
static void test_broken(struct fixture *fixture, gconstpointer data)
{
	const char *const path[] = {fixture->folder, NULL};
	g_autofree char *expected = g_strconcat(fixture->file, ":1:1: the file is empty", NULL);
	g_autoptr(GError) error = NULL;

	(void)data;
	g_assert_true(g_file_set_contents(fixture->file, "", 0, NULL));
	g_assert_null(topo_find("nps1-mini", path, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_cmpstr(error->message, ==, expected);
}

#define ADD(path, function)                                                                        \
	g_test_add(path, struct fixture, NULL, fixture_set_up, function, fixture_tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	ADD("/topo/find/order", test_order);
	ADD("/topo/find/path", test_path);
	ADD("/topo/find/any-file", test_any_file);
	ADD("/topo/find/unknown", test_unknown);
	ADD("/topo/find/broken", test_broken);
	return g_test_run();
}
