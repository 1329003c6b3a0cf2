// SPDX-License-Identifier: GPL-2.0-only
/*
 * TAP version 13, https://testanything.org/tap-version-13-specification.html: one test point per
 * check and finding. It has no subtests, so that the job is part of each description.
 */
#include "report/lines.h"
#include "report/report.h"

#include <string.h>

struct tap {
	GString *out;
	const struct report_style *style;
	guint n; /* of the last test point */
};

static guint result_points(const struct result *result)
{
	/* What was not judged is a point of its own, or nobody would see it. */
	return MAX(result->judgement ? checks_count(result->judgement->checks) : 0, 1);
}

static guint report_points(const struct report *report)
{
	guint n = 0;

	for (guint i = 0; i < report->results->len; i++)
		n += result_points(report->results->pdata[i]);
	return MAX(n, 1);
}

/* In a description '#' begins a directive unless a backslash stands before it. */
static void tap_description(struct tap *tap, const char *text)
{
	g_autofree char *printable = lines_printable(text, tap->style);

	for (const char *p = printable; *p; p++) {
		if (*p == '#' || *p == '\\')
			g_string_append_c(tap->out, '\\');
		g_string_append_c(tap->out, *p);
	}
}

static void G_GNUC_PRINTF(2, 3) tap_comment(struct tap *tap, const char *format, ...)
{
	g_autofree char *text = NULL;
	g_autofree char *printable = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	printable = lines_printable(text, tap->style);
	g_string_append_printf(tap->out, "# %s\n", printable);
}

/* In double quotes, where nothing but the quote and the backslash has a meaning of its own. */
static void tap_field(struct tap *tap, const char *key, const char *text)
{
	g_autofree char *printable = text ? lines_printable(text, tap->style) : NULL;

	if (!printable)
		return;
	g_string_append_printf(tap->out, "  %s: \"", key);
	for (const char *p = printable; *p; p++) {
		if (*p == '"' || *p == '\\')
			g_string_append_c(tap->out, '\\');
		g_string_append_c(tap->out, *p);
	}
	g_string_append(tap->out, "\"\n");
}

static void tap_number(struct tap *tap, const char *key, int number)
{
	if (number >= 0)
		g_string_append_printf(tap->out, "  %s: %d\n", key, number);
}

static void tap_diagnosis(struct tap *tap, const struct check *check)
{
	g_string_append_printf(tap->out, "  ---\n  verdict: %s\n", verdict_name(check->verdict));
	tap_field(tap, "message", check->reason);
	tap_number(tap, "cpu", check->cpu);
	tap_field(tap, "cpus", check->cpus);
	tap_number(tap, "level", check->level);
	tap_field(tap, "expected", check->expected);
	tap_field(tap, "observed", check->observed);
	tap_field(tap, "rule", check->rule);
	tap_field(tap, "evidence", check->evidence);
	g_string_append(tap->out, "  ...\n");
}

static void tap_point(struct tap *tap, const struct result *result, const struct check *check)
{
	bool skipped = check->verdict == VERDICT_SKIP;
	bool ok = skipped || check->verdict == VERDICT_PASS;

	g_string_append_printf(tap->out, "%s %u - ", ok ? "ok" : "not ok", ++tap->n);
	if (result) {
		tap_description(tap, result->topology);
		g_string_append_c(tap->out, '/');
		tap_description(tap, result->kernel);
		g_string_append_c(tap->out, ' ');
	}
	tap_description(tap, check->name);
	if (skipped) {
		g_string_append(tap->out, " # SKIP ");
		tap_description(tap, check->reason ? check->reason : "no reason was given");
	}
	g_string_append_c(tap->out, '\n');
	if (!ok || (tap->style->verbose && !skipped))
		tap_diagnosis(tap, check);
}

static void tap_nothing(struct tap *tap, const struct result *result, const char *reason)
{
	tap_point(tap, result,
		  &(struct check){
			  .name = "judged",
			  .verdict = VERDICT_ERROR,
			  .cpu = -1,
			  .level = -1,
			  .reason = reason,
		  });
}

static void tap_result(struct tap *tap, const struct result *result)
{
	const struct checks *checks = result->judgement ? result->judgement->checks : NULL;
	const char *accel = g_strcmp0(result->accel, "kvm") == 0 ? "KVM" : "TCG";

	tap_comment(tap, "%s with %s: %s; kernel %s, %s, QEMU %s, libvirt %s", result->topology,
		    result->kernel, verdict_name(result_verdict(result)), result->kernel_release,
		    accel, result->qemu ? result->qemu : "not known",
		    result->libvirt ? result->libvirt : "not known");
	if (!checks || checks_count(checks) == 0)
		tap_nothing(tap, result, "nothing was judged");
	for (guint i = 0; checks && i < checks_count(checks); i++)
		tap_point(tap, result, checks_get(checks, i));
}

static char *tap_write(const struct report *report, const struct report_style *style)
{
	struct tap tap = {.out = g_string_new("TAP version 13\n"), .style = style};
	g_autofree char *last = report_last_line(report);

	g_string_append_printf(tap.out, "1..%u\n", report_points(report));
	for (guint i = 0; i < report->results->len; i++)
		tap_result(&tap, report->results->pdata[i]);
	if (report->results->len == 0)
		tap_nothing(&tap, NULL, "nothing was run");
	tap_comment(&tap, "%s", last);
	return g_string_free(tap.out, FALSE);
}

const struct report_format report_format_tap = {
	.name = "tap",
	.file = "report.tap",
	.help = "TAP version 13: a point per check, failures with YAML",
	.write = tap_write,
};
