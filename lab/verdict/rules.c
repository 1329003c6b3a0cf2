// SPDX-License-Identifier: GPL-2.0-only
/* The domains that expect/'s rows make, against those that the kernel made. */
#include "base/cpus.h"
#include "verdict/compare.h"
#include "verdict/findings.h"

#include <string.h>

#define EVIDENCE_SPANS	"proc/schedstat"
#define EVIDENCE_NAMES	"sys/kernel/debug/sched/domains"
#define EVIDENCE_GROUPS "kmsg"

/* "SMT MC NUMA", from the inside out. */
static char *chain_names(const struct domain_tree *tree, unsigned cpu)
{
	GString *names = g_string_new(NULL);

	for (unsigned i = 0; i < domain_tree_depth(tree, cpu); i++) {
		const struct domain *domain = domain_tree_get(tree, cpu, i);

		g_string_append_printf(names, "%s%s", i ? " " : "",
				       domain->name ? domain->name : "?");
	}
	if (names->len == 0)
		g_string_append(names, "no domain");
	return g_string_free(names, FALSE);
}

/* NULL when @index lies beyond the CPU's chain. */
static struct domain *chain_get(const struct domain_tree *tree, unsigned cpu, unsigned index)
{
	return index < domain_tree_depth(tree, cpu) ? domain_tree_get(tree, cpu, index) : NULL;
}

static char *domain_text(const struct domain *domain)
{
	g_autofree char *span = domain ? cpus_to_list(domain->span) : NULL;

	return domain ? g_strdup_printf("%s %s", domain->name ? domain->name : "?", span)
		      : g_strdup("no domain");
}

/*
 * The chains have different names or lengths: told once, at the innermost level that differs. What
 * lies further out would only repeat it.
 */
static bool compare_chain(const struct domain_tree *expected, const struct domain_tree *observed,
			  unsigned cpu, struct findings *findings)
{
	unsigned depth = MAX(domain_tree_depth(expected, cpu), domain_tree_depth(observed, cpu));

	for (unsigned i = 0; i < depth; i++) {
		const struct domain *want = chain_get(expected, cpu, i);
		const struct domain *got = chain_get(observed, cpu, i);
		g_autofree char *want_text = NULL, *got_text = NULL;
		g_autofree char *want_names = NULL, *got_names = NULL, *reason = NULL;

		/* A name that is not shown is no other name; domain_hides() tells of it. */
		if (want && got && (!got->name || g_strcmp0(want->name, got->name) == 0))
			continue;
		want_text = domain_text(want);
		got_text = domain_text(got);
		want_names = chain_names(expected, cpu);
		got_names = chain_names(observed, cpu);
		reason = g_strdup_printf("the chain of domains is '%s' and must be '%s'", got_names,
					 want_names);
		findings_add(findings, &(struct finding){
					       .cpu = (int)cpu,
					       .level = (int)i,
					       .expected = want_text,
					       .observed = got_text,
					       .rule = want ? want->rule : NULL,
					       .reason = reason,
					       .evidence = EVIDENCE_NAMES,
				       });
		return false;
	}
	return true;
}

static char *span_text(const struct domain *domain)
{
	return cpus_to_list(domain->span);
}

/* As words: what debugfs prints may end in a blank. */
static char *words_text(const char *flags)
{
	g_auto(GStrv) words = g_strsplit_set(flags ? flags : "", " \t\n", -1);
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; words[i]; i++)
		if (*words[i])
			g_string_append_printf(text, "%s%s", text->len ? " " : "", words[i]);
	return g_string_free(text, !flags);
}

static char *flags_text(const struct domain *domain)
{
	return words_text(domain->flags);
}

static char *groups_flags_text(const struct domain *domain)
{
	return words_text(domain->groups_flags);
}

static char *level_text(const struct domain *domain)
{
	return domain->level >= 0 ? g_strdup_printf("%d", domain->level) : NULL;
}

