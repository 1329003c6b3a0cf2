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

static char *sum_of(const char *path)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autoptr(GError) error = NULL;

	g_assert_true(tree_checksum(path, sum, &error));
	g_assert_no_error(error);
	return g_strdup(g_checksum_get_string(sum));
}

/* Every change of a name or of a content changes the sum; the order in which files came does not.
 */
static void test_checksum(void)
{
	g_autofree char *base = g_dir_make_tmp("tree-XXXXXX", NULL);
	g_autofree char *tree = g_build_filename(base, "tree", NULL);
	g_autofree char *sub = g_build_filename(tree, "sub", NULL);
	g_autofree char *one = g_build_filename(tree, "one", NULL);
	g_autofree char *two = g_build_filename(sub, "two", NULL);
	g_autofree char *moved = g_build_filename(tree, "two", NULL);
	g_autoptr(GHashTable) sums = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autofree char *again = NULL;

	g_hash_table_add(sums, sum_of(tree)); /* not there */
	g_assert_cmpint(g_mkdir_with_parents(sub, 0700), ==, 0);
	g_hash_table_add(sums, sum_of(tree));
	write_file(two);
	g_hash_table_add(sums, sum_of(tree));
	write_file(one);
	g_hash_table_add(sums, sum_of(tree));
	again = sum_of(tree);
	g_assert_true(g_hash_table_contains(sums, again));
	g_assert_true(g_file_set_contents(one, "y", 1, NULL));
	g_hash_table_add(sums, sum_of(tree));
	g_assert_cmpint(g_rename(two, moved), ==, 0);
	g_hash_table_add(sums, sum_of(tree));
	g_assert_cmpint(symlink("nowhere", two), ==, 0);
	g_hash_table_add(sums, sum_of(tree));
	g_assert_cmpuint(g_hash_table_size(sums), ==, 7);
	tree_remove(base, NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/tree/links", test_links);
	g_test_add_func("/tree/checksum", test_checksum);
	return g_test_run();
}
