// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of checks that quote a guest raw: in every format what comes out is text without control
 * characters. Each line of the input is one string of a check.
 */
#include "fuzz.h"

#include "report/report.h"

static const char *line_get(char *const *lines, unsigned n, unsigned i)
{
	return i < n && *lines[i] ? lines[i] : NULL;
}

static struct judgement *judgement_make(char **lines)
{
	struct judgement *judgement = g_new0(struct judgement, 1);
	unsigned n = g_strv_length(lines);

	judgement->checks = checks_new();
	for (unsigned i = 0; i < n; i += 6)
		checks_add(judgement->checks, &(struct check){
						      .name = "domains.rules",
						      .verdict = VERDICT_FAIL,
						      .cpu = -1,
						      .level = -1,
						      .reason = line_get(lines, n, i),
						      .expected = line_get(lines, n, i + 1),
						      .observed = line_get(lines, n, i + 2),
						      .rule = line_get(lines, n, i + 3),
						      .evidence = line_get(lines, n, i + 4),
						      .cpus = line_get(lines, n, i + 5),
					      });
	return judgement;
}

static struct result *result_make(const char *text)
{
	struct result *result = result_new();
	g_auto(GStrv) lines = g_strsplit(text, "\n", 64);
	unsigned n = g_strv_length(lines);

	result->topology = g_strdup("nps4");
	result->topology_text = g_strdup("");
	result->kernel = g_strdup("debian-6.12");
	/* The guest says which kernel it runs, and the console how it ended. */
	result->kernel_release = g_strdup(n ? lines[0] : "");
	result->kernel_sha256 = g_strdup("");
	result->command_line = g_strdup("");
	result->accel = g_strdup("tcg");
	result->started = g_strdup("2026-11-30T00:00:00Z");
	result->folder = g_strdup("nps4/debian-6.12");
	result->ending_detail = g_strdup(n > 1 ? lines[1] : NULL);
	result->channel_problem = g_strdup(n > 2 ? lines[2] : NULL);
	result->judgement = judgement_make(lines);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = fuzz_text(data, size);
	AUTO(result) *result = result_make(text);
	g_autoptr(GPtrArray) results = g_ptr_array_new();
	struct report report = {.results = results, .run_folder = "run", .version = "0"};

	g_ptr_array_add(results, result);
	for (unsigned i = 0; report_format_table[i]; i++) {
		g_autofree char *out = report_format_table[i]->write(
			&report, &(struct report_style){.utf8 = true, .verbose = true});

		/* JSON escapes what has to be, and is not for a terminal. */
		if (strcmp(report_format_table[i]->name, "json") != 0)
			fuzz_printable(out);
	}
	return 0;
}
