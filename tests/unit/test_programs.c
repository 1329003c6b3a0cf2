// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test programs: what the agent says of them, true or not, and the verdicts. Records are those of
 * lab/base/test_job.h; exit statuses those of tools/testing/selftests/kselftest.h.
 */
#include "base/error.h"
#include "run/answers.h"
#include "verdict/verdict.h"

#include <string.h>

#define HELLO	   "{\"type\":\"hello\",\"agent\":1,\"release\":\"6.12.117\",\"channel\":\"virtio\"}\n"
#define RUNNING(n) "{\"type\":\"running\",\"program\":\"" n "\"}\n"
#define ANSWER(n, how, number)                                                                     \
	"{\"type\":\"program\",\"name\":\"" n "\",\"how\":\"" how "\",\"number\":" number          \
	",\"ms\":1500,\"dropped\":0,\"left\":0}\n"
/* CRC-32 of "123456789" is 0xcbf43926, the check value of the CRC catalogue (CRC-32/ISO-HDLC). */
#define OUTPUT(n)                                                                                  \
	"{\"type\":\"blob\",\"name\":\"output." n                                                  \
	"\",\"bytes\":9,\"crc32\":3421780262}\n123456789\n"
#define BYE "{\"type\":\"bye\"}\n"

static struct program *program_add(GPtrArray *programs, const char *name, enum program_end end)
{
	struct program *program = g_new0(struct program, 1);

	program->name = g_strdup(name);
	program->end = end;
	program->seconds = 60;
	program->ms = -1;
	g_ptr_array_add(programs, program);
	return program;
}

/* Two programs were given to the guest, t.skipped was not. */
static GPtrArray *asked_for(void)
{
	GPtrArray *programs = programs_new();

	program_add(programs, "t.a", PROGRAM_UNHEARD);
	program_add(programs, "t.b", PROGRAM_UNHEARD);
	program_add(programs, "t.skipped", PROGRAM_SKIPPED)->reason = g_strdup("too old");
	return programs;
}

static GPtrArray *take(const char *stream, GError **error)
{
	GPtrArray *programs = asked_for();
	AUTO(records) *records = records_parse((const guint8 *)stream, strlen(stream), NULL);

	g_assert_nonnull(records);
	answers_take(records, programs, error);
	return programs;
}

static const struct program *nth(const GPtrArray *programs, guint i)
{
	return programs->pdata[i];
}

static void test_whole(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) programs =
		take(HELLO RUNNING("t.a") RUNNING("t.a") OUTPUT("t.a") ANSWER("t.a", "exited", "3")
			     RUNNING("t.b") ANSWER("t.b", "signalled", "11") BYE,
		     &error);

	g_assert_no_error(error);
	g_assert_cmpint(nth(programs, 0)->end, ==, PROGRAM_EXITED);
	g_assert_cmpint(nth(programs, 0)->number, ==, 3);
	g_assert_cmpint(nth(programs, 0)->ms, ==, 1500);
	g_assert_cmpstr(nth(programs, 0)->output, ==, "123456789");
	g_assert_cmpuint(nth(programs, 0)->output_length, ==, 9);
	g_assert_cmpint(nth(programs, 1)->end, ==, PROGRAM_SIGNALLED);
	g_assert_cmpint(nth(programs, 1)->number, ==, 11);
	g_assert_null(nth(programs, 1)->output);
	g_assert_cmpint(nth(programs, 2)->end, ==, PROGRAM_SKIPPED);
}

static void test_missing(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) programs = take(HELLO RUNNING("t.a") BYE, &error);

	g_assert_no_error(error);
	g_assert_cmpint(nth(programs, 0)->end, ==, PROGRAM_RUNNING);
	g_assert_cmpint(nth(programs, 1)->end, ==, PROGRAM_UNHEARD);
}

