// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/tree.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

static void write_file(const char *path)
{
	g_assert_true(g_file_set_contents(path, "x", 1, NULL));
}

/* Links to a folder, to a file and to nothing; only what lies in the tree itself may go. */
static void test_links(void)
{
	g_autofree char *base = g_dir_make_tmp("tree-XXXXXX", NULL);
	g_autofree char *tree = g_build_filename(base, "tree", NULL);
	g_autofree char *deep = g_build_filename(tree, "a", "b", NULL);
	g_autofree char *deep_file = g_build_filename(deep, "file", NULL);
	g_autofree char *other = g_build_filename(base, "other", NULL);
	g_autofree char *kept = g_build_filename(other, "kept", NULL);
	g_autofree char *to_folder = g_build_filename(deep, "to-folder", NULL);
	g_autofree char *to_file = g_build_filename(tree, "to-file", NULL);
	g_autofree char *to_nothing = g_build_filename(tree, "to-nothing", NULL);
	g_autoptr(GError) error = NULL;

	g_assert_cmpint(g_mkdir_with_parents(deep, 0700), ==, 0);
	g_assert_cmpint(g_mkdir(other, 0700), ==, 0);
	write_file(deep_file);
	write_file(kept);
	g_assert_cmpint(symlink(other, to_folder), ==, 0);
	g_assert_cmpint(symlink(kept, to_file), ==, 0);
	g_assert_cmpint(symlink("nowhere", to_nothing), ==, 0);

	g_assert_true(tree_remove(tree, &error));
	g_assert_no_error(error);
	g_assert_false(exists(tree));
	g_assert_true(exists(kept));
	g_assert_true(tree_remove(tree, &error));
	g_assert_no_error(error);

	/* Called on a link or a file, nothing at all is removed. */
	g_assert_cmpint(symlink(other, tree), ==, 0);
	g_assert_false(tree_remove(tree, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_true(exists(kept));
	g_assert_true(exists(tree));

	g_unlink(tree);
	g_unlink(kept);
	g_rmdir(other);
	g_rmdir(base);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tree/links", test_links);
	return g_test_run();
}
