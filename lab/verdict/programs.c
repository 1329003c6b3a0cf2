// SPDX-License-Identifier: GPL-2.0-only
#include "verdict/programs.h"

#include "base/names.h"
#include "base/test_job.h"
#include "observe/ktap.h"
#include "verdict/verdict.h"

#include <string.h>

ENUM_NAMES(answer, ANSWER_COUNT, [ANSWER_EXIT] = "exit", [ANSWER_KTAP] = "ktap",
	   [ANSWER_KTAP_UNPLANNED] = "ktap-unplanned")

ENUM_NAMES(program_end, PROGRAM_END_COUNT, [PROGRAM_SKIPPED] = "skipped",
	   [PROGRAM_UNHEARD] = "unheard", [PROGRAM_RUNNING] = "running",
	   [PROGRAM_EXITED] = "exited", [PROGRAM_SIGNALLED] = "signalled",
	   [PROGRAM_TIMEOUT] = "timeout", [PROGRAM_NOT_STARTED] = "not-started")

/* Of a program's last line so much is quoted. */
#define LINE_SHOWN 200

/* What one program's check says. */
struct finding_of_program {
	enum verdict verdict;
	char *reason, *expected, *observed;
};

void program_free(struct program *program)
{
	if (!program)
		return;
	g_free(program->name);
	g_free(program->reason);
	g_free(program->output);
	g_free(program);
}

static void program_release(gpointer program)
{
	program_free(program);
}

GPtrArray *programs_new(void)
{
	return g_ptr_array_new_with_free_func(program_release);
}

