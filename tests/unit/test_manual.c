// SPDX-License-Identifier: GPL-2.0-only
/* The man page and the completion say all that the parser takes; bash completes with them. */
#include "../run_topolab.h"

#include "base/spawn.h"
#include "cmd/command.h"
#include "cmd/generate.h"
#include "cmd/placeholder.h"

#include <string.h>

static void assert_holds(const char *text, const char *before, const char *name, const char *after)
{
	g_autofree char *part = g_strconcat(before, name, after, NULL);

	if (!strstr(text, part))
		g_test_fail_printf("'%s' is missing", part);
}

static void test_commands(void)
{
	g_autofree char *manual = generate_manual();
	g_autofree char *completion = generate_completion();

	for (unsigned i = 0; command_table[i]; i++) {
		const struct command *command = command_table[i];

		if (command->hidden) {
			g_autofree char *heading =
				g_strdup_printf(".SS topolab %s\n", command->name);

			g_assert_null(strstr(manual, heading));
			continue;
		}
		assert_holds(manual, ".SS topolab ", command->name, "");
		assert_holds(completion, "\t", command->name, ":-*)\n");
		for (const struct argp_option *option = command->options; option && option->name;
		     option++) {
			g_auto(GStrv) words = g_strsplit(option->name, "-", -1);
			g_autofree char *roff = g_strjoinv("\\-", words);

			assert_holds(manual, "\\-\\-", roff, "");
			assert_holds(completion, " --", option->name, "");
		}
	}
}

/* groff_man(7), "Portability": a line that begins with a dot or an apostrophe is a request. */
static void test_requests(void)
{
	static const char *const known[] = {".TH", ".SH", ".SS", ".TP", ".PP", ".B",
					    ".BR", ".I",  ".RI", ".br", NULL};
	g_autofree char *manual = generate_manual();
	g_auto(GStrv) lines = g_strsplit(manual, "\n", -1);

	g_assert_true(g_str_has_prefix(manual, ".TH TOPOLAB 1 "));
	for (unsigned i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", 2);

		g_assert_true(lines[i][0] != '\'');
		if (lines[i][0] == '.' && !g_strv_contains((const char *const *)known, words[0]))
			g_test_fail_printf("'%s' is no request that a man page needs", lines[i]);
	}
}

static void assert_offers(const char *synopsis, unsigned kinds, const char *names,
			  const char *words)
{
	struct offers *offers = offers_new(synopsis);
	g_autofree char *got_names = NULL;
	g_autofree char *got_words = NULL;

	g_ptr_array_add(offers->names, NULL);
	g_ptr_array_add(offers->words, NULL);
	got_names = g_strjoinv(" ", (char **)offers->names->pdata);
	got_words = g_strjoinv(" ", (char **)offers->words->pdata);
	g_assert_cmpuint(offers->kinds, ==, kinds);
	g_assert_cmpstr(got_names, ==, names);
	g_assert_cmpstr(got_words, ==, words);
	offers_free(offers);
}

static void test_placeholders(void)
{
	assert_offers(NULL, 0, "", "");
	assert_offers("", 0, "", "");
	assert_offers("TOPOLOGY...", OFFER_FILES, "topologies", "");
	assert_offers("auto|kvm|tcg", 0, "", "auto kvm tcg");
	assert_offers("K", OFFER_FILES, "kernels", "");
	assert_offers("RUN|JOB|result.json", OFFER_FOLDERS, "", "result.json");
	assert_offers("[prune --max SIZE]", 0, "", "prune");
	assert_offers("N", 0, "", "");
	assert_offers("RESULT RESULT", OFFER_FILES, "", "");
}

/* What bash offers for the last of @words; they are separated by blanks. */
static char *complete(const char *words)
{
	static const char script[] =
		"eval \"$1\"; COMP_WORDS=($2); [[ $2 != *' ' ]] || COMP_WORDS+=('')\n"
		"COMP_WORDS[0]=$3; COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _topolab\n"
		"printf '%s\\n' \"${COMPREPLY[@]}\"";
	g_autofree char *completion = generate_completion();
	g_autofree char *topolab = topolab_path();
	const char *argv[] = {"bash", "-c", script, "-", completion, words, topolab, NULL};
	g_autoptr(GError) error = NULL;
	char *output = NULL;

	spawn_run(argv, NULL, &output, &error);
	g_assert_no_error(error);
	return output;
}

static void assert_completed(const char *words, const char *one)
{
	g_autofree char *output = complete(words);
	g_auto(GStrv) lines = g_strsplit(output, "\n", -1);

	if (!g_strv_contains((const char *const *)lines, one))
		g_test_fail_printf("'%s' is completed by '%s', not by '%s'", words, output, one);
}

static void test_bash(void)
{
	assert_completed("topolab ", "run");
	assert_completed("topolab ju", "judge");
	assert_completed("topolab run np", "nps4-mini");
	assert_completed("topolab run nps4 --kernel debian-6", "debian-6.12");
	assert_completed("topolab run nps4 -k d", "debian-7.3");
	assert_completed("topolab run nps4 --accel k", "kvm");
	assert_completed("topolab run nps4 --accel = t", "tcg");
	assert_completed("topolab run nps4 --accel =", "auto");
	assert_completed("topolab run nps4 --format ", "text");
	assert_completed("topolab run nps4 --off", "--offline");
	assert_completed("topolab list k", "kernels");
}

static void test_bash_nothing(void)
{
	g_autofree char *number = complete("topolab run nps4 --jobs ");
	g_autofree char *hidden = complete("topolab wor");

	g_assert_cmpstr(number, ==, "\n");
	g_assert_cmpstr(hidden, ==, "\n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/manual/commands", test_commands);
	g_test_add_func("/manual/requests", test_requests);
	g_test_add_func("/completion/placeholders", test_placeholders);
	g_test_add_func("/completion/bash", test_bash);
	g_test_add_func("/completion/bash/nothing", test_bash_nothing);
	return g_test_run();
}
