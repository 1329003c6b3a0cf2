// SPDX-License-Identifier: GPL-2.0-only
/* What a whole run came to. */
#include "report/report.h"

#include "base/error.h"

#include <string.h>

const struct report_format *report_format_find(const char *name)
{
	for (guint i = 0; report_format_table[i]; i++)
		if (strcmp(report_format_table[i]->name, name) == 0)
			return report_format_table[i];
	return NULL;
}

const struct report_format *report_format_require(const char *name, GError **error)
{
	const struct report_format *format = report_format_find(name);
	g_autoptr(GString) known = g_string_new(NULL);

	if (format)
		return format;
	for (guint i = 0; report_format_table[i]; i++)
		g_string_append_printf(known, "%s%s", i ? ", " : "", report_format_table[i]->name);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "there is no report format '%s', the formats are: %s", name, known->str);
	return NULL;
}

char *report_format_notes(void)
{
	GString *notes = g_string_new("Formats of --format:\n");

	for (guint i = 0; report_format_table[i]; i++)
		g_string_append_printf(notes, "  %-8s %s\n", report_format_table[i]->name,
				       report_format_table[i]->help);
	return g_string_free(notes, FALSE);
}

static void report_count(const struct report *report, guint counts[VERDICT_COUNT])
{
	memset(counts, 0, VERDICT_COUNT * sizeof(counts[0]));
	for (guint i = 0; i < report->results->len; i++)
		counts[result_verdict(report->results->pdata[i])]++;
}

/* One machine that fails proves a commit bad; what was not judged proves it neither good nor bad.
 */
static int bisect_status(const guint *counts, guint n)
{
	if (counts[VERDICT_FAIL] || counts[VERDICT_TIMEOUT])
		return 1;
	return n && counts[VERDICT_PASS] == n ? 0 : BISECT_SKIP;
}

int report_exit_status(const struct report *report)
{
	guint counts[VERDICT_COUNT];

	report_count(report, counts);
	if (report->bisect)
		return bisect_status(counts, report->results->len);
	/* A run without a job judged nothing. */
	if (counts[VERDICT_ERROR] || report->results->len == 0)
		return 3;
	/* A situation that was never reached fails its suite. */
	if (counts[VERDICT_FAIL] || counts[VERDICT_TIMEOUT] || counts[VERDICT_INVALID])
		return 1;
	if (report->require_all && counts[VERDICT_SKIP])
		return 77;
	return counts[VERDICT_PASS] ? 0 : 77;
}

char *report_last_line(const struct report *report)
{
	guint counts[VERDICT_COUNT];
	GString *line;

	report_count(report, counts);
	line = g_string_new(NULL);
	g_string_printf(line, "topolab: exit %d (%u pass, %u fail, %u skip, %u error",
			report_exit_status(report), counts[VERDICT_PASS], counts[VERDICT_FAIL],
			counts[VERDICT_SKIP], counts[VERDICT_ERROR]);
	if (counts[VERDICT_TIMEOUT])
		g_string_append_printf(line, ", %u timeout", counts[VERDICT_TIMEOUT]);
	if (counts[VERDICT_INVALID])
		g_string_append_printf(line, ", %u invalid", counts[VERDICT_INVALID]);
	g_string_append_c(line, ')');
	return g_string_free(line, FALSE);
}
