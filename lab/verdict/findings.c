// SPDX-License-Identifier: GPL-2.0-only
#include "verdict/findings.h"

#include "base/cpus.h"

/* Distinct findings of one check that are kept and written in full; the others are counted. */
#define FINDINGS_KEPT 6

struct group {
	struct cpus *cpus; /* empty when the finding is about no CPU */
	int level;
	char *expected, *observed, *rule, *reason, *evidence;
};

struct findings {
	const char *name, *unit, *evidence;
	enum verdict verdict;
	guint compared;
	GPtrArray *groups; /* struct group *, in the order they were found */
	GHashTable *index; /* key -> struct group * */
	guint n_more;	   /* findings beyond those that are kept, and their CPUs */
	struct cpus *more_cpus;
};

static void group_free(gpointer data)
{
	struct group *group = data;

	cpus_unref(group->cpus);
	g_free(group->expected);
	g_free(group->observed);
	g_free(group->rule);
	g_free(group->reason);
	g_free(group->evidence);
	g_free(group);
}

struct findings *findings_new(const char *name, enum verdict verdict, const char *unit,
			      const char *evidence)
{
	struct findings *findings = g_new0(struct findings, 1);

	findings->name = name;
	findings->verdict = verdict;
	findings->unit = unit;
	findings->evidence = evidence;
	findings->groups = g_ptr_array_new_with_free_func(group_free);
	findings->index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	findings->more_cpus = cpus_new();
	return findings;
}

static void findings_free(struct findings *findings)
{
	g_hash_table_unref(findings->index);
	g_ptr_array_unref(findings->groups);
	cpus_unref(findings->more_cpus);
	g_free(findings);
}

void findings_compared(struct findings *findings, guint n)
{
	findings->compared += n;
}

guint findings_count_compared(const struct findings *findings)
{
	return findings->compared;
}

static const char *or_empty(const char *string)
{
	return string ? string : "";
}

/* NULL when no more are kept. */
static struct group *findings_group(struct findings *findings, const struct finding *finding)
{
	g_autofree char *key = g_strdup_printf(
		"%d\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s", finding->level, or_empty(finding->expected),
		or_empty(finding->observed), or_empty(finding->rule), or_empty(finding->reason),
		or_empty(finding->evidence));
	struct group *group = g_hash_table_lookup(findings->index, key);

	if (group || findings->groups->len == FINDINGS_KEPT)
		return group;
	group = g_new(struct group, 1);
	*group = (struct group){
		.cpus = cpus_new(),
		.level = finding->level,
		.expected = g_strdup(finding->expected),
		.observed = g_strdup(finding->observed),
		.rule = g_strdup(finding->rule),
		.reason = g_strdup(finding->reason),
		.evidence = g_strdup(finding->evidence ? finding->evidence : findings->evidence),
	};
	g_ptr_array_add(findings->groups, group);
	g_hash_table_insert(findings->index, g_steal_pointer(&key), group);
	return group;
}

void findings_add(struct findings *findings, const struct finding *finding)
{
	struct group *group = findings_group(findings, finding);

	if (!group)
		findings->n_more++;
	if (finding->cpu >= 0)
		cpus_add(group ? group->cpus : findings->more_cpus, (unsigned)finding->cpu);
}

static void findings_write_group(const struct findings *findings, const struct group *group,
				 struct checks *checks)
{
	g_autofree char *list = cpus_to_list(group->cpus);

	checks_add(checks, &(struct check){
				   .name = findings->name,
				   .verdict = findings->verdict,
				   .cpu = cpus_next(group->cpus, -1),
				   .level = group->level,
				   .cpus = *list ? list : NULL,
				   .expected = group->expected,
				   .observed = group->observed,
				   .rule = group->rule,
				   .reason = group->reason,
				   .evidence = group->evidence,
			   });
}

/* One check for all that is not kept; it still names every CPU. */
static void findings_write_more(const struct findings *findings, struct checks *checks)
{
	g_autofree char *list = cpus_to_list(findings->more_cpus);
	g_autofree char *reason =
		g_strdup_printf("and %u more findings like these, on %u CPUs", findings->n_more,
				cpus_count(findings->more_cpus));

	checks_add(checks, &(struct check){
				   .name = findings->name,
				   .verdict = findings->verdict,
				   .cpu = cpus_next(findings->more_cpus, -1),
				   .level = -1,
				   .cpus = *list ? list : NULL,
				   .reason = reason,
				   .evidence = findings->evidence,
			   });
}

/* Without a finding: did it compare anything? */
static void findings_write_clean(const struct findings *findings, struct checks *checks)
{
	g_autofree char *reason =
		findings->compared
			? g_strdup_printf("%u %s compared", findings->compared, findings->unit)
			: g_strdup_printf("there were no %s to compare, so nothing was judged",
					  findings->unit);

	checks_add(checks, &(struct check){
				   .name = findings->name,
				   .verdict = findings->compared ? VERDICT_PASS : VERDICT_ERROR,
				   .cpu = -1,
				   .level = -1,
				   .reason = reason,
				   .evidence = findings->evidence,
			   });
}

void findings_close(struct findings *findings, struct checks *checks)
{
	if (findings->groups->len == 0)
		findings_write_clean(findings, checks);
	for (guint i = 0; i < findings->groups->len; i++)
		findings_write_group(findings, findings->groups->pdata[i], checks);
	if (findings->n_more)
		findings_write_more(findings, checks);
	findings_free(findings);
}
