// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every case on every kernel that it lists, judged from what a boot left in
 * tests/saved/cases/CASE/KERNEL. Evidence that no case asks for fails.
 */
#include "run/repro.h"

#include <string.h>

#define SAVED TOPOLAB_SOURCE "/tests/saved/cases"

static const struct case_kernel *kernel_of(const struct case_file *file, const char *name)
{
	for (guint i = 0; i < file->kernels->len; i++) {
		const struct case_kernel *kernel = file->kernels->pdata[i];

		if (strcmp(kernel->name, name) == 0)
			return kernel;
	}
	return NULL;
}

static void test_kernel(gconstpointer data)
{
	const char *const *names = data;
	g_autofree char *folder = g_build_filename(SAVED, names[0], names[1], NULL);
	g_autoptr(GError) error = NULL;
	AUTO(case_file) *file = case_find(names[0], &error);
	const struct case_kernel *known = kernel_of(file, names[1]);
	g_autofree char *reason = NULL;
	enum case_verdict verdict = CASE_ERROR;

	repro_judge(file, known, folder, &verdict, &reason, &error);
	g_assert_no_error(error);
	g_test_message("%s", reason ?: "");
	g_assert_cmpstr(case_verdict_name(verdict), ==, known->version ? "KNOWN-BUG" : "PASS");
}

static void names_free(gpointer data)
{
	g_strfreev(data);
}

static void add_case(const char *name)
{
	AUTO(case_file) *file = case_find(name, NULL);

	for (guint i = 0; file && i < file->kernels->len; i++) {
		const struct case_kernel *kernel = file->kernels->pdata[i];
		g_autofree char *path = g_strdup_printf("/case-saved/%s/%s", name, kernel->name);
		char **names = g_new0(char *, 3);

		names[0] = g_strdup(name);
		names[1] = g_strdup(kernel->name);
		g_test_add_data_func_full(path, names, test_kernel, names_free);
	}
}

static bool is_listed(const char *name, const char *kernel)
{
	AUTO(case_file) *file = case_find(name, NULL);

	return file && kernel_of(file, kernel);
}

static void test_all_used(void)
{
	g_autoptr(GDir) cases = g_dir_open(SAVED, 0, NULL);
	const char *name, *kernel;

	g_assert_nonnull(cases);
	while ((name = g_dir_read_name(cases))) {
		g_autofree char *folder = g_build_filename(SAVED, name, NULL);
		g_autoptr(GDir) kernels = g_dir_open(folder, 0, NULL);

		while (kernels && (kernel = g_dir_read_name(kernels))) {
			g_test_message("%s %s", name, kernel);
			g_assert_true(is_listed(name, kernel));
		}
	}
}

int main(int argc, char **argv)
{
	g_auto(GStrv) names = case_list();

	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; names[i]; i++)
		add_case(names[i]);
	g_test_add_func("/case-saved/all-used", test_all_used);
	return g_test_run();
}
