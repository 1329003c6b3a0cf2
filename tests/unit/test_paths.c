// SPDX-License-Identifier: GPL-2.0-only
/* The order of places is the one that the README promises (TOPOLAB_CACHE, XDG, home, system). */
#include "base/error.h"
#include "base/paths.h"
#include "base/tree.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	char *folder;
};

static void fixture_setup(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	fixture->folder = g_dir_make_tmp("tp-XXXXXX", NULL);
	g_assert_nonnull(fixture->folder);
	g_unsetenv("TOPOLAB_CACHE");
	g_unsetenv("TOPOLAB_RUNTIME");
	g_unsetenv("XDG_CACHE_HOME");
}

static void fixture_teardown(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autoptr(GError) error = NULL;

	g_assert_true(tree_remove(fixture->folder, &error));
	g_assert_no_error(error);
	g_free(fixture->folder);
}

static void test_data(void)
{
	g_autofree char *topologies = paths_data("topologies");
	g_autofree char *all = paths_data(NULL);
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	g_autofree char *name = g_path_get_basename(self);
	g_autofree char *made = paths_data(name);

	/* The tests are built inside the source tree. */
	g_assert_cmpstr(topologies, ==, TOPOLAB_SOURCE "/topologies");
	g_assert_cmpstr(all, ==, TOPOLAB_SOURCE);
	g_assert_cmpstr(made, ==, self);
}

static void test_cache_order(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *chosen = g_build_filename(fixture->folder, "chosen", NULL);
	g_autofree char *chosen_sub = g_build_filename(fixture->folder, "chosen", "qemu", NULL);
	g_autofree char *xdg_sub = g_build_filename(fixture->folder, "topolab", "qemu", NULL);
	g_autoptr(GError) error = NULL;
	char *path;

	g_setenv("XDG_CACHE_HOME", fixture->folder, TRUE);
	path = paths_cache("qemu", &error);
	g_assert_no_error(error);
	g_assert_cmpstr(path, ==, xdg_sub);
	g_assert_true(g_file_test(path, G_FILE_TEST_IS_DIR));
	g_free(path);

	g_setenv("TOPOLAB_CACHE", chosen, TRUE);
	path = paths_cache("qemu", &error);
	g_assert_no_error(error);
	g_assert_cmpstr(path, ==, chosen_sub);
	g_free(path);
	path = paths_cache(NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(path, ==, chosen);
	g_free(path);
}

static void test_cache_unusable(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *file = g_build_filename(fixture->folder, "file", NULL);
	g_autoptr(GError) error = NULL;

	g_assert_true(g_file_set_contents(file, "x", 1, NULL));
	g_setenv("TOPOLAB_CACHE", file, TRUE);
	g_assert_null(paths_cache("qemu", &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_nonnull(strstr(error->message, file));
}

/* As a container's user without a home and without rights: what to do is in the message. */
static void test_cache_without_home(void)
{
	if (g_test_subprocess()) {
		g_autoptr(GError) error = NULL;

		if (geteuid() == 0 && setuid(65534) != 0)
			g_error("cannot become nobody");
		g_assert_null(paths_cache("qemu", &error));
		g_printerr("%s\n", error->message);
		return;
	}
	g_unsetenv("TOPOLAB_CACHE");
	g_unsetenv("XDG_CACHE_HOME");
	g_setenv("HOME", "/dev/null/nowhere", TRUE);
	g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr("there is no folder for the cache: XDG_CACHE_HOME is not set, "
				  "the home folder is '/dev/null/nowhere', and cannot use "
				  "'/var/cache/topolab/qemu' as cache folder: *; name a folder "
				  "that can be written in TOPOLAB_CACHE\n");
}

static void test_runtime_mode(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *wanted = g_build_filename(fixture->folder, "r", NULL);
	g_autofree char *path = NULL;
	g_autoptr(GError) error = NULL;
	struct stat status;

	g_setenv("TOPOLAB_RUNTIME", wanted, TRUE);
	/* A mode left by an older run or a stricter umask is put right. */
	g_assert_cmpint(g_mkdir(wanted, 0777), ==, 0);
	path = paths_runtime(&error);
	g_assert_no_error(error);
	g_assert_cmpstr(path, ==, wanted);
	g_assert_cmpint(stat(path, &status), ==, 0);
	g_assert_cmpuint(status.st_mode & 07777, ==, geteuid() == 0 ? 0711 : 0700);
}

static void test_runtime_refused(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *link = g_build_filename(fixture->folder, "l", NULL);
	g_autofree char *target = g_build_filename(fixture->folder, "t", NULL);
	g_autofree char *stem = g_strnfill(60, 'x');
	g_autofree char *longer = g_build_filename(fixture->folder, stem, NULL);
	g_autoptr(GError) error = NULL;

	/* A link that somebody else planted under our name. */
	g_assert_cmpint(g_mkdir(target, 0700), ==, 0);
	g_assert_cmpint(symlink(target, link), ==, 0);
	g_setenv("TOPOLAB_RUNTIME", link, TRUE);
	g_assert_null(paths_runtime(&error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_clear_error(&error);

	g_setenv("TOPOLAB_RUNTIME", longer, TRUE);
	g_assert_null(paths_runtime(&error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_nonnull(strstr(error->message, "longer than"));
}

static void test_names(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	static const char *const files[] = {"a/y.yaml",	 "a/x.yaml", "a/z.yml",
					    "a/.w.yaml", "b/x.yaml", "b/v.yaml"};
	g_autofree char *a = g_build_filename(fixture->folder, "a", NULL);
	g_autofree char *b = g_build_filename(fixture->folder, "b", NULL);
	const char *const folders[] = {a, "/no/such/folder", b, NULL};
	g_auto(GStrv) names = NULL;
	g_autofree char *joined = NULL;

	g_assert_cmpint(g_mkdir(a, 0755), ==, 0);
	g_assert_cmpint(g_mkdir(b, 0755), ==, 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = g_build_filename(fixture->folder, files[i], NULL);

		g_assert_true(g_file_set_contents(path, "", 0, NULL));
	}
	names = paths_names(folders, ".yaml");
	joined = g_strjoinv(" ", names);
	g_assert_cmpstr(joined, ==, "v x y");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/paths/data", test_data);
	g_test_add_func("/paths/cache-without-home", test_cache_without_home);
	g_test_add("/paths/names", struct fixture, NULL, fixture_setup, test_names,
		   fixture_teardown);
	g_test_add("/paths/cache/order", struct fixture, NULL, fixture_setup, test_cache_order,
		   fixture_teardown);
	g_test_add("/paths/cache/unusable", struct fixture, NULL, fixture_setup,
		   test_cache_unusable, fixture_teardown);
	g_test_add("/paths/runtime/mode", struct fixture, NULL, fixture_setup, test_runtime_mode,
		   fixture_teardown);
	g_test_add("/paths/runtime/refused", struct fixture, NULL, fixture_setup,
		   test_runtime_refused, fixture_teardown);
	return g_test_run();
}