/*
 * Groups of one id share their capacity: init_overlap_sched_group() and get_group() take the one of
 * the first CPU that balances.
 */
static bool group_id_usual(const struct domain_group *group)
{
	return group->id < 0 || group->id == cpus_next(group->mask ?: group->span, -1);
}

/*
 * "0-1 2-3", own group first; a balance mask is told where it is not the whole group, which is also
 * when the kernel's log has it (sched_domain_debug_one()), and an id where it is another's.
 */
static char *groups_text(const struct domain *domain)
{
	GString *text;

	if (!domain->groups)
		return NULL;
	text = g_string_new(NULL);
	for (guint i = 0; i < domain->groups->len; i++) {
		const struct domain_group *group = domain->groups->pdata[i];
		g_autofree char *span = cpus_to_list(group->span);
		g_autofree char *mask = NULL;

		g_string_append_printf(text, "%s%s", i ? " " : "", span);
		if (!group_id_usual(group))
			g_string_append_printf(text, " (id %d)", group->id);
		if (!group->mask || cpus_equal(group->mask, group->span))
			continue;
		mask = cpus_to_list(group->mask);
		g_string_append_printf(text, " (mask %s)", mask);
	}
	return g_string_free(text, FALSE);
}

static const struct aspect {
	char *(*text)(const struct domain *domain); /* new; NULL where it is not shown */
	const char *says;			    /* of a domain that differs in it */
	const char *evidence;
} aspects[] = {
	{
		.text = span_text,
		.says = "spans other CPUs than the machine asks for",
		.evidence = EVIDENCE_SPANS,
	},
	{
		.text = flags_text,
		.says = "has other flags than this kernel gives it",
		.evidence = EVIDENCE_NAMES,
	},
	{
		.text = groups_flags_text,
		.says = "has other flags in its first group than this kernel gives it",
		.evidence = EVIDENCE_NAMES,
	},
	{
		.text = level_text,
		.says = "has another level number than its place in the kernel's table",
		.evidence = EVIDENCE_NAMES,
	},
	{
		.text = groups_text,
		.says = "has other groups than this kernel makes of the machine",
		.evidence = EVIDENCE_GROUPS,
	},
};

static void compare_aspect(const struct aspect *aspect, const struct domain *want,
			   const struct domain *got, unsigned cpu, struct findings *findings)
{
	g_autofree char *want_text = aspect->text(want);
	g_autofree char *got_text = aspect->text(got);
	g_autofree char *reason = NULL;

	if (!want_text || !got_text || strcmp(want_text, got_text) == 0)
		return;
	reason = g_strdup_printf("%s %s", want->name, aspect->says);
	findings_add(findings, &(struct finding){
				       .cpu = (int)cpu,
				       .level = (int)want->index,
				       .expected = want_text,
				       .observed = got_text,
				       .rule = want->rule,
				       .reason = reason,
				       .evidence = aspect->evidence,
			       });
}

static void compare_number(enum domain_number number, const struct domain *want,
			   const struct domain *got, unsigned cpu, struct findings *findings)
{
	g_autofree char *want_text = g_strdup_printf("%" G_GINT64_FORMAT, want->number[number]);
	g_autofree char *got_text = g_strdup_printf("%" G_GINT64_FORMAT, got->number[number]);
	g_autofree char *reason = NULL;

	if (want->number[number] < 0 || got->number[number] < 0 ||
	    want->number[number] == got->number[number])
		return;
	reason = g_strdup_printf("%s has another %s than this kernel gives it", want->name,
				 domain_number_name(number));
	findings_add(findings, &(struct finding){
				       .cpu = (int)cpu,
				       .level = (int)want->index,
				       .expected = want_text,
				       .observed = got_text,
				       .rule = want->rule,
				       .reason = reason,
				       .evidence = EVIDENCE_NAMES,
			       });
}

