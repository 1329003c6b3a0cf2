// SPDX-License-Identifier: GPL-2.0-only
#include "report/report.h"

/* One job is its result.json; several are an array of them. */
static char *json_write(const struct report *report, const struct report_style *style)
{
	json_t *root = NULL;
	g_autofree char *text = NULL;
	char *lines;

	(void)style;
	if (report->results->len == 1) {
		root = result_to_json(report->results->pdata[0]);
	} else {
		root = json_array();
		for (guint i = 0; i < report->results->len; i++)
			json_array_append_new(root, result_to_json(report->results->pdata[i]));
	}
	text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	json_decref(root);
	lines = g_strdup_printf("%s\n", text);
	return lines;
}

const struct report_format report_format_json = {
	.name = "json",
	.suffix = "report.json",
	.help = "the results as JSON: one object for one job, an array otherwise",
	.write = json_write,
};
