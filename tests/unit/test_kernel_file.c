// SPDX-License-Identifier: GPL-2.0-only
/* Files of kernels/: what they say, and what is said about broken ones. */
#include "kernel/kernel_file.h"

#include "base/error.h"

#include "../golden.h"

#include <string.h>

static const char split_kernel[] = "title: an image and a config in two packages\n"
				   "deb:\n"
				   "  suites: trixie-backports\n"
				   "  package: linux-binary-7.3.*-cloud-amd64\n"
				   "  image: usr/lib/modules/*/vmlinuz\n"
				   "  config_package: linux-base-7.3.*-cloud-amd64\n"
				   "  config: usr/lib/modules/*/config\n";

static void test_good(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel_file) *file =
		kernel_file_parse(split_kernel, strlen(split_kernel), "split.yaml", &error);

	g_assert_no_error(error);
	g_assert_cmpstr(file->title, ==, "an image and a config in two packages");
	g_assert_cmpstr(file->source->kind, ==, "deb");
	g_assert_cmpuint(g_hash_table_size(file->fields), ==, 5);
	g_assert_cmpstr(kernel_field(file->fields, "suites"), ==, "trixie-backports");
	g_assert_cmpstr(kernel_field(file->fields, "config_package"), ==,
			"linux-base-7.3.*-cloud-amd64");
	g_assert_null(kernel_field(file->fields, "title"));
}

static bool load_golden(const char *text, gsize length, const char *file, GError **error)
{
	AUTO(kernel_file) *loaded = kernel_file_parse(text, length, file, error);

	return loaded;
}

static void test_bad(void)
{
	golden_check_errors("bad-kernel", load_golden);
}

/* Every file that ships can be read. */
static void test_shipped(void)
{
	g_auto(GStrv) names = kernel_list();

	g_assert_true(g_strv_contains((const char *const *)names, "debian-6.1"));
	g_assert_true(g_strv_contains((const char *const *)names, "debian-6.12"));
	g_assert_true(g_strv_contains((const char *const *)names, "debian-7.3"));
	for (unsigned i = 0; names[i]; i++) {
		g_autofree char *path =
			g_strdup_printf(TOPOLAB_SOURCE "/kernels/%s.yaml", names[i]);
		g_autoptr(GError) error = NULL;
		AUTO(kernel_file) *file = kernel_file_load(path, &error);

		g_assert_no_error(error);
		g_assert_nonnull(file);
	}
}

static void test_unreadable(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel_file) *file = kernel_file_load("/nonexistent/k.yaml", &error);

	g_assert_null(file);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/kernel-file/good", test_good);
	g_test_add_func("/kernel-file/bad", test_bad);
	g_test_add_func("/kernel-file/shipped", test_shipped);
	g_test_add_func("/kernel-file/unreadable", test_unreadable);
	return g_test_run();
}
