// SPDX-License-Identifier: GPL-2.0-only
/* The two kinds of root must answer alike: a folder on disk and members of an archive in memory. */
#include "base/error.h"
#include "base/root.h"
#include "base/tree.h"

#include <glib/gstdio.h>
#include <string.h>

static const struct member {
	const char *path, *bytes;
	gsize length; /* 0: strlen() */
} members[] = {
	{"sys/cpu/online", "0-3\n", 0},
	{"sys/cpu/cpu0/id", "42\n", 0},
	{"sys/cpu/cpu10/id", "-7 \t\n", 0},
	{"sys/cpu/cpu2/id", "0x10\n", 0},
	{"sys/empty", "", 0},
	{"sys/two", "1 2\n", 0},
	{"sys/huge", "9223372036854775808\n", 0},
	{"sys/binary", "a\0b", 3},
	{"system", "not below sys\n", 0},
};

static gsize member_length(const struct member *member)
{
	return member->length ? member->length : strlen(member->bytes);
}

static struct root *root_in_memory(void)
{
	GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						  (GDestroyNotify)(void *)g_bytes_unref);

	for (unsigned i = 0; i < G_N_ELEMENTS(members); i++)
		g_hash_table_insert(table, g_strdup(members[i].path),
				    g_bytes_new(members[i].bytes, member_length(&members[i])));
	return root_new_members(table);
}

static void write_members(const char *folder)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(members); i++) {
		g_autofree char *path = g_build_filename(folder, members[i].path, NULL);
		g_autofree char *parent = g_path_get_dirname(path);

		g_assert_cmpint(g_mkdir_with_parents(parent, 0700), ==, 0);
		g_assert_true(g_file_set_contents(path, members[i].bytes,
						  (gssize)member_length(&members[i]), NULL));
	}
}

static void check_text(struct root *root)
{
	g_autofree char *online = root_read(root, NULL, "sys/cpu/online");
	g_autofree char *empty = root_read(root, NULL, "sys/empty");
	g_autofree char *formatted = root_read(root, NULL, "sys/cpu/cpu%d/%s", 0, "id");
	g_autoptr(GError) missing = NULL;
	g_autoptr(GError) folder = NULL;
	g_autoptr(GError) binary = NULL;

	g_assert_cmpstr(online, ==, "0-3");
	g_assert_cmpstr(empty, ==, "");
	g_assert_cmpstr(formatted, ==, "42");
	g_assert_null(root_read(root, &missing, "sys/cpu/cpu9/id"));
	g_assert_nonnull(missing);
	g_assert_nonnull(missing ? strstr(missing->message, "sys/cpu/cpu9/id") : NULL);
	g_assert_null(root_read(root, &folder, "sys/cpu"));
	g_assert_nonnull(folder);
	g_assert_null(root_read(root, &binary, "sys/binary"));
	g_assert_error(binary, TOPOLAB_ERROR, ERROR_LAB);
}

static void check_bytes(struct root *root)
{
	g_autoptr(GBytes) binary = root_read_bytes(root, NULL, "sys/%s", "binary");
	g_autoptr(GBytes) empty = root_read_bytes(root, NULL, "sys/empty");

	g_assert_nonnull(binary);
	g_assert_cmpmem(g_bytes_get_data(binary, NULL), g_bytes_get_size(binary), "a\0b", 3);
	g_assert_cmpuint(g_bytes_get_size(empty), ==, 0);
}

static void check_numbers(struct root *root)
{
	static const char *const bad[] = {"sys/cpu/cpu2/id", "sys/empty", "sys/two", "sys/huge",
					  "sys/nothing"};
	gint64 value = 0;

	g_assert_true(root_read_number(root, &value, NULL, "sys/cpu/cpu0/id"));
	g_assert_cmpint(value, ==, 42);
	g_assert_true(root_read_number(root, &value, NULL, "sys/cpu/cpu10/id"));
	g_assert_cmpint(value, ==, -7);
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_false(root_read_number(root, &value, &error, "%s", bad[i]));
		g_assert_nonnull(error);
	}
}

static void assert_names(struct root *root, const char *folder, const char *expected)
{
	g_auto(GStrv) names = root_list(root, "%s", folder);
	g_autofree char *joined = g_strjoinv(" ", names);

	g_assert_cmpstr(joined, ==, expected);
}

static void check_lists(struct root *root)
{
	assert_names(root, "sys/cpu", "cpu0 cpu10 cpu2 online");
	assert_names(root, "sys", "binary cpu empty huge two");
	assert_names(root, "sys/cpu/cpu0", "id");
	assert_names(root, "sy", "");
	assert_names(root, "sys/nothing", "");
	g_assert_true(root_has(root, "sys/cpu/cpu%d/id", 10));
	g_assert_true(root_has(root, "sys/empty"));
	g_assert_false(root_has(root, "sys/cpu/cpu%d/id", 1));
}

static void check(struct root *root)
{
	check_text(root);
	check_bytes(root);
	check_numbers(root);
	check_lists(root);
}

static void test_memory(void)
{
	AUTO(root) *root = root_in_memory();

	check(root);
}

static void test_folder(void)
{
	g_autofree char *folder = g_dir_make_tmp("root-XXXXXX", NULL);
	AUTO(root) *root = root_new_dir(folder);

	write_members(folder);
	check(root);
	g_assert_true(tree_remove(folder, NULL));
}

static void test_shared(void)
{
	struct root *root = root_in_memory();
	AUTO(root) *other = root_ref(root);

	root_unref(root);
	g_assert_true(root_has(other, "system"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/rooted/memory", test_memory);
	g_test_add_func("/rooted/folder", test_folder);
	g_test_add_func("/rooted/shared", test_shared);
	return g_test_run();
}