/* A program that was answered for before keeps its answer; the message says what is wrong. */
static void test_lies(void)
{
	static const struct {
		const char *record, *message;
	} lies[] = {
		{ANSWER("t.a", "exited", "0"),
		 "the agent's stream answers twice for the program 't.a'"},
		{ANSWER("t.c", "exited", "0"),
		 "the agent's stream answers for the program 't.c', which was not given to it"},
		{ANSWER("t.skipped", "exited", "0"),
		 "the agent's stream answers for the program 't.skipped', which was not given to "
		 "it"},
		{RUNNING("x\\u001b[2J"),
		 "the agent's stream answers for the program 'x\\033[2J', which was not given to "
		 "it"},
		{"{\"type\":\"program\",\"name\":7}\n",
		 "the agent's stream has an answer without a program's name"},
		{"{\"type\":\"running\"}\n",
		 "the agent's stream has an answer without a program's name"},
		{ANSWER("t.b", "skipped", "0"),
		 "the agent's stream does not say how the program 't.b' ended"},
		{ANSWER("t.b", "running", "0"),
		 "the agent's stream does not say how the program 't.b' ended"},
		{ANSWER("t.b", "vanished", "0"),
		 "the agent's stream does not say how the program 't.b' ended"},
		{ANSWER("t.b", "exited", "256"),
		 "the agent's stream has an answer whose 'number' is no number from 0 to 255"},
		{ANSWER("t.b", "exited", "-1"),
		 "the agent's stream has an answer whose 'number' is no number from 0 to 255"},
		{ANSWER("t.b", "exited", "\"0\""),
		 "the agent's stream has an answer whose 'number' is no number from 0 to 255"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(lies); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *stream =
			g_strconcat(HELLO ANSWER("t.a", "exited", "3"), lies[i].record, BYE, NULL);
		g_autoptr(GPtrArray) programs = take(stream, &error);

		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		g_assert_cmpstr(error ? error->message : NULL, ==, lies[i].message);
		g_assert_cmpint(nth(programs, 0)->number, ==, 3);
		g_assert_cmpint(nth(programs, 1)->end, ==, PROGRAM_UNHEARD);
	}
}

/* A second blob of that name is refused by the stream's own parser. */
static void test_second_output(void)
{
	static const char stream[] = HELLO OUTPUT("t.a") OUTPUT("t.a") BYE;
	g_autoptr(GError) error = NULL;
	AUTO(records) *records = records_parse_some((const guint8 *)stream, strlen(stream), &error);

	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_cmpuint(records_count(records), ==, 2);
}

/* A kernel that died in the middle of a test. */
static void test_cut(void)
{
	static const char stream[] =
		HELLO ANSWER("t.a", "exited", "0") RUNNING("t.b") "{\"type\":\"bl";
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) programs = asked_for();
	AUTO(records) *records = records_parse_some((const guint8 *)stream, strlen(stream), &error);

	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_true(answers_take(records, programs, NULL));
	g_assert_cmpint(nth(programs, 0)->end, ==, PROGRAM_EXITED);
	g_assert_cmpint(nth(programs, 1)->end, ==, PROGRAM_RUNNING);
}

struct row {
	const char *name;
	enum answer answer;
	gboolean required;
	enum program_end end;
	int number;
	unsigned left;
	gint64 dropped;
	const char *reason, *output; /* of the program */
	enum ending ending;	     /* 0: ENDING_POWEROFF */
	enum verdict verdict;
	const char *says; /* the check's reason */
};

#define TAP(lines) "TAP version 13\n" lines

