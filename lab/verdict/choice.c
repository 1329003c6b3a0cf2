// SPDX-License-Identifier: GPL-2.0-only
/* The rules on a kernel of unknown config, which are judged as if every option were set. */
#include "expect/expect.h"
#include "verdict/compare.h"

#include <string.h>

/* A kernel without one of these makes other domains, and is none the worse for it. */
static const char *const options[] = {"SCHED_SMT", "SCHED_CLUSTER", "SCHED_MC", "NUMA"};

/* What a kernel of that release makes of the machine without @option; NULL: no rule knows. */
static struct domain_tree *expect_without(const struct expectation *expectation, const char *option)
{
	AUTO(kernel_facts) *choice =
		kernel_facts_new(kernel_facts_release(expectation->facts), NULL);
	g_autoptr(GString) config = g_string_new(NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(options); i++)
		g_string_append_printf(config, "CONFIG_%s=%s\n", options[i],
				       strcmp(options[i], option) == 0 ? "n" : "y");
	kernel_facts_set_config(choice, config->str);
	return expect_domains(expectation->topo, choice, expectation->situation, NULL);
}

static const char *option_that_explains(const struct expectation *expectation,
					const struct domain_tree *observed)
{
	for (gsize i = 0; i < G_N_ELEMENTS(options); i++) {
		AUTO(domain_tree) *expected = expect_without(expectation, options[i]);
		AUTO(checks) *checks = checks_new();

		if (expected)
			compare_rules(expected, observed, expectation->situation->online, checks);
		if (expected && checks_verdict(checks) == VERDICT_PASS)
			return options[i];
	}
	return NULL;
}

/* Whether it is a fault or somebody's choice, nobody can tell. */
static void skip_rules(const char *option, struct checks *checks)
{
	g_autofree char *reason =
		g_strdup_printf("the domains are those of a kernel without CONFIG_%s, and whether "
				"this one has it is not known",
				option);

	checks_add(checks, &(struct check){.name = "domains.rules",
					   .verdict = VERDICT_SKIP,
					   .cpu = -1,
					   .level = -1,
					   .reason = reason});
}

void check_rules(const struct expectation *expectation, const struct domain_tree *observed,
		 struct checks *checks)
{
	AUTO(checks) *found = checks_new();
	const char *option = NULL;

	compare_rules(expectation->tree, observed, expectation->situation->online, found);
	if (checks_verdict(found) == VERDICT_FAIL && !kernel_facts_config_known(expectation->facts))
		option = option_that_explains(expectation, observed);
	if (option)
		skip_rules(option, checks);
	for (guint i = 0; i < checks_count(found); i++)
		if (!option || checks_get(found, i)->verdict != VERDICT_FAIL)
			checks_add(checks, checks_get(found, i));
}
