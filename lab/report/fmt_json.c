// SPDX-License-Identifier: GPL-2.0-only
#include "report/report.h"

/* One job is its result.json; several are an array of them. */
static char *json_write(const struct report *report, const struct report_style *style)
{
	json_t *root = NULL;
	char *text;

	(void)style;
	if (report->results->len == 1) {
		root = result_to_json(report->results->pdata[0]);
	} else {
		root = json_array();
		for (guint i = 0; i < report->results->len; i++)
			json_array_append_new(root, result_to_json(report->results->pdata[i]));
	}
	text = report_json_text(root);
	json_decref(root);
	return text;
}

const struct report_format report_format_json = {
	.name = "json",
	.file = "run.json",
	.help = "result.json of one job, an array of them for several",
	.write = json_write,
};
