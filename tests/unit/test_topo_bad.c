// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every topology file in tests/golden/bad is refused with exactly the message beside it.
 * TOPOLAB_UPDATE_GOLDEN=1 rewrites the messages.
 */
#include "base/error.h"
#include "topo/load.h"

#include <string.h>

#define FOLDER TOPOLAB_SOURCE "/tests/golden/bad"

static char *golden_path(const char *name, const char *suffix)
{
	return g_strconcat(FOLDER "/", name, suffix, NULL);
}

static void test_file(gconstpointer data)
{
	const char *name = data;
	g_autofree char *path = golden_path(name, ".yaml");
	g_autofree char *golden = golden_path(name, ".err");
	g_autofree char *base = g_strconcat(name, ".yaml", NULL);
	g_autofree char *text = NULL;
	g_autofree char *expected = NULL;
	g_autofree char *message = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = NULL;
	gsize length;

	g_assert_true(g_file_get_contents(path, &text, &length, NULL));
	topo = topo_load_text(text, length, base, &error);
	g_assert_null(topo);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	if (!error)
		return;
	message = g_strconcat(error->message, "\n", NULL);
	if (g_getenv("TOPOLAB_UPDATE_GOLDEN"))
		g_assert_true(g_file_set_contents(golden, message, -1, NULL));
	if (g_file_get_contents(golden, &expected, NULL, NULL))
		g_assert_cmpstr(message, ==, expected);
	else
		g_test_fail_printf("%s is missing", golden);
}

/* A message without its file, or a file of another kind, would never be looked at. */
static void test_unused(void)
{
	g_autoptr(GDir) dir = g_dir_open(FOLDER, 0, NULL);
	const char *file;

	while (dir && (file = g_dir_read_name(dir))) {
		g_autofree char *name = g_strdup(file);
		g_autofree char *yaml = NULL;
		char *dot = strrchr(name, '.');

		if (dot)
			*dot = '\0';
		yaml = golden_path(name, ".yaml");
		if (!g_file_test(yaml, G_FILE_TEST_EXISTS) ||
		    (!g_str_has_suffix(file, ".yaml") && !g_str_has_suffix(file, ".err")))
			g_test_fail_printf("%s/%s is used by no test", FOLDER, file);
	}
}

int main(int argc, char **argv)
{
	const char *const path[] = {FOLDER, NULL};
	g_auto(GStrv) names = topo_list(path);
	int status;

	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; names[i]; i++) {
		g_autofree char *test = g_strconcat("/topo/bad/", names[i], NULL);

		g_test_add_data_func(test, names[i], test_file);
	}
	g_test_add_func("/topo/bad-unused", test_unused);
	status = g_test_run();
	if (g_strv_length(names) < 40) {
		g_printerr("only %u files in %s\n", g_strv_length(names), FOLDER);
		return 1;
	}
	return status;
}
