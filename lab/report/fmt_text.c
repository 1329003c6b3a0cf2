// SPDX-License-Identifier: GPL-2.0-only
/* The report for a human: what was run, what the kernel built, what was judged, what failed. */
#include "report/lines.h"
#include "report/look.h"
#include "report/report.h"
#include "report/tree.h"

#include <string.h>

struct page {
	GString *out;
	const struct report *report;
	const struct report_style *style;
};

static const char *const colours[] = {
	[VERDICT_PASS] = "\033[32m",	[VERDICT_SKIP] = "\033[33m", [VERDICT_INVALID] = "\033[33m",
	[VERDICT_TIMEOUT] = "\033[31m", [VERDICT_FAIL] = "\033[31m", [VERDICT_ERROR] = "\033[35m",
};
_Static_assert(G_N_ELEMENTS(colours) == VERDICT_COUNT, "a verdict has no colour");

static void page_verdict(struct page *page, enum verdict verdict)
{
	bool colour = page->style->colour;

	g_string_append_printf(page->out, "%s%s%s", colour ? colours[verdict] : "",
			       verdict_name(verdict), colour ? "\033[0m" : "");
}

/* A line "  label     text", wrapped; nothing for NULL. */
static void page_field(struct page *page, const char *label, const char *text)
{
	g_autofree char *first = g_strdup_printf("  %-9s ", label);
	g_autofree char *printable = text ? lines_printable(text, page->style) : NULL;

	if (printable)
		lines_wrap(page->out, first, "            ", printable);
}

static void page_accelerator(struct page *page)
{
	guint n_tcg = 0;

	for (guint i = 0; i < page->report->results->len; i++) {
		const struct result *result = page->report->results->pdata[i];

		n_tcg += g_strcmp0(result->accel, "tcg") == 0;
	}
	if (n_tcg)
		g_string_append_printf(page->out,
				       "%s under TCG, QEMU's emulator, not KVM: the "
				       "verdicts hold, times do not.\n\n",
				       n_tcg == page->report->results->len ? "Guests ran"
									   : "Some guests ran");
}

static void page_header(struct page *page, const struct result *result)
{
	g_autofree char *name = g_strdup_printf("%s with %s: ", result->topology, result->kernel);
	g_autofree char *printable = lines_printable(name, page->style);

	g_string_append(page->out, printable);
	page_verdict(page, result_verdict(result));
	g_string_append_c(page->out, '\n');
}

static void append_part(GString *text, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void append_part(GString *text, const char *format, ...)
{
	va_list args;

	if (text->len)
		g_string_append(text, ", ");
	va_start(args, format);
	g_string_append_vprintf(text, format, args);
	va_end(args);
}

static void page_look(struct page *page, const struct look *look)
{
	g_autofree char *places = look_places_text(look);
	g_autofree char *parts = look_parts_text(look);

	page_field(page, "vCPUs", places);
	page_field(page, "look", parts);
}

static void page_run(struct page *page, const struct result *result)
{
	g_autoptr(GString) kernel = g_string_new(result->kernel_release);
	g_autoptr(GString) run = g_string_new(NULL);

	if (result->kernel_package)
		append_part(kernel, "%s", result->kernel_package);
	page_field(page, "kernel", kernel->str);
	if (result->accel)
		append_part(run, "%s", strcmp(result->accel, "kvm") == 0 ? "KVM" : "TCG");
	if (result->qemu)
		append_part(run, "QEMU %s", result->qemu);
	if (result->libvirt)
		append_part(run, "libvirt %s", result->libvirt);
	append_part(run, "%.4g vCPUs per host CPU", result->vcpus_per_host_cpu);
	if (result->boot_ms >= 0)
		append_part(run, "booted in %.1f s", (double)result->boot_ms / 1000);
	if (result->wall_ms >= 0)
		append_part(run, "%.1f s in all", (double)result->wall_ms / 1000);
	page_field(page, "run", run->str);
	if (result->boots > 1) {
		g_autofree char *spoilt = g_strdup_printf(
			"%u; QEMU's TCG spoilt the ones before, see the README", result->boots);

		page_field(page, "boots", spoilt);
	}
	if (result->ending != ENDING_POWEROFF)
		page_field(page, "ending", ending_name(result->ending));
	if (result->look)
		page_look(page, result->look);
	if (result->traced) {
		g_autofree char *traces = g_strdup_printf(
			"traces.log: the console with %u lines of source", result->traced);

		page_field(page, "traces", traces);
	}
}

static void page_tree(struct page *page, const struct result *result)
{
	g_autofree char *tree = NULL;

	if (!result->judgement || !result->judgement->observed)
		return;
	tree = report_tree(result->judgement->observed, page->style);
	if (*tree)
		g_string_append_printf(page->out, "\n%s", tree);
}

/* What the check compared, on a line of its own. */
static void page_passed_check(struct page *page, const struct check *check)
{
	g_autofree char *first = g_strdup_printf("  %-9s %-23s ", "PASS", check->name);
	g_autofree char *rest = g_strnfill(strlen(first), ' ');
	g_autofree char *reason = lines_printable(check->reason ? check->reason : "", page->style);

	lines_wrap(page->out, first, rest, reason);
}

/* The checks that passed: their names, or with verbose a line each. */
static void page_passed(struct page *page, const struct checks *checks)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);

		if (check->verdict != VERDICT_PASS)
			continue;
		if (page->style->verbose)
			page_passed_check(page, check);
		else
			g_string_append_printf(names, "%s%s", names->len ? " " : "", check->name);
	}
	if (names->len)
		page_field(page, "PASS", names->str);
}

