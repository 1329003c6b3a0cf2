// SPDX-License-Identifier: GPL-2.0-only
/* What a human reads, against tests/golden/report/. TOPOLAB_UPDATE_GOLDEN=1 writes the files. */
#include "report/lines.h"
#include "report/report.h"
#include "test_report_help.h"

#define UTF8                                                                                       \
	{                                                                                          \
		.utf8 = true                                                                       \
	}

static void result_release(gpointer result)
{
	result_free(result);
}

static struct result *passed(void)
{
	struct result *result = some_result("quad", "debian-6.12");

	add_check(result, "guest.ending", VERDICT_PASS, "the guest powered itself off");
	add_check(result, "guest.cpuid", VERDICT_PASS, "69 values of CPUID compared");
	add_check(result, "domains.rules", VERDICT_PASS, "48 domains compared");
	add_check(result, "invariants.meet", VERDICT_PASS, "16 online CPUs compared");
	result->judgement->observed = tree_of_scx_1434();
	return result;
}

static struct result *failed(void)
{
	struct result *result = passed();
	struct check check = {
		.name = "domains.rules",
		.verdict = VERDICT_FAIL,
		.cpu = 4,
		.level = 1,
		.cpus = "4-7,12",
		.expected = "4-7",
		.observed = "0-15",
		.rule = "MC: x86_topology, cpu_coregroup_mask() (6.7 and later)",
		.reason = "MC spans other CPUs than the machine asks for",
		.evidence = "proc/schedstat",
	};

	replace_set(&domain_tree_get(result->judgement->observed, 4, 1)->span, "0-15");
	checks_add(result->judgement->checks, &check);
	check.observed = "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,"
			 "51,53,55,57,59,61,63";
	check.cpus = NULL;
	checks_add(result->judgement->checks, &check);
	return result;
}

/* A guest may print anything; none of it may move the reader's cursor. */
static struct result *broken(void)
{
	struct result *result = some_result("quad", "./my\033[31mImage");

	result->kernel_package = (g_free(result->kernel_package), NULL);
	result->ending = ENDING_DIED;
	result->accel = (g_free(result->accel), g_strdup("kvm"));
	result->qemu = (g_free(result->qemu), NULL);
	result->libvirt = (g_free(result->libvirt), NULL);
	result->boot_ms = -1;
	add_check(result, "guest.ending", VERDICT_ERROR,
		  "QEMU or libvirt died: \033]0;owned\007 \xff\xfe and \xc3\xa9");
	return result;
}

/* Names and spans that do not fit their columns. */
static struct result *wide(void)
{
	struct result *result = some_result("odd", "custom");

	add_check(result, "guest.ending", VERDICT_PASS, "the guest powered itself off");
	result->judgement->observed = domain_tree_new();
	add_domain(result->judgement->observed, 0, "SOMETHING", -1, "0-3", NULL, NULL);
	add_domain(result->judgement->observed, 0, "NUMA", -1,
		   "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46", FLAGS_NUMA,
		   NULL);
	add_domain(result->judgement->observed, 1, "SMT", -1, "0-1",
		   "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
		   "SD_SHARE_CPUCAPACITY SD_SHARE_PKG_RESOURCES SD_PREFER_SIBLING",
		   NULL);
	domain_tree_touch(result->judgement->observed, 2);
	return result;
}

static const struct page {
	const char *file;
	struct result *(*results[3])(void);
	struct report_style style;
} pages[] = {
	{"pass.txt", {passed}, UTF8},
	{"pass-verbose.txt", {passed}, {.utf8 = true, .verbose = true}},
	{"fail.txt", {failed}, UTF8},
	{"error.txt", {broken}, UTF8},
	{"ascii.txt", {failed, broken}, {.utf8 = false}},
	{"colour.txt", {failed}, {.utf8 = true, .colour = true}},
	{"wide.txt", {wide}, UTF8},
	{"three.txt", {passed, failed, broken}, UTF8},
	{"none.txt", {NULL}, UTF8},
};

static char *page_write(const struct page *page)
{
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(result_release);
	struct report report = {.results = results, .run_folder = "results/x", .version = "0.1.0"};

	for (unsigned i = 0; i < G_N_ELEMENTS(page->results) && page->results[i]; i++)
		g_ptr_array_add(results, page->results[i]());
	return report_format_find("text")->write(&report, &page->style);
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

/* The contract: 100 columns; ASCII trees without UTF-8; nothing of the guest's own escapes. */
static void test_shape(gconstpointer data)
{
	const struct page *page = data;
	g_autofree char *text = page_write(page);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	g_assert_true(g_utf8_validate(text, -1, NULL));
	for (unsigned i = 0; lines[i]; i++) {
		if (!page->style.colour)
			g_assert_cmpint(g_utf8_strlen(lines[i], -1), <=, REPORT_WIDTH);
		for (const char *p = lines[i]; *p; p++) {
			if (!page->style.colour)
				g_assert_true((guchar)*p >= 0x20 && *p != 0x7f);
			if (!page->style.utf8)
				g_assert_true((guchar)*p < 0x80);
		}
	}
	g_assert_true(g_str_has_suffix(text, ")\n"));
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