static const struct row rows[] = {
	{.name = "exit-0",
	 .end = PROGRAM_EXITED,
	 .verdict = VERDICT_PASS,
	 .says = "exited with 0 after 1.5 s"},
	{.name = "exit-1",
	 .end = PROGRAM_EXITED,
	 .number = 1,
	 .output = "a\n\033[31mbad\001\n\n",
	 .verdict = VERDICT_FAIL,
	 .says = "exited with 1; its last line:  [31mbad"},
	{.name = "exit-4",
	 .end = PROGRAM_EXITED,
	 .number = 4,
	 .verdict = VERDICT_SKIP,
	 .says = "it skipped itself, without a word"},
	{.name = "exit-4-required",
	 .required = TRUE,
	 .end = PROGRAM_EXITED,
	 .number = 4,
	 .output = "no such call",
	 .verdict = VERDICT_FAIL,
	 .says = "it must run and pass on this kernel, and skipped: it skipped itself; its last "
		 "line: no such call"},
	{.name = "signal",
	 .end = PROGRAM_SIGNALLED,
	 .number = 6,
	 .output = "assertion",
	 .verdict = VERDICT_FAIL,
	 .says = "it was ended by signal 6 (Aborted); its last line: assertion"},
	{.name = "timeout",
	 .end = PROGRAM_TIMEOUT,
	 .verdict = VERDICT_TIMEOUT,
	 .says = "it was not done after 60 s, without a word"},
	{.name = "not-started",
	 .end = PROGRAM_NOT_STARTED,
	 .number = 8,
	 .verdict = VERDICT_ERROR,
	 .says = "the guest could not start it: Exec format error"},
	{.name = "left",
	 .end = PROGRAM_EXITED,
	 .left = 2,
	 .verdict = VERDICT_FAIL,
	 .says = "2 processes of it did not end when they were killed"},
	{.name = "skipped",
	 .end = PROGRAM_SKIPPED,
	 .reason = "too old",
	 .verdict = VERDICT_SKIP,
	 .says = "too old"},
	{.name = "skipped-required",
	 .required = TRUE,
	 .end = PROGRAM_SKIPPED,
	 .reason = "it does not build",
	 .verdict = VERDICT_ERROR,
	 .says = "it must run and pass on this kernel, but: it does not build"},
	{.name = "unheard",
	 .end = PROGRAM_UNHEARD,
	 .verdict = VERDICT_ERROR,
	 .says = "the guest was done and sent no answer of it"},
	{.name = "running",
	 .end = PROGRAM_RUNNING,
	 .verdict = VERDICT_ERROR,
	 .says = "the guest was done and sent no answer of it"},
	{.name = "running-dead",
	 .end = PROGRAM_RUNNING,
	 .ending = ENDING_REBOOT,
	 .verdict = VERDICT_FAIL,
	 .says = "the guest ended while it ran"},
	{.name = "running-lab-died",
	 .end = PROGRAM_RUNNING,
	 .ending = ENDING_DIED,
	 .verdict = VERDICT_SKIP,
	 .says = "the guest ended while it ran"},
	{.name = "unheard-dead",
	 .end = PROGRAM_UNHEARD,
	 .ending = ENDING_REBOOT,
	 .verdict = VERDICT_SKIP,
	 .says = "the guest ended before it began"},
	{.name = "ktap",
	 .answer = ANSWER_KTAP,
	 .end = PROGRAM_EXITED,
	 .output = TAP("1..2\nok 1 a\nok 2 b\n"),
	 .verdict = VERDICT_PASS,
	 .says = "2 subtests passed after 1.5 s"},
	{.name = "ktap-fails",
	 .answer = ANSWER_KTAP,
	 .end = PROGRAM_EXITED,
	 .number = 1,
	 .output = TAP("1..5\nok 1 a\nnot ok 2 b\nnot ok 3 c\nnot ok 4 d\nnot ok 5 e\n"),
	 .verdict = VERDICT_FAIL,
	 .says = "subtest b, c, d and 1 more failed"},
	/* It prints a failure and exits as if there was none. */
	{.name = "ktap-fails-exit-0",
	 .answer = ANSWER_KTAP,
	 .end = PROGRAM_EXITED,
	 .output = TAP("1..2\nok 1 a\nnot ok 2 b\n"),
	 .verdict = VERDICT_FAIL,
	 .says = "subtest b failed"},
	{.name = "ktap-exit-1",
	 .answer = ANSWER_KTAP,
	 .end = PROGRAM_EXITED,
	 .number = 1,
	 .output = TAP("1..1\nok 1 a\n"),
	 .verdict = VERDICT_FAIL,
	 .says = "exited with 1; its last line: ok 1 a"},
	{.name = "ktap-no-plan",
	 .answer = ANSWER_KTAP,
	 .end = PROGRAM_EXITED,
	 .output = TAP("ok 1 a\n"),
	 .verdict = VERDICT_FAIL,
	 .says = "its KTAP is not whole (there is no plan) and it exited with 0; its last line: ok "
		 "1 a"},
	{.name = "ktap-unplanned",
	 .answer = ANSWER_KTAP_UNPLANNED,
	 .end = PROGRAM_EXITED,
	 .output = "ok 1 a\n",
	 .verdict = VERDICT_PASS,
	 .says = "1 subtests passed after 1.5 s"},
	{.name = "ktap-unplanned-short",
	 .answer = ANSWER_KTAP_UNPLANNED,
	 .end = PROGRAM_EXITED,
	 .output = "1..2\nok 1 a\n",
	 .verdict = VERDICT_FAIL,
	 .says = "its KTAP is not whole (it has 1 results where 2 were planned) and it exited with "
		 "0; its last line: ok 1 a"},
	{.name = "ktap-unplanned-nothing",
	 .answer = ANSWER_KTAP_UNPLANNED,
	 .end = PROGRAM_EXITED,
	 .output = "hello\n",
	 .verdict = VERDICT_FAIL,
	 .says = "its KTAP is not whole (there is no KTAP in it) and it exited with 0; its last "
		 "line: hello"},
	{.name = "ktap-cut",
	 .answer = ANSWER_KTAP,
	 .end = PROGRAM_EXITED,
	 .dropped = 7,
	 .output = TAP("1..2\nok 1 a\n"),
	 .verdict = VERDICT_ERROR,
	 .says = "7 bytes of its output were more than are kept, and what was kept is not whole: "
		 "it has 1 results where 2 were planned"},
	{.name = "ktap-some-skipped",
	 .answer = ANSWER_KTAP,
	 .end = PROGRAM_EXITED,
	 .output = TAP("1..2\nok 1 a\nok 2 # SKIP b\n"),
	 .verdict = VERDICT_PASS,
	 .says = "1 subtests passed, 1 skipped: b"},
	{.name = "ktap-some-skipped-required",
	 .answer = ANSWER_KTAP,
	 .required = TRUE,
	 .end = PROGRAM_EXITED,
	 .output = TAP("1..2\nok 1 a\nok 2 # SKIP b\n"),
	 .verdict = VERDICT_FAIL,
	 .says = "it must run and pass on this kernel, and skipped: subtest b"},
	{.name = "ktap-all-skipped",
	 .answer = ANSWER_KTAP,
	 .end = PROGRAM_EXITED,
	 .output = TAP("1..1\nok 1 # SKIP b\n"),
	 .verdict = VERDICT_SKIP,
	 .says = "all subtests were skipped: b"},
	/* ksft_exit_skip() before any plan */
	{.name = "ktap-skips-itself",
	 .answer = ANSWER_KTAP,
	 .end = PROGRAM_EXITED,
	 .number = 4,
	 .output = TAP("1..0 # SKIP cgroup v2 isn't mounted\n"),
	 .verdict = VERDICT_SKIP,
	 .says = "it skipped itself; its last line: 1..0 # SKIP cgroup v2 isn't mounted"},
	{.name = "ktap-xfail-alone",
	 .answer = ANSWER_KTAP,
	 .end = PROGRAM_EXITED,
	 .output = TAP("1..1\nnot ok 1 a # XFAIL\n"),
	 .verdict = VERDICT_FAIL,
	 .says = "no subtest passed"},
};

