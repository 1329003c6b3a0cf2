// SPDX-License-Identifier: GPL-2.0-only
/* Files that root makes through sudo. All but the refusals needs root. */
#include "base/caller.h"
#include "base/error.h"
#include "base/paths.h"
#include "base/tree.h"
#include "run/output.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define USER 4242

struct fixture {
	char *folder, *home;
};

static void set_up(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	fixture->folder = g_dir_make_tmp("topolab-caller-XXXXXX", NULL);
	fixture->home = g_build_filename(fixture->folder, "home", NULL);
	g_assert_cmpint(g_mkdir(fixture->home, 0755), ==, 0);
	if (geteuid() == 0)
		g_assert_cmpint(chown(fixture->home, USER, USER), ==, 0);
	g_setenv("SUDO_UID", G_STRINGIFY(USER), TRUE);
	g_setenv("SUDO_GID", G_STRINGIFY(USER), TRUE);
}

static void tear_down(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_unsetenv("SUDO_UID");
	g_unsetenv("SUDO_GID");
	g_assert_true(tree_remove(fixture->folder, NULL));
	g_free(fixture->folder);
	g_free(fixture->home);
}

static char *make_file(const char *folder, const char *name)
{
	char *path = g_build_filename(folder, name, NULL);

	g_assert_true(g_file_set_contents(path, "x", 1, NULL));
	return path;
}

static void assert_owner(const char *path, uid_t uid)
{
	struct stat status;

	g_assert_cmpint(lstat(path, &status), ==, 0);
	if (status.st_uid != uid)
		g_test_fail_printf("'%s' belongs to %u, not %u", path, status.st_uid, uid);
}

static bool needs_root(void)
{
	if (geteuid() == 0)
		return false;
	g_test_skip("needs root");
	return true;
}

static void test_given(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *outside = make_file(fixture->folder, "outside");
	g_autofree char *run = g_build_filename(fixture->home, "run", NULL);
	g_autofree char *link = g_build_filename(run, "link", NULL);
	g_autofree char *second = g_build_filename(run, "second", NULL);
	g_autofree char *file = NULL, *foreign = NULL, *named_twice = NULL;

	if (needs_root())
		return;
	g_assert_cmpint(g_mkdir(run, 0755), ==, 0);
	file = make_file(run, "file");
	foreign = make_file(run, "foreign");
	g_assert_cmpint(chown(foreign, 77, 77), ==, 0);
	named_twice = make_file(fixture->folder, "kernel");
	g_assert_cmpint(symlink(outside, link), ==, 0);
	g_assert_cmpint(linkat(AT_FDCWD, named_twice, AT_FDCWD, second, 0), ==, 0);
	caller_give(run);
	assert_owner(run, USER);
	assert_owner(file, USER);
	assert_owner(link, USER);
	assert_owner(outside, 0);
	assert_owner(foreign, 77);
	assert_owner(second, 0);
}

/* Outside of the caller's folders, and without sudo, root's files are root's. */
static void test_kept(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *outside = make_file(fixture->folder, "outside");
	g_autofree char *inside = NULL;

	if (needs_root())
		return;
	inside = make_file(fixture->home, "inside");
	caller_give(outside);
	assert_owner(outside, 0);
	g_setenv("SUDO_UID", "0", TRUE);
	caller_give(inside);
	g_setenv("SUDO_UID", "x", TRUE);
	caller_give(inside);
	g_unsetenv("SUDO_UID");
	caller_give(inside);
	assert_owner(inside, 0);
}

static void test_output(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *before = g_get_current_dir();
	g_autofree char *results = g_build_filename(fixture->home, "results", NULL);
	g_autofree char *latest = g_build_filename(results, "latest", NULL);
	g_autofree char *deep = g_build_filename(fixture->home, "a", "b", NULL);
	g_autofree char *above = g_path_get_dirname(deep);
	g_autofree char *run = NULL, *chosen = NULL;

	if (needs_root())
		return;
	g_assert_cmpint(chdir(fixture->home), ==, 0);
	run = output_folder_new(NULL, NULL);
	assert_owner(results, USER);
	assert_owner(run, USER);
	assert_owner(latest, USER);
	chosen = output_folder_new(deep, NULL);
	assert_owner(chosen, USER);
	assert_owner(above, USER);
	g_assert_cmpint(chdir(before), ==, 0);
}

/* sudo that keeps HOME: root's cache does not go there. */
static void test_cache(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *xdg = g_build_filename(fixture->folder, "xdg", NULL);
	g_autofree char *expected = g_build_filename(xdg, "topolab", NULL);
	g_autofree char *theirs = NULL, *ours = NULL;

	if (needs_root())
		return;
	g_unsetenv("TOPOLAB_CACHE");
	g_setenv("XDG_CACHE_HOME", fixture->home, TRUE);
	theirs = paths_cache(NULL, NULL);
	g_assert_false(g_str_has_prefix(theirs, fixture->home));
	g_assert_cmpint(g_mkdir(xdg, 0755), ==, 0);
	g_setenv("XDG_CACHE_HOME", xdg, TRUE);
	ours = paths_cache(NULL, NULL);
	g_assert_cmpstr(ours, ==, expected);
	g_unsetenv("XDG_CACHE_HOME");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add("/caller/given", struct fixture, NULL, set_up, test_given, tear_down);
	g_test_add("/caller/kept", struct fixture, NULL, set_up, test_kept, tear_down);
	g_test_add("/caller/output", struct fixture, NULL, set_up, test_output, tear_down);
	g_test_add("/caller/cache", struct fixture, NULL, set_up, test_cache, tear_down);
	return g_test_run();
}
