// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page for GITHUB_STEP_SUMMARY, which takes GitHub's Markdown and HTML. Everything but the first
 * lines is HTML: between a line that begins with <table> or <details> and the next blank line
 * Markdown has no meaning (CommonMark 0.31, HTML blocks, condition 6), so that HTML's own escaping
 * is all that a guest's text needs, as long as no line is blank. In <pre> and <code> the
 * service makes no links and no mentions of it either.
 */
#include "report/lines.h"
#include "report/report.h"
#include "report/tree.h"

#include <string.h>

/* The service takes 1024 KiB of a step and then nothing of it. */
#define PAGE_MAX     (960u << 10)
#define WORD_MAX     100 /* characters */
#define FIELD_MAX    500 /* characters */
#define TREE_MAX     (64u << 10)
#define FINDINGS_MAX 20

struct markdown {
	GString *out;
	const struct report *report;
	const struct report_style *style;
};

static void append_code(const struct markdown *markdown, GString *out, const char *text)
{
	g_autofree char *printable =
		lines_printable_cut(text ? text : "not known", WORD_MAX, markdown->style);
	g_autofree char *escaped = g_markup_escape_text(printable, -1);

	g_string_append_printf(out, "<code>%s</code>", escaped);
}

static void append_cell(const struct markdown *markdown, GString *out, const char *text)
{
	g_string_append(out, "<td>");
	append_code(markdown, out, text);
	g_string_append(out, "</td>");
}

static void append_row(struct markdown *markdown, const struct result *result)
{
	GString *out = markdown->out;
	bool kvm = g_strcmp0(result->accel, "kvm") == 0;

	g_string_append(out, "<tr>");
	append_cell(markdown, out, result->topology);
	append_cell(markdown, out, result->kernel);
	append_cell(markdown, out, result->kernel_release);
	g_string_append_printf(out, "<td><b>%s</b></td><td>%s</td>",
			       verdict_name(result_verdict(result)), kvm ? "KVM" : "TCG");
	if (result->wall_ms >= 0)
		g_string_append_printf(out, "<td>%.1f s</td>", (double)result->wall_ms / 1000);
	else
		g_string_append(out, "<td></td>");
	g_string_append(out, "</tr>\n");
}

static void append_table(struct markdown *markdown)
{
	g_string_append(markdown->out, "<table>\n<tr><th>machine</th><th>kernel</th>"
				       "<th>release</th><th>verdict</th><th>accelerator</th>"
				       "<th>time</th></tr>\n");
	for (guint i = 0; i < markdown->report->results->len; i++)
		append_row(markdown, markdown->report->results->pdata[i]);
	g_string_append(markdown->out, "</table>\n");
}

static void append_field(const struct markdown *markdown, GString *out, const char *label,
			 const char *text)
{
	g_autofree char *printable =
		text ? lines_printable_cut(text, FIELD_MAX, markdown->style) : NULL;
	g_autofree char *escaped = printable ? g_markup_escape_text(printable, -1) : NULL;

	if (escaped)
		g_string_append_printf(out, "  %-9s %s\n", label, escaped);
}

static void append_finding(const struct markdown *markdown, GString *out, const struct check *check)
{
	g_autofree char *cpu = check->cpu >= 0 ? g_strdup_printf("%d", check->cpu) : NULL;
	g_autofree char *level =
		check->level >= 0 ? g_strdup_printf("domain%d", check->level) : NULL;
	g_autofree char *printable = lines_printable_cut(check->name, WORD_MAX, markdown->style);
	g_autofree char *name = g_markup_escape_text(printable, -1);

	g_string_append_printf(out, "%s %s\n", verdict_name(check->verdict), name);
	append_field(markdown, out, "reason", check->reason);
	append_field(markdown, out, "CPUs", check->cpus ? check->cpus : cpu);
	append_field(markdown, out, "level", level);
	append_field(markdown, out, "expected", check->expected);
	append_field(markdown, out, "observed", check->observed);
	append_field(markdown, out, "rule", check->rule);
	append_field(markdown, out, "evidence", check->evidence);
}

/* Returns how many there are. */
static guint append_findings(const struct markdown *markdown, GString *out,
			     const struct result *result)
{
	const struct checks *checks = result->judgement ? result->judgement->checks : NULL;
	guint n_checks = checks ? checks_count(checks) : 0;
	guint n = 0;

	for (guint i = 0; i < n_checks; i++) {
		const struct check *check = checks_get(checks, i);

		if (check->verdict != VERDICT_PASS && n++ < FINDINGS_MAX)
			append_finding(markdown, out, check);
	}
	if (n > FINDINGS_MAX)
		g_string_append_printf(out, "and %u more in report.txt\n", n - FINDINGS_MAX);
	if (n_checks == 0)
		g_string_append(out, "ERROR nothing was judged\n");
	return n_checks ? n : 1;
}

static void append_tree(const struct markdown *markdown, GString *out, const struct result *result)
{
	g_autofree char *tree = NULL;
	g_auto(GStrv) lines = NULL;

	if (!result->judgement || !result->judgement->observed)
		return;
	tree = report_tree(result->judgement->observed,
			   &(struct report_style){.utf8 = markdown->style->utf8});
	if (strlen(tree) > TREE_MAX) {
		g_string_append(out, "the domains are in report.txt\n");
		return;
	}
	lines = g_strsplit(tree, "\n", -1);
	for (unsigned i = 0; lines[i]; i++) {
		g_autofree char *escaped = g_markup_escape_text(lines[i], -1);

		/* A blank line would end the HTML. */
		if (*g_strstrip(lines[i]))
			g_string_append_printf(out, "%s\n", escaped);
	}
}

static void append_details(struct markdown *markdown, const struct result *result)
{
	g_autoptr(GString) body = g_string_new(NULL);
	g_autoptr(GString) details = g_string_new("\n<details><summary>");
	guint n = append_findings(markdown, body, result);

	append_tree(markdown, body, result);
	append_code(markdown, details, result->topology);
	g_string_append(details, " with ");
	append_code(markdown, details, result->kernel);
	g_string_append_printf(details, ": %s", verdict_name(result_verdict(result)));
	if (n)
		g_string_append_printf(details, ", %u finding%s", n, n == 1 ? "" : "s");
	g_string_append_printf(details, "</summary>\n<pre>\n%s</pre>\n</details>\n", body->str);
	if (markdown->out->len + details->len <= PAGE_MAX)
		g_string_append_len(markdown->out, details->str, (gssize)details->len);
}

static char *markdown_write(const struct report *report, const struct report_style *style)
{
	struct markdown markdown = {.out = g_string_new(NULL), .report = report, .style = style};
	g_autofree char *last = report_last_line(report);

	g_string_append_printf(markdown.out, "### %s\n\n", last);
	if (report->results->len == 0)
		g_string_append(markdown.out, "Nothing was run.\n");
	else
		append_table(&markdown);
	for (guint i = 0; i < report->results->len; i++)
		append_details(&markdown, report->results->pdata[i]);
	return g_string_free(markdown.out, FALSE);
}

const struct report_format report_format_markdown = {
	.name = "markdown",
	.file = "summary.md",
	.help = "a table and what failed, for GitHub's job summary",
	.write = markdown_write,
};
