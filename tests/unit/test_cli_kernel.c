// SPDX-License-Identifier: GPL-2.0-only
/* Kernels that are none: exit status 2 and one sentence before anything is made or started. */
#include "../run_topolab.h"
#include "test_kernel.h"

#include <string.h>

struct fixture {
	char *folder, *kernel, *results;
	guint8 *image;
};

static void set_up(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	fixture->folder = g_dir_make_tmp("topolab-kernel-XXXXXX", NULL);
	fixture->kernel = g_build_filename(fixture->folder, "bzImage", NULL);
	fixture->results = g_build_filename(fixture->folder, "results", NULL);
	fixture->image = test_image_new();
}

static void tear_down(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	folder_remove(fixture->folder);
	g_free(fixture->folder);
	g_free(fixture->kernel);
	g_free(fixture->results);
	g_free(fixture->image);
}

/* @sentence: what follows "topolab: kernel 'PATH' ". */
static void assert_refused(struct fixture *fixture, gsize length, const char *sentence)
{
	g_autofree char *line =
		g_strdup_printf("topolab: kernel '%s' %s\n", fixture->kernel, sentence);
	struct topolab_run run;

	g_assert_true(
		g_file_set_contents(fixture->kernel, (char *)fixture->image, (gssize)length, NULL));
	run = topolab_run("run nps1-mini --kernel %s -o %s", fixture->kernel, fixture->results);
	g_assert_cmpint(run.status, ==, 2);
	g_assert_cmpstr(run.errors, ==, line);
	g_assert_cmpstr(run.output, ==, "");
	g_assert_false(g_file_test(fixture->results, G_FILE_TEST_EXISTS));
	topolab_run_clear(&run);
}

static void test_truncated(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	assert_refused(fixture, 0, "is empty");
	assert_refused(fixture, 512,
		       "is not a bzImage: its 512 bytes are fewer than the 568 of a boot header");
	/* The header and no code; half; all but one byte. */
	assert_refused(fixture, 568, "is truncated: it has 568 bytes, its header says 6656");
	assert_refused(fixture, 3328, "is truncated: it has 3328 bytes, its header says 6656");
	assert_refused(fixture, 6655, "is truncated: it has 6655 bytes, its header says 6656");
}

static void test_foreign(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	fixture->image[0x236] = 0x3e; /* without XLF_KERNEL_64 */
	assert_refused(fixture, LENGTH, "is a 32-bit x86 kernel, and topolab runs x86-64 kernels");
	memset(fixture->image, 0, LENGTH);
	test_put(fixture->image, 0x38, "ARM\x64", 4);
	assert_refused(fixture, LENGTH, "is for arm64, and topolab runs x86-64 kernels");
}

static void test_no_kernel(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	memset(fixture->image, '\033', LENGTH);
	assert_refused(fixture, LENGTH,
		       "is not a bzImage: it has no x86 boot header ('HdrS' at 0x202)");
	test_put(fixture->image, 0,
		 "\x7f"
		 "ELF",
		 4);
	assert_refused(fixture, LENGTH,
		       "is an ELF file (a vmlinux?), not the bzImage that is made from it");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add("/cli/kernel/truncated", struct fixture, NULL, set_up, test_truncated,
		   tear_down);
	g_test_add("/cli/kernel/foreign", struct fixture, NULL, set_up, test_foreign, tear_down);
	g_test_add("/cli/kernel/none", struct fixture, NULL, set_up, test_no_kernel, tear_down);
	return g_test_run();
}