/* Checks that did not pass, by name: one line each, and how often. */
static void page_summary(struct page *page, const struct checks *checks)
{
	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);
		const struct check *before = i ? checks_get(checks, i - 1) : NULL;
		guint n = 1;

		if (check->verdict == VERDICT_PASS)
			continue;
		if (before && strcmp(before->name, check->name) == 0 &&
		    before->verdict == check->verdict)
			continue;
		while (i + n < checks_count(checks) &&
		       strcmp(checks_get(checks, i + n)->name, check->name) == 0 &&
		       checks_get(checks, i + n)->verdict == check->verdict)
			n++;
		g_string_append(page->out, "  ");
		page_verdict(page, check->verdict);
		g_string_append_printf(page->out, "%*s%s",
				       10 - (int)strlen(verdict_name(check->verdict)), "",
				       check->name);
		if (n > 1)
			g_string_append_printf(page->out, " (%u findings)", n);
		g_string_append_c(page->out, '\n');
	}
}

static void page_checks(struct page *page, const struct result *result)
{
	g_string_append_c(page->out, '\n');
	if (!result->judgement || checks_count(result->judgement->checks) == 0) {
		page_field(page, "ERROR", "nothing was judged");
		return;
	}
	page_passed(page, result->judgement->checks);
	page_summary(page, result->judgement->checks);
}

static void page_finding(struct page *page, const struct check *check)
{
	g_autofree char *level = NULL;
	g_autofree char *cpu = NULL;

	g_string_append_c(page->out, '\n');
	page_verdict(page, check->verdict);
	g_string_append_printf(page->out, " %s\n", check->name);
	if (check->cpu >= 0)
		cpu = g_strdup_printf("%d", check->cpu);
	if (check->level >= 0)
		level = g_strdup_printf("domain%d", check->level);
	page_field(page, "reason", check->reason);
	page_field(page, "CPUs", check->cpus ? check->cpus : cpu);
	page_field(page, "level", level);
	page_field(page, "expected", check->expected);
	page_field(page, "observed", check->observed);
	page_field(page, "rule", check->rule);
	page_field(page, "evidence", check->evidence);
}

static void page_findings(struct page *page, const struct result *result)
{
	const struct checks *checks = result->judgement ? result->judgement->checks : NULL;

	for (guint i = 0; checks && i < checks_count(checks); i++)
		if (checks_get(checks, i)->verdict != VERDICT_PASS)
			page_finding(page, checks_get(checks, i));
}

static void page_folder(struct page *page, const struct result *result)
{
	g_autofree char *folder = g_build_filename(page->report->run_folder,
						   result->folder ? result->folder : "", NULL);

	g_string_append_c(page->out, '\n');
	if (result->known)
		page_field(page, "known", result->known);
	page_field(page, "files", folder);
}

static char *text_write(const struct report *report, const struct report_style *style)
{
	struct page page = {.out = g_string_new(NULL), .report = report, .style = style};
	g_autofree char *last = report_last_line(report);

	page_accelerator(&page);
	for (guint i = 0; i < report->results->len; i++) {
		const struct result *result = report->results->pdata[i];

		page_header(&page, result);
		page_run(&page, result);
		page_tree(&page, result);
		page_checks(&page, result);
		page_findings(&page, result);
		page_folder(&page, result);
		g_string_append_c(page.out, '\n');
	}
	g_string_append_printf(page.out, "%s\n", last);
	return g_string_free(page.out, FALSE);
}

const struct report_format report_format_text = {
	.name = "text",
	.file = "report.txt",
	.help = "for people: domains, checks, every failure in full",
	.write = text_write,
};
