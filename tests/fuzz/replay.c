// SPDX-License-Identifier: GPL-2.0-only
/* Feeds the corpus of one fuzz target to it, without libFuzzer: a TAP program like any other. */
#include "fuzz.h"

static void replay(gconstpointer path)
{
	g_autofree char *data = NULL;
	g_autoptr(GError) error = NULL;
	gsize size;

	g_file_get_contents(path, &data, &size, &error);
	g_assert_no_error(error);
	/* Bytes of their own length, so that a sanitizer sees the first one read behind them. */
	g_autofree uint8_t *exact = g_memdup2(data, size);

	LLVMFuzzerTestOneInput(exact, size);
}

/* The program is called fuzz_NAME. */
static char *corpus_folder(const char *program)
{
	g_autofree char *base = g_path_get_basename(program);

	FUZZ_REQUIRE(g_str_has_prefix(base, "fuzz_"));
	return g_build_filename(TOPOLAB_SOURCE, "tests", "fuzz", "corpus", base + strlen("fuzz_"),
				NULL);
}

int main(int argc, char **argv)
{
	g_autofree char *folder = corpus_folder(argv[0]);
	g_autoptr(GError) error = NULL;
	g_autoptr(GDir) dir = g_dir_open(folder, 0, &error);
	const char *name;

	g_test_init(&argc, &argv, NULL);
	g_assert_no_error(error);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *test = g_strdup_printf("/corpus/%s", name);
		char *path = g_build_filename(folder, name, NULL);

		g_test_add_data_func_full(test, path, replay, g_free);
	}
	return g_test_run();
}
