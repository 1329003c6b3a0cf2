// SPDX-License-Identifier: GPL-2.0-only
/* Records about test programs: what was not given to the guest has no answer. */
#include "fuzz.h"

#include "run/answers.h"
#include "verdict/verdict.h"

static void add(GPtrArray *programs, const char *name, enum program_end end, enum answer answer)
{
	struct program *program = g_new0(struct program, 1);

	*program = (struct program){
		.name = g_strdup(name),
		.end = end,
		.answer = answer,
		.reason = end == PROGRAM_SKIPPED ? g_strdup("too old") : NULL,
	};
	g_ptr_array_add(programs, program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GPtrArray) programs = programs_new();
	AUTO(records) *records = records_parse_some(data, size, NULL);
	AUTO(checks) *checks = checks_new();

	add(programs, "t.a", PROGRAM_UNHEARD, ANSWER_EXIT);
	add(programs, "t.b", PROGRAM_UNHEARD, ANSWER_KTAP);
	add(programs, "t.c", PROGRAM_SKIPPED, ANSWER_KTAP);
	answers_take(records, programs, NULL);
	check_programs(programs, ENDING_POWEROFF, checks);
	if (checks_count(checks) != 4 || checks_get(checks, 2)->verdict != VERDICT_SKIP)
		__builtin_trap();
	return 0;
}