static void test_verdict(gconstpointer data)
{
	const struct row *row = data;
	g_autoptr(GPtrArray) programs = programs_new();
	struct program *program = program_add(programs, "t.a", row->end);
	AUTO(checks) *checks = checks_new();
	const struct check *check;

	program->answer = row->answer;
	program->required = row->required;
	program->number = row->number;
	program->left = row->left;
	program->dropped = row->dropped;
	program->ms = 1500;
	program->reason = g_strdup(row->reason);
	program->output = g_strdup(row->output);
	program->output_length = row->output ? strlen(row->output) : 0;
	check_programs(programs, row->ending, checks);
	check = checks_get(checks, 0);
	g_assert_cmpstr(check->name, ==, "test.t.a");
	g_assert_cmpstr(verdict_name(check->verdict), ==, verdict_name(row->verdict));
	g_assert_cmpstr(check->reason, ==, row->says);
	g_assert_cmpstr(checks_get(checks, 1)->name, ==, "tests.run");
}

/* One that was skipped does not keep a job from passing; nothing but such ones does. */
static void test_weight(void)
{
	g_autoptr(GPtrArray) some = programs_new();
	g_autoptr(GPtrArray) none = programs_new();
	AUTO(checks) *checks_some = checks_new();
	AUTO(checks) *checks_none = checks_new();

	program_add(some, "t.a", PROGRAM_EXITED);
	program_add(some, "t.b", PROGRAM_SKIPPED)->reason = g_strdup("too old");
	program_add(none, "t.b", PROGRAM_SKIPPED)->reason = g_strdup("too old");
	check_programs(some, ENDING_POWEROFF, checks_some);
	check_programs(none, ENDING_POWEROFF, checks_none);
	g_assert_cmpstr(verdict_name(checks_verdict(checks_some)), ==, "PASS");
	g_assert_cmpstr(verdict_name(checks_verdict(checks_none)), ==, "SKIP");
	g_assert_cmpstr(checks_get(checks_none, 1)->reason, ==,
			"0 of 1 programs were given to the guest");
}

/* It ran, and found nothing out. */
static void test_skips_itself(void)
{
	g_autoptr(GPtrArray) programs = programs_new();
	AUTO(checks) *checks = checks_new();

	program_add(programs, "t.a", PROGRAM_EXITED)->number = 4;
	check_programs(programs, ENDING_POWEROFF, checks);
	g_assert_cmpstr(verdict_name(checks_verdict(checks)), ==, "SKIP");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/answers/whole", test_whole);
	g_test_add_func("/answers/missing", test_missing);
	g_test_add_func("/answers/lies", test_lies);
	g_test_add_func("/answers/second-output", test_second_output);
	g_test_add_func("/answers/cut", test_cut);
	g_test_add_func("/programs/weight", test_weight);
	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *name = g_strdup_printf("/programs/%s", rows[i].name);

		g_test_add_data_func(name, &rows[i], test_verdict);
	}
	g_test_add_func("/programs/skips-itself", test_skips_itself);
	return g_test_run();
}