bool program_name_is_sane(const char *name)
{
	gsize length = strlen(name);

	return length > 0 && length <= TEST_NAME_MAX && *name != '.' &&
	       strspn(name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_.") == length;
}

/* The last line that says something, as text that a terminal can bear; NULL: there is none. */
static char *last_line(const struct program *program)
{
	g_autofree char *valid =
		program->output ? g_utf8_make_valid(program->output, -1) : g_strdup("");
	g_auto(GStrv) lines = g_strsplit(valid, "\n", -1);
	const char *last = NULL;
	g_autofree char *cut = NULL;

	for (unsigned i = 0; lines[i]; i++)
		if (*g_strstrip(lines[i]))
			last = lines[i];
	if (!last)
		return NULL;
	cut = g_utf8_substring(last, 0, MIN(g_utf8_strlen(last, -1), LINE_SHOWN));
	for (char *p = cut; *p; p++)
		if (g_ascii_iscntrl(*p))
			*p = ' ';
	g_strchomp(cut);
	return g_steal_pointer(&cut);
}

static char *with_last_line(const struct program *program, const char *sentence)
{
	g_autofree char *line = last_line(program);

	return line ? g_strdup_printf("%s; its last line: %s", sentence, line)
		    : g_strdup_printf("%s, without a word", sentence);
}

static void say(struct finding_of_program *finding, enum verdict verdict, char *reason)
{
	finding->verdict = verdict;
	finding->reason = reason;
}

static void judge_skip(const struct program *program, char *why, struct finding_of_program *finding)
{
	g_autofree char *reason = why;

	if (program->required)
		say(finding, VERDICT_FAIL,
		    g_strconcat("it must run and pass on this kernel, and skipped: ", reason,
				NULL));
	else
		say(finding, VERDICT_SKIP, g_steal_pointer(&reason));
}

static void judge_exit(const struct program *program, struct finding_of_program *finding)
{
	if (program->number == 0) {
		say(finding, VERDICT_PASS,
		    g_strdup_printf("exited with 0 after %.1f s", (double)program->ms / 1000));
	} else if (program->number == PROGRAM_EXIT_SKIP) {
		judge_skip(program, with_last_line(program, "it skipped itself"), finding);
	} else {
		g_autofree char *sentence = g_strdup_printf("exited with %d", program->number);

		say(finding, VERDICT_FAIL, with_last_line(program, sentence));
	}
}

/* "a, b and 3 more" */
static char *list_some(const GPtrArray *names)
{
	GString *text = g_string_new(NULL);
	guint shown = MIN(names->len, 3);

	for (guint i = 0; i < shown; i++)
		g_string_append_printf(text, "%s%s", i ? ", " : "", (const char *)names->pdata[i]);
	if (names->len > shown)
		g_string_append_printf(text, " and %u more", names->len - shown);
	return g_string_free(text, FALSE);
}

/* The KTAP it printed was whole and nothing in it failed. */
static void judge_ktap_good(const struct program *program, const struct ktap *ktap,
			    struct finding_of_program *finding)
{
	g_autofree char *skipped = list_some(ktap->skipped);

	if (ktap->n_passed == 0 && ktap->skipped->len > 0)
		judge_skip(program, g_strdup_printf("all subtests were skipped: %s", skipped),
			   finding);
	else if (program->number == PROGRAM_EXIT_SKIP && ktap->n_passed == 0)
		judge_skip(program, with_last_line(program, "it skipped itself"), finding);
	else if (program->number != 0)
		judge_exit(program, finding);
	else if (ktap->n_passed == 0)
		say(finding, VERDICT_FAIL, g_strdup("no subtest passed"));
	else if (program->required && ktap->skipped->len > 0)
		judge_skip(program, g_strdup_printf("subtest %s", skipped), finding);
	else if (ktap->skipped->len > 0)
		say(finding, VERDICT_PASS,
		    g_strdup_printf("%u subtests passed, %u skipped: %s", ktap->n_passed,
				    ktap->skipped->len, skipped));
	else
		say(finding, VERDICT_PASS,
		    g_strdup_printf("%u subtests passed after %.1f s", ktap->n_passed,
				    (double)program->ms / 1000));
}

static void judge_ktap(const struct program *program, struct finding_of_program *finding)
{
	AUTO(ktap) *ktap = ktap_parse(program->output ?: "", program->output_length);

	if (!ktap->problem && !ktap->planned && program->answer == ANSWER_KTAP)
		ktap->problem = g_strdup("there is no plan");

	if (ktap->failed->len > 0) {
		g_autofree char *failed = list_some(ktap->failed);

		finding->expected = g_strdup("every subtest passes");
		finding->observed =
			g_strdup_printf("%u passed, %u failed, %u skipped", ktap->n_passed,
					ktap->failed->len, ktap->skipped->len);
		say(finding, VERDICT_FAIL, g_strdup_printf("subtest %s failed", failed));
	} else if (program->number == PROGRAM_EXIT_SKIP && ktap->n_passed == 0) {
		/* ksft_exit_skip() may come before any plan. */
		judge_skip(program, with_last_line(program, "it skipped itself"), finding);
	} else if (ktap->problem && program->dropped) {
		say(finding, VERDICT_ERROR,
		    g_strdup_printf("%" G_GINT64_FORMAT " bytes of its output were more than are "
				    "kept, and what was kept is not whole: %s",
				    program->dropped, ktap->problem));
	} else if (ktap->problem) {
		g_autofree char *sentence =
			g_strdup_printf("its KTAP is not whole (%s) and it exited with %d",
					ktap->problem, program->number);

		say(finding, VERDICT_FAIL, with_last_line(program, sentence));
	} else {
		judge_ktap_good(program, ktap, finding);
	}
}

static bool guest_is_healthy(enum ending ending)
{
	return ending == ENDING_POWEROFF || ending == ENDING_UP;
}

/* The agent's last word about it. */
static void judge_end(const struct program *program, enum ending ending,
		      struct finding_of_program *finding)
{
	g_autofree char *sentence = NULL;

	switch (program->end) {
	case PROGRAM_SKIPPED:
		if (program->required)
			say(finding, VERDICT_ERROR,
			    g_strconcat("it must run and pass on this kernel, but: ",
					program->reason, NULL));
		else
			say(finding, VERDICT_SKIP, g_strdup(program->reason));
		break;
	case PROGRAM_UNHEARD:
	case PROGRAM_RUNNING:
		if (guest_is_healthy(ending))
			say(finding, VERDICT_ERROR,
			    g_strdup("the guest was done and sent no answer of it"));
		else if (program->end == PROGRAM_UNHEARD)
			say(finding, VERDICT_SKIP, g_strdup("the guest ended before it began"));
		else
			say(finding, ending == ENDING_REBOOT ? VERDICT_FAIL : VERDICT_SKIP,
			    g_strdup("the guest ended while it ran"));
		break;
	case PROGRAM_EXITED:
		if (program->answer == ANSWER_EXIT)
			judge_exit(program, finding);
		else
			judge_ktap(program, finding);
		break;
	case PROGRAM_SIGNALLED:
		sentence = g_strdup_printf("it was ended by signal %d (%s)", program->number,
					   g_strsignal(program->number));
		say(finding, VERDICT_FAIL, with_last_line(program, sentence));
		break;
	case PROGRAM_TIMEOUT:
		sentence = g_strdup_printf("it was not done after %u s", program->seconds);
		say(finding, VERDICT_TIMEOUT, with_last_line(program, sentence));
		break;
	case PROGRAM_NOT_STARTED:
		say(finding, VERDICT_ERROR,
		    g_strdup_printf("the guest could not start it: %s",
				    g_strerror(program->number)));
		break;
	case PROGRAM_END_COUNT:
		break;
	}
}

static enum verdict check_program(const struct program *program, enum ending ending,
				  struct checks *checks)
{
	g_autofree char *name = g_strconcat(CHECK_TEST_PREFIX, program->name, NULL);
	g_autofree char *file = g_strdup_printf("tests/%s.log", program->name);
	struct finding_of_program finding = {0};

	judge_end(program, ending, &finding);
	if (finding.verdict < VERDICT_FAIL && program->left) {
		g_free(finding.reason);
		say(&finding, VERDICT_FAIL,
		    g_strdup_printf("%u processes of it did not end when they were killed",
				    program->left));
	}
	checks_add(checks, &(struct check){
				   .name = name,
				   .verdict = finding.verdict,
				   .cpu = -1,
				   .level = -1,
				   .expected = finding.expected,
				   .observed = finding.observed,
				   .reason = finding.reason,
				   .evidence = program->output ? file : NULL,
			   });
	g_free(finding.reason);
	g_free(finding.expected);
	g_free(finding.observed);
	return finding.verdict;
}

void check_programs(const GPtrArray *programs, enum ending ending, struct checks *checks)
{
	unsigned n_given = 0, n_judged = 0;
	g_autofree char *reason = NULL;

	for (guint i = 0; i < programs->len; i++) {
		const struct program *program = programs->pdata[i];

		n_given += program->end != PROGRAM_SKIPPED;
		n_judged += check_program(program, ending, checks) != VERDICT_SKIP;
	}
	reason = g_strdup_printf("%u of %u programs were given to the guest", n_given,
				 programs->len);
	checks_add(checks, &(struct check){
				   .name = "tests.run",
				   /* Nothing that was asked for was found out. */
				   .verdict = n_judged ? VERDICT_PASS : VERDICT_SKIP,
				   .cpu = -1,
				   .level = -1,
				   .reason = reason,
			   });
}
