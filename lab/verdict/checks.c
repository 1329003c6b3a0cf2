// SPDX-License-Identifier: GPL-2.0-only
#include "base/names.h"
#include "verdict/verdict.h"

ENUM_NAMES(verdict, VERDICT_COUNT, [VERDICT_PASS] = "PASS", [VERDICT_SKIP] = "SKIP",
	   [VERDICT_INVALID] = "INVALID", [VERDICT_TIMEOUT] = "TIMEOUT", [VERDICT_FAIL] = "FAIL",
	   [VERDICT_ERROR] = "ERROR")

struct checks {
	GArray *array;	       /* struct check */
	GStringChunk *strings; /* what they point to: findings repeat their sentences */
};

struct checks *checks_new(void)
{
	struct checks *checks = g_new(struct checks, 1);

	checks->array = g_array_new(FALSE, FALSE, sizeof(struct check));
	checks->strings = g_string_chunk_new(4096);
	return checks;
}

void checks_free(struct checks *checks)
{
	if (!checks)
		return;
	g_array_unref(checks->array);
	g_string_chunk_free(checks->strings);
	g_free(checks);
}

guint checks_count(const struct checks *checks)
{
	return checks->array->len;
}

const struct check *checks_get(const struct checks *checks, guint i)
{
	return &g_array_index(checks->array, struct check, i);
}

static const char *checks_keep(struct checks *checks, const char *string)
{
	return string ? g_string_chunk_insert_const(checks->strings, string) : NULL;
}

void checks_add(struct checks *checks, const struct check *check)
{
	struct check copy = *check;

	copy.name = checks_keep(checks, check->name);
	copy.cpus = checks_keep(checks, check->cpus);
	copy.expected = checks_keep(checks, check->expected);
	copy.observed = checks_keep(checks, check->observed);
	copy.rule = checks_keep(checks, check->rule);
	copy.reason = checks_keep(checks, check->reason);
	copy.evidence = checks_keep(checks, check->evidence);
	g_array_append_val(checks->array, copy);
}

enum verdict checks_verdict(const struct checks *checks)
{
	enum verdict worst = VERDICT_PASS;

	if (checks->array->len == 0)
		return VERDICT_ERROR;
	for (guint i = 0; i < checks->array->len; i++) {
		const struct check *check = checks_get(checks, i);

		if (check->verdict != VERDICT_SKIP ||
		    !g_str_has_prefix(check->name, CHECK_TEST_PREFIX))
			worst = MAX(worst, check->verdict);
	}
	return worst;
}
