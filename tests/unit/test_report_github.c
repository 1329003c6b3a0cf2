// SPDX-License-Identifier: GPL-2.0-only
/*
 * What GitHub reads: annotations, taken apart by the rules of actions/runner's ActionCommand.cs,
 * and the page for GITHUB_STEP_SUMMARY, whose HTML must stay HTML whatever a guest says.
 */
#include "test_report_pages.h"

#include <string.h>

struct command {
	char *name, *title, *message;
};

static void command_clear(struct command *command)
{
	g_free(command->name);
	g_free(command->title);
	g_free(command->message);
}

static char *replace(const char *text, const char *token, const char *replacement)
{
	g_auto(GStrv) parts = g_strsplit(text, token, -1);

	return g_strjoinv(replacement, parts);
}

/* In the runner's order: '%' comes last. */
static char *unescape(const char *text, bool property)
{
	g_autofree char *cr = replace(text, "%0D", "\r");
	g_autofree char *lf = replace(cr, "%0A", "\n");
	g_autofree char *colon = property ? replace(lf, "%3A", ":") : g_strdup(lf);
	g_autofree char *comma = property ? replace(colon, "%2C", ",") : g_strdup(colon);

	return replace(comma, "%25", "%");
}

/* TryParseV2(): "::name key=value,key=value::data", blanks before it do not count. */
static bool command_parse(const char *line, struct command *command)
{
	const char *start = line + strspn(line, " \t");
	const char *end = g_str_has_prefix(start, "::") ? strstr(start + 2, "::") : NULL;
	g_autofree char *info = NULL;
	g_auto(GStrv) properties = NULL;
	char *blank;

	if (!end)
		return false;
	info = g_strndup(start + 2, (gsize)(end - start - 2));
	blank = strchr(info, ' ');
	*command = (struct command){.message = unescape(end + 2, false)};
	command->name = blank ? g_strndup(info, (gsize)(blank - info)) : g_strdup(info);
	properties = g_strsplit(blank ? blank + 1 : "", ",", -1);
	for (unsigned i = 0; properties[i]; i++) {
		g_assert_true(g_str_has_prefix(properties[i], "title="));
		g_assert_null(command->title);
		command->title = unescape(properties[i] + strlen("title="), true);
	}
	return true;
}

static char *write_report(const char *format, GPtrArray *results)
{
	struct report report = {.results = results, .run_folder = "results/x", .version = "0.1.0"};
	struct report_style style = {.utf8 = true};

	return report_format_find(format)->write(&report, &style);
}

static void assert_command(const char *line, const char *name, const char *title,
			   const char *message)
{
	struct command command = {0};

	g_assert_true(command_parse(line, &command));
	g_assert_cmpstr(command.name, ==, name);
	g_assert_cmpstr(command.title, ==, title);
	g_assert_cmpstr(command.message, ==, message);
	command_clear(&command);
}

#define INJECTION "50%25 off\n::add-mask::x\r##[error]y %0A::stop-commands::z, a:b"
/* What is left of it: the line breaks are gone, the rest is text. */
#define INJECTED "50%25 off?::add-mask::x?##[error]y %0A::stop-commands::z, a:b"

static struct result *injecting(void)
{
	struct result *result = some_result("quad", "./a,title=b::c: 100%/bzImage");

	add_check(result, "kernel.splats", VERDICT_FAIL, INJECTION);
	return result;
}

static void test_github(void)
{
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(result_release);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	g_ptr_array_add(results, passed());
	g_ptr_array_add(results, failed());
	g_ptr_array_add(results, some_result("odd", "old"));
	add_check(results->pdata[2], "kernel.acpi", VERDICT_SKIP, "no table upgrade");
	g_ptr_array_add(results, injecting());
	g_ptr_array_add(results, unjudged());
	text = write_report("github", results);
	lines = g_strsplit(text, "\n", -1);
	g_assert_cmpuint(g_strv_length(lines), ==, 6);
	assert_command(
		lines[0], "error", "quad with debian-6.12: FAIL",
		"domains.rules: MC spans other CPUs than the machine asks for; CPUs 4-7,12; "
		"level domain1; expected 4-7; observed 0-15\n"
		"domains.rules: MC spans other CPUs than the machine asks for; CPUs 4; level "
		"domain1; expected 4-7; observed "
		"1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,51,"
		"53,55,57,59,61,63");
	assert_command(lines[1], "error", "quad with ./a,title=b::c: 100%/bzImage: FAIL",
		       "kernel.splats: " INJECTED);
	assert_command(lines[2], "error", "quad with debian-6.12: ERROR", "nothing was judged");
	assert_command(lines[3], "warning", "odd with old: SKIP", "kernel.acpi: no table upgrade");
	assert_command(lines[4], "notice", "topolab",
		       "topolab: exit 3 (1 pass, 2 fail, 1 skip, 1 error)");
	g_assert_cmpstr(lines[5], ==, "");
}

