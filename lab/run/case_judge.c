// SPDX-License-Identifier: GPL-2.0-only
/* What a kernel shows of a case, and which case explains what a kernel shows. */
#include "run/case.h"

#include <string.h>

/* The first observation of @look that does not hold, with what is there instead; NULL: all do. */
static const struct observation *look_differs(const struct case_look *look, const struct seen *seen,
					      char **shown)
{
	for (guint i = 0; i < look->observations->len; i++) {
		const struct observation *observation = look->observations->pdata[i];

		if (!observation_holds(observation, seen, shown))
			return observation;
	}
	return NULL;
}

static bool look_holds(const struct case_look *look, const struct seen *seen)
{
	g_autofree char *shown = NULL;

	return !look_differs(look, seen, &shown);
}

static bool look_tells_of(const struct case_look *look, const char *check)
{
	for (guint i = 0; i < look->observations->len; i++)
		if (g_strcmp0(observation_failing_check(look->observations->pdata[i]), check) == 0)
			return true;
	return false;
}

/* A check that failed and that @look does not tell of; NULL: none. */
static const struct check *unexpected_failure(const struct case_look *look,
					      const struct judgement *judgement)
{
	for (guint i = 0; i < checks_count(judgement->checks); i++) {
		const struct check *check = checks_get(judgement->checks, i);

		if (check->verdict == VERDICT_FAIL && !look_tells_of(look, check->name))
			return check;
	}
	return NULL;
}

static const struct check *check_with(const struct judgement *judgement, enum verdict verdict)
{
	for (guint i = 0; i < checks_count(judgement->checks); i++)
		if (checks_get(judgement->checks, i)->verdict == verdict)
			return checks_get(judgement->checks, i);
	return NULL;
}

/* A job that was not judged to its end says nothing of the case. */
static bool not_judged(const struct judgement *judgement, enum case_verdict *verdict, char **reason)
{
	static const struct {
		enum verdict of_job;
		enum case_verdict of_case;
	} rows[] = {
		{VERDICT_ERROR, CASE_ERROR},
		{VERDICT_TIMEOUT, CASE_TIMEOUT},
		{VERDICT_INVALID, CASE_ERROR},
		{VERDICT_SKIP, CASE_SKIP},
	};
	enum verdict whole = checks_verdict(judgement->checks);

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		const struct check *check =
			whole == rows[i].of_job ? check_with(judgement, whole) : NULL;

		if (whole != rows[i].of_job)
			continue;
		*verdict = rows[i].of_case;
		*reason =
			check ? g_strdup_printf("%s: %s", check->name, check->reason ?: "no reason")
			      : g_strdup("nothing was judged");
		return true;
	}
	return false;
}

static char *say_difference(const struct case_look *look, const struct seen *seen)
{
	g_autofree char *shown = NULL;
	const struct observation *observation = look_differs(look, seen, &shown);

	return g_strdup_printf("'%s' is not so, but '%s'", observation_text(observation), shown);
}

static const struct case_look *wrong_look(const struct case_file *file, const struct seen *seen)
{
	for (guint i = 1; i < file->looks->len; i++)
		if (look_holds(file->looks->pdata[i], seen))
			return file->looks->pdata[i];
	return NULL;
}

/* The kernel does not show what it must. */
static char *say_wrong(const struct case_file *file, const struct case_look *wanted,
		       const struct seen *seen)
{
	const struct case_look *wrong = wrong_look(file, seen);
	g_autofree char *difference = say_difference(wanted, seen);

	if (!wrong)
		return g_strdup_printf("%s: %s", wanted->name, difference);
	return g_strdup_printf("it shows what is wrong, '%s': %s", wrong->name, difference);
}

static char *say_unexpected(const struct check *check)
{
	return g_strdup_printf("'%s' fails, which the case does not tell of: %s", check->name,
			       check->reason ?: "no reason");
}

static enum case_verdict judge_right(const struct case_file *file,
				     const struct judgement *judgement, const struct seen *seen,
				     char **reason)
{
	const struct case_look *right = file->looks->pdata[0];
	const struct check *failure;

	if (!look_holds(right, seen)) {
		*reason = say_wrong(file, right, seen);
		return CASE_FAIL;
	}
	failure = unexpected_failure(right, judgement);
	*reason = failure ? say_unexpected(failure) : NULL;
	return failure ? CASE_FAIL : CASE_PASS;
}

static enum case_verdict judge_wrong(const struct case_file *file, const struct case_kernel *known,
				     unsigned version, const struct judgement *judgement,
				     const struct seen *seen, char **reason)
{
	const struct case_look *right = file->looks->pdata[0];
	const struct check *failure;

	if (look_holds(known->look, seen)) {
		failure = unexpected_failure(known->look, judgement);
		*reason = failure ? say_unexpected(failure) : g_strdup(known->look->name);
		return failure ? CASE_FAIL : CASE_KNOWN_BUG;
	}
	if (!look_holds(right, seen)) {
		*reason = say_wrong(file, known->look, seen);
		return CASE_FAIL;
	}
	/* A later patch level of the series may have been mended. */
	if (version > known->version)
		return judge_right(file, judgement, seen, reason);
	*reason = g_strdup_printf("it is right, and '%s' is recorded of this very version",
				  known->look->name);
	return CASE_FIXED;
}

enum case_verdict case_judge(const struct case_file *file, const struct case_kernel *known,
			     unsigned version, const struct judgement *judgement,
			     const struct seen *seen, char **reason)
{
	enum case_verdict verdict;

	*reason = NULL;
	if (not_judged(judgement, &verdict, reason))
		return verdict;
	if (known && known->version)
		return judge_wrong(file, known, version, judgement, seen, reason);
	return judge_right(file, judgement, seen, reason);
}

static const struct case_look *explains(const struct case_file *file,
					const struct judgement *judgement, const struct seen *seen)
{
	for (guint i = 1; i < file->looks->len; i++)
		if (look_holds(file->looks->pdata[i], seen) &&
		    !unexpected_failure(file->looks->pdata[i], judgement))
			return file->looks->pdata[i];
	return NULL;
}

char *case_known(const struct topo *topo, const struct judgement *judgement,
		 const struct seen *seen)
{
	g_auto(GStrv) names = case_list();

	if (checks_verdict(judgement->checks) != VERDICT_FAIL)
		return NULL;
	for (unsigned i = 0; names[i]; i++) {
		AUTO(case_file) *file = case_find(names[i], NULL);
		/* CPU numbers mean nothing on another machine. */
		const char *machine = !file ? NULL : file->topology ? file->topology : file->name;

		if (machine && strcmp(machine, topo_name(topo)) == 0 &&
		    explains(file, judgement, seen))
			return g_strdup_printf("%s: %s", file->name, file->title);
	}
	return NULL;
}
