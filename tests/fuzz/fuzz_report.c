// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reports of checks that quote a guest raw: in every format what comes out is text without control
 * characters, and for GitHub nothing of it is a workflow command, a tag or a line of the guest's.
 * Each line of the input is one string of a check.
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

/* One job and the last line: an error at most, and a notice. */
static void require_github(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	unsigned n = g_strv_length(lines);

	FUZZ_REQUIRE(n == 3);
	FUZZ_REQUIRE(g_str_has_prefix(lines[0], "::error title=nps4 with debian-6.12%3A "));
	FUZZ_REQUIRE(g_str_has_prefix(lines[1], "::notice title=topolab::topolab: exit "));
}

/* The table and the job's details, each an HTML block that a blank line would end. */
static void require_markdown(const char *text)
{
	g_auto(GStrv) blocks = g_strsplit(text, "\n\n", -1);

	FUZZ_REQUIRE(g_strv_length(blocks) == 3);
	FUZZ_REQUIRE(g_str_has_prefix(blocks[1], "<table>\n"));
	FUZZ_REQUIRE(g_str_has_prefix(blocks[2], "<details><summary>"));
	FUZZ_REQUIRE(!g_regex_match_simple("^[ \t]+$", text, G_REGEX_MULTILINE, 0));
	for (const char *p = strchr(text, '<'); p; p = strchr(p + 1, '<'))
		FUZZ_REQUIRE(g_regex_match_simple(
			"^</?(table|tr|th|td|b|code|details|summary|pre)>", p, 0, 0));
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
		if (strcmp(report_format_table[i]->name, "github") == 0)
			require_github(out);
		if (strcmp(report_format_table[i]->name, "markdown") == 0)
			require_markdown(out);
	}
	return 0;
}