static void test_github_nothing(void)
{
	g_autoptr(GPtrArray) results = g_ptr_array_new();
	g_autofree char *text = write_report("github", results);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	assert_command(lines[0], "error", "topolab", "nothing was run");
}

/* The service shows ten of a kind in a step, and says of no other. */
static void test_github_many(void)
{
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(result_release);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	unsigned n_errors = 0;

	for (unsigned i = 0; i < 25; i++)
		g_ptr_array_add(results, failed());
	text = write_report("github", results);
	lines = g_strsplit(text, "\n", -1);
	for (unsigned i = 0; lines[i]; i++)
		n_errors += g_str_has_prefix(lines[i], "::error ");
	g_assert_cmpuint(n_errors, ==, 10);
	assert_command(lines[9], "error", "topolab",
		       "and 16 more that did not pass; the reports name them");
}

/* A field that fills the log is cut, and only the first findings are told. */
static void test_github_long(void)
{
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(result_release);
	g_autofree char *reason = g_strnfill(100000, 'x');
	g_autofree char *text = NULL;

	g_ptr_array_add(results, some_result("quad", "debian-6.12"));
	for (unsigned i = 0; i < 100; i++)
		add_check(results->pdata[0], "kernel.splats", VERDICT_FAIL, reason);
	text = write_report("github", results);
	g_assert_nonnull(strstr(text, "xxx...%0Aand 97 more\n"));
	g_assert_cmpuint(strlen(text), <, 2000);
}

#define MARKUP "<img src=x onerror=y> [a](http://b) `c` @d #1 </pre></details> \n\n# heading & |"

/*
 * The HTML that is ours: without a guest's '<' every tag is one of these, and no line of a block is
 * blank, so that no Markdown begins there.
 */
static void assert_html(const char *text)
{
	static const char tags[] = "^</?(table|tr|th|td|b|code|details|summary|pre)>";
	g_auto(GStrv) blocks = g_strsplit(text, "\n\n", -1);

	for (const char *p = strchr(text, '<'); p; p = strchr(p + 1, '<'))
		if (!g_regex_match_simple(tags, p, 0, 0)) {
			g_test_fail_printf("no tag of ours: %.40s", p);
			return;
		}
	g_assert_true(g_str_has_prefix(blocks[0], "### topolab: exit "));
	for (unsigned i = 1; blocks[i]; i++) {
		bool details = g_str_has_prefix(blocks[i], "<details>");
		g_autofree char *block = g_strstrip(g_strdup(blocks[i]));

		g_assert_true(details || g_str_has_prefix(block, "<table>\n"));
		g_assert_true(g_str_has_suffix(block, details ? "</details>" : "</table>"));
		g_assert_false(g_regex_match_simple("^[ \t]*$", block, G_REGEX_MULTILINE, 0));
	}
}

static void test_markdown_hostile(void)
{
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(result_release);
	struct result *result = some_result("quad", MARKUP);
	g_autofree char *text = NULL;

	g_free(result->kernel_release);
	result->kernel_release = g_strdup(MARKUP);
	add_check(result, "kernel.splats", VERDICT_FAIL, MARKUP);
	result->judgement->observed = domain_tree_new();
	add_domain(result->judgement->observed, 0, MARKUP, -1, "0-3", MARKUP, NULL);
	domain_tree_touch(result->judgement->observed, 2);
	g_ptr_array_add(results, result);
	text = write_report("markdown", results);
	assert_html(text);
	g_assert_null(strstr(text, "<img"));
	g_assert_nonnull(strstr(text, "reason    &lt;img src=x onerror=y&gt; [a](http://b) `c` @d "
				      "#1 &lt;/pre&gt;&lt;/details&gt; ??# heading &amp; |\n"));
}

/* GitHub takes 1024 KiB of a step's summary, and of a longer one nothing. */
static void test_markdown_limit(void)
{
	g_autoptr(GPtrArray) results = g_ptr_array_new_with_free_func(result_release);
	g_autofree char *reason = g_strnfill(100000, '<');
	g_autofree char *text = NULL;

	for (unsigned i = 0; i < 200; i++) {
		struct result *result = some_result("quad", "debian-6.12");

		for (unsigned j = 0; j < 30; j++)
			checks_add(result->judgement->checks, &(struct check){
								      .name = "domains.rules",
								      .verdict = VERDICT_FAIL,
								      .cpu = -1,
								      .level = -1,
								      .reason = reason,
								      .observed = reason,
							      });
		g_ptr_array_add(results, result);
	}
	text = write_report("markdown", results);
	g_assert_cmpuint(strlen(text), <, 1024 * 1024);
	g_assert_nonnull(strstr(text, "\nand 10 more in report.txt\n"));
	assert_html(text);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/report/github/commands", test_github);
	g_test_add_func("/report/github/nothing", test_github_nothing);
	g_test_add_func("/report/github/many", test_github_many);
	g_test_add_func("/report/github/long", test_github_long);
	g_test_add_func("/report/markdown/hostile", test_markdown_hostile);
	g_test_add_func("/report/markdown/limit", test_markdown_limit);
	return g_test_run();
}
