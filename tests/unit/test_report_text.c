// SPDX-License-Identifier: GPL-2.0-only
/* What every format writes, against tests/golden/report/. TOPOLAB_UPDATE_GOLDEN=1 writes the files.
 */
#include "report/lines.h"
#include "report/report.h"
#include "test_report_pages.h"

#define UTF8                                                                                       \
	{                                                                                          \
		.utf8 = true                                                                       \
	}

static const struct page {
	const char *file;
	struct result *(*results[6])(void);
	struct report_style style;
	const char *format; /* NULL: text */
} pages[] = {
	{"pass.txt", {passed}, UTF8},
	{"pass-verbose.txt", {passed}, {.utf8 = true, .verbose = true}},
	{"fail.txt", {failed}, UTF8},
	{"error.txt", {broken}, UTF8},
	{"ascii.txt", {failed, broken}, {.utf8 = false}},
	{"colour.txt", {failed}, {.utf8 = true, .colour = true}},
	{"wide.txt", {wide}, UTF8},
	{"stalled.txt", {stalled}, UTF8},
	{"three.txt", {passed, failed, broken}, UTF8},
	{"none.txt", {NULL}, UTF8},
	{"three.tap", {passed, failed, broken}, UTF8, "tap"},
	{"verbose.tap", {failed}, {.utf8 = true, .verbose = true}, "tap"},
	{"ascii.tap", {skipped, broken}, {.utf8 = false}, "tap"},
	{"none.tap", {NULL}, UTF8, "tap"},
	{"four.xml", {passed, failed, broken, skipped}, UTF8, "junit"},
	{"none.xml", {NULL}, UTF8, "junit"},
	{"four.github", {passed, failed, broken, skipped}, UTF8, "github"},
	{"none.github", {NULL}, UTF8, "github"},
	{"five.md", {passed, failed, broken, skipped, wide}, UTF8, "markdown"},
	{"ascii.md", {failed, broken}, {.utf8 = false}, "markdown"},
	{"none.md", {NULL}, UTF8, "markdown"},
};

static char *page_write(const struct page *page)
{
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(result_release);
	struct report report = {.results = results, .run_folder = "results/x", .version = "0.1.0"};

	for (unsigned i = 0; i < G_N_ELEMENTS(page->results) && page->results[i]; i++)
		g_ptr_array_add(results, page->results[i]());
	return report_format_find(page->format ? page->format : "text")
		->write(&report, &page->style);
}

static void test_page(gconstpointer data)
{
	const struct page *page = data;
	g_autofree char *path =
		g_build_filename(TOPOLAB_SOURCE, "tests", "golden", "report", page->file, NULL);
	g_autofree char *text = page_write(page);
	g_autofree char *golden = NULL;

	if (g_strcmp0(g_getenv("TOPOLAB_UPDATE_GOLDEN"), "1") == 0)
		g_assert_true(g_file_set_contents(path, text, -1, NULL));
	g_assert_true(g_file_get_contents(path, &golden, NULL, NULL));
	g_assert_cmpstr(text, ==, golden);
}

static void test_no_golden_is_unused(void)
{
	g_autofree char *folder =
		g_build_filename(TOPOLAB_SOURCE, "tests", "golden", "report", NULL);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	g_assert_nonnull(dir);
	while ((name = g_dir_read_name(dir))) {
		bool used = false;

		for (unsigned i = 0; i < G_N_ELEMENTS(pages) && !used; i++)
			used = strcmp(pages[i].file, name) == 0;
		if (!used)
			g_test_fail_printf("no test uses tests/golden/report/%s", name);
	}
}

static const char *page_end(const struct page *page)
{
	if (g_strcmp0(page->format, "junit") == 0)
		return "</testsuites>\n";
	if (g_strcmp0(page->format, "markdown") == 0)
		return page->results[0] ? "</details>\n" : "Nothing was run.\n";
	return ")\n";
}

/* The contract: 100 columns; ASCII trees without UTF-8; nothing of the guest's own escapes. */
static void test_shape(gconstpointer data)
{
	const struct page *page = data;
	g_autofree char *text = page_write(page);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	g_assert_true(g_utf8_validate(text, -1, NULL));
	for (unsigned i = 0; lines[i]; i++) {
		if (!page->style.colour && !page->format)
			g_assert_cmpint(g_utf8_strlen(lines[i], -1), <=, REPORT_WIDTH);
		for (const char *p = lines[i]; *p; p++) {
			if (!page->style.colour)
				g_assert_true((guchar)*p >= 0x20 && *p != 0x7f);
			if (!page->style.utf8)
				g_assert_true((guchar)*p < 0x80);
		}
	}
	g_assert_true(g_str_has_suffix(text, page_end(page)));
}

/* The contract: TCG is said in the first line; under KVM there is nothing to say. */
static void test_accelerator_first(void)
{
	g_autofree char *tcg = page_write(&pages[0]);
	g_autofree char *kvm = page_write(&pages[3]);

	g_assert_nonnull(g_strstr_len(tcg, strcspn(tcg, "\n"), "TCG"));
	g_assert_null(g_strstr_len(kvm, strcspn(kvm, "\n"), "TCG"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/report/text/accelerator", test_accelerator_first);
	g_test_add_func("/report/text/unused", test_no_golden_is_unused);
	for (unsigned i = 0; i < G_N_ELEMENTS(pages); i++) {
		g_autofree char *page = g_strdup_printf("/report/text/page/%s", pages[i].file);
		g_autofree char *shape = g_strdup_printf("/report/text/shape/%s", pages[i].file);

		g_test_add_data_func(page, &pages[i], test_page);
		g_test_add_data_func(shape, &pages[i], test_shape);
	}
	return g_test_run();
}