static void compare_cpu(const struct domain_tree *expected, const struct domain_tree *observed,
			unsigned cpu, struct findings *findings)
{
	findings_compared(findings, domain_tree_depth(expected, cpu));
	if (!compare_chain(expected, observed, cpu, findings))
		return;
	for (unsigned i = 0; i < domain_tree_depth(expected, cpu); i++) {
		const struct domain *want = domain_tree_get(expected, cpu, i);
		const struct domain *got = domain_tree_get(observed, cpu, i);

		for (gsize k = 0; k < G_N_ELEMENTS(aspects); k++)
			compare_aspect(&aspects[k], want, got, cpu, findings);
		for (unsigned k = 0; k < DOMAIN_NUMBER_COUNT; k++)
			compare_number(k, want, got, cpu, findings);
	}
}

/* The first of the things that @want has and the evidence does not show; NULL: all is shown. */
static const char *domain_hides(const struct domain *want, const struct domain *got)
{
	if (!got->name)
		return "name";
	if (want->flags && !got->flags)
		return "flags";
	if (want->level >= 0 && got->level < 0)
		return "level";
	if (!got->groups)
		return "groups";
	if (want->groups_flags && !got->groups_flags)
		return "first group's flags";
	for (unsigned i = 0; i < DOMAIN_NUMBER_COUNT; i++)
		if (want->number[i] >= 0 && got->number[i] < 0)
			return domain_number_name(i);
	return NULL;
}

/* What the evidence does not show cannot be judged, and must not pass for that reason. */
static void compare_shown(const struct domain_tree *expected, const struct domain_tree *observed,
			  unsigned cpu, struct findings *findings)
{
	unsigned depth = MIN(domain_tree_depth(expected, cpu), domain_tree_depth(observed, cpu));

	findings_compared(findings, 1);
	for (unsigned i = 0; i < depth; i++) {
		const struct domain *want = domain_tree_get(expected, cpu, i);
		const char *hidden = domain_hides(want, domain_tree_get(observed, cpu, i));
		g_autofree char *reason = NULL;

		if (!hidden)
			continue;
		reason = g_strdup_printf("the evidence does not show the domain's %s", hidden);
		findings_add(findings, &(struct finding){
					       .cpu = (int)cpu,
					       .level = (int)i,
					       .expected = want->name,
					       .observed = "not shown",
					       .rule = want->rule,
					       .reason = reason,
					       .evidence = EVIDENCE_NAMES,
				       });
	}
}

static void compare_cpu_sets(const struct cpus *want, const struct cpus *got, const char *reason,
			     struct findings *findings)
{
	g_autofree char *want_text = NULL, *got_text = NULL;

	if (cpus_equal(want, got))
		return;
	want_text = cpus_to_list(want);
	got_text = cpus_to_list(got);
	findings_add(findings, &(struct finding){
				       .cpu = -1,
				       .level = -1,
				       .expected = want_text,
				       .observed = got_text,
				       .reason = reason,
				       .evidence = EVIDENCE_SPANS,
			       });
}

void compare_rules(const struct domain_tree *expected, const struct domain_tree *observed,
		   const struct cpus *online, struct checks *checks)
{
	const struct cpus *want = domain_tree_cpus(expected), *got = domain_tree_cpus(observed);
	struct findings *cpus = findings_new("domains.cpus", VERDICT_ERROR, "CPUs", EVIDENCE_SPANS);
	struct findings *rules =
		findings_new("domains.rules", VERDICT_FAIL, "domains", EVIDENCE_SPANS);

	compare_cpu_sets(online, want, "the CPUs of the machine are not those that are online",
			 cpus);
	compare_cpu_sets(online, got, "schedstat shows other CPUs than those that are online",
			 cpus);
	CPUS_FOREACH (cpu, want) {
		if (!cpus_has(got, (unsigned)cpu))
			continue;
		compare_shown(expected, observed, (unsigned)cpu, cpus);
		compare_cpu(expected, observed, (unsigned)cpu, rules);
	}
	findings_close(cpus, checks);
	findings_close(rules, checks);
}
