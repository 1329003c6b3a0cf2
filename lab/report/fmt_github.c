// SPDX-License-Identifier: GPL-2.0-only
/*
 * GitHub's workflow commands, which its runner reads from a step's output and shows as annotations:
 * "::error title=...::message". ActionCommand.cs of actions/runner says what has to be escaped: in
 * the message '%', CR and LF, in a property also ':' and ','.
 *
 * One line for each job that did not pass: of each kind the service shows ten a step and drops the
 * others unsaid.
 */
#include "report/lines.h"
#include "report/report.h"

#include <string.h>

#define ANNOTATIONS_MAX 10
#define FINDINGS_MAX	3
#define FIELD_MAX	300 /* characters */

struct annotations {
	GString *out;
	const struct report_style *style;
};

static void append_escaped(GString *out, const char *text, const char *special)
{
	for (const char *p = text; *p; p++) {
		if (*p == '%' || *p == '\r' || *p == '\n' || strchr(special, *p))
			g_string_append_printf(out, "%%%02X", (unsigned)*p);
		else
			g_string_append_c(out, *p);
	}
}

static void annotate(struct annotations *annotations, const char *command, const char *title,
		     const char *message)
{
	GString *out = annotations->out;

	g_string_append_printf(out, "::%s title=", command);
	append_escaped(out, title, ":,");
	g_string_append(out, "::");
	append_escaped(out, message, "");
	g_string_append_c(out, '\n');
}

/* @text is the guest's or the user's: nothing of it may begin a line of its own. */
static void append_field(const struct annotations *annotations, GString *message, const char *label,
			 const char *text)
{
	g_autofree char *printable =
		text ? lines_printable_cut(text, FIELD_MAX, annotations->style) : NULL;

	if (printable)
		g_string_append_printf(message, "%s%s", label, printable);
}

static void append_finding(const struct annotations *annotations, GString *message,
			   const struct check *check)
{
	g_autofree char *cpu = check->cpu >= 0 ? g_strdup_printf("%d", check->cpu) : NULL;

	if (message->len)
		g_string_append_c(message, '\n');
	append_field(annotations, message, "", check->name);
	append_field(annotations, message, ": ", check->reason);
	append_field(annotations, message, "; CPUs ", check->cpus ? check->cpus : cpu);
	if (check->level >= 0)
		g_string_append_printf(message, "; level domain%d", check->level);
	append_field(annotations, message, "; expected ", check->expected);
	append_field(annotations, message, "; observed ", check->observed);
}

/* The findings that made the verdict. */
static char *findings_text(const struct annotations *annotations, const struct result *result)
{
	const struct checks *checks = result->judgement ? result->judgement->checks : NULL;
	guint n_checks = checks ? checks_count(checks) : 0;
	GString *message = g_string_new(NULL);
	guint n = 0;

	for (guint i = 0; i < n_checks; i++) {
		const struct check *check = checks_get(checks, i);

		if (check->verdict == result_verdict(result) && n++ < FINDINGS_MAX)
			append_finding(annotations, message, check);
	}
	if (n > FINDINGS_MAX)
		g_string_append_printf(message, "\nand %u more", n - FINDINGS_MAX);
	if (n == 0)
		g_string_append(message, "nothing was judged");
	return g_string_free(message, FALSE);
}

static void annotate_result(struct annotations *annotations, const char *command,
			    const struct result *result)
{
	g_autofree char *name = g_strdup_printf("%s with %s: %s", result->topology, result->kernel,
						verdict_name(result_verdict(result)));
	g_autofree char *title = lines_printable_cut(name, FIELD_MAX, annotations->style);
	g_autofree char *message = findings_text(annotations, result);

	annotate(annotations, command, title, message);
}

/* The command for a verdict; NULL: nothing to say. */
static const char *command_of(enum verdict verdict)
{
	switch (verdict) {
	case VERDICT_PASS:
		return NULL;
	case VERDICT_SKIP:
		return "warning";
	case VERDICT_INVALID:
	case VERDICT_TIMEOUT:
	case VERDICT_FAIL:
	case VERDICT_ERROR:
	case VERDICT_COUNT:
		return "error";
	}
	return "error";
}

static void annotate_kind(struct annotations *annotations, const char *command,
			  const struct report *report)
{
	g_autofree char *rest = NULL;
	guint n = 0;

	for (guint i = 0; i < report->results->len; i++) {
		const struct result *result = report->results->pdata[i];

		if (g_strcmp0(command_of(result_verdict(result)), command) != 0)
			continue;
		/* The last place says how many found none. */
		if (++n < ANNOTATIONS_MAX)
			annotate_result(annotations, command, result);
	}
	if (n < ANNOTATIONS_MAX)
		return;
	rest = g_strdup_printf("and %u more that did not pass; the reports name them",
			       n - ANNOTATIONS_MAX + 1);
	annotate(annotations, command, "topolab", rest);
}

static char *github_write(const struct report *report, const struct report_style *style)
{
	struct annotations annotations = {.out = g_string_new(NULL), .style = style};
	g_autofree char *last = report_last_line(report);

	annotate_kind(&annotations, "error", report);
	annotate_kind(&annotations, "warning", report);
	if (report->results->len == 0)
		annotate(&annotations, "error", "topolab", "nothing was run");
	annotate(&annotations, "notice", "topolab", last);
	return g_string_free(annotations.out, FALSE);
}

const struct report_format report_format_github = {
	.name = "github",
	.file = "annotations.txt",
	.help = "GitHub's workflow commands: an annotation per job that did not pass",
	.write = github_write,
};
