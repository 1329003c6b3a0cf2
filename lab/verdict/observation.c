// SPDX-License-Identifier: GPL-2.0-only
#include "verdict/observation.h"

#include "base/cpus.h"
#include "base/error.h"
#include "base/root.h"
#include "base/steps.h"
#include "expect/step.h"
#include "observe/observe.h"

#include <stdio.h>
#include <string.h>

struct seen {
	const struct judgement *judgement;
	struct root *evidence;
	GPtrArray *log, *console; /* struct kernel_message *; NULL: none */
};

struct observation {
	const struct kind *kind;
	char *text;
	char **words; /* behind the kind's name, the last one with all that is left */
};

struct kind {
	const char *name, *usage;
	unsigned n_words;
	bool (*holds)(char **words, const struct seen *seen, char **shown);
};

struct seen *seen_new(const struct judgement *judgement, GBytes *evidence, const char *console,
		      gsize console_length)
{
	struct seen *seen = g_new0(struct seen, 1);

	seen->judgement = judgement;
	if (evidence)
		seen->evidence = evidence_open(evidence, NULL);
	if (seen->evidence)
		seen->log = observe_kernel_log(seen->evidence, NULL);
	if (console)
		seen->console = observe_console(console, console_length);
	return seen;
}

void seen_free(struct seen *seen)
{
	if (!seen)
		return;
	root_unref(seen->evidence);
	g_clear_pointer(&seen->log, g_ptr_array_unref);
	g_clear_pointer(&seen->console, g_ptr_array_unref);
	g_free(seen);
}

/* Takes @found over, which is NULL where nothing is shown. */
static bool compare(char *found, const char *wanted, char **shown)
{
	bool same = g_strcmp0(found, wanted) == 0;

	if (same)
		g_free(found);
	else
		*shown = found ? found : g_strdup("not shown");
	return same;
}

/* "0/2": domain2 of CPU 0; NULL: there is none. */
static const struct domain *domain_at(const struct seen *seen, const char *place)
{
	const struct domain_tree *tree = seen->judgement->observed;
	unsigned cpu, index;

	if (!tree || sscanf(place, "%u/%u", &cpu, &index) != 2)
		return NULL;
	return domain_tree_get(tree, cpu, index);
}

/* "MC 0-1; NUMA 0-5", or "none" */
static bool holds_chain(char **words, const struct seen *seen, char **shown)
{
	const struct domain_tree *tree = seen->judgement->observed;
	unsigned cpu = (unsigned)g_ascii_strtoull(words[0], NULL, 10);
	GString *chain;

	if (!tree || !cpus_has(domain_tree_cpus(tree), cpu))
		return compare(NULL, words[1], shown);
	chain = g_string_new(NULL);
	for (unsigned i = 0; i < domain_tree_depth(tree, cpu); i++) {
		const struct domain *domain = domain_tree_get(tree, cpu, i);
		g_autofree char *span = cpus_to_list(domain->span);

		g_string_append_printf(chain, "%s%s %s", i ? "; " : "", domain->name ?: "?", span);
	}
	if (!chain->len)
		g_string_append(chain, "none");
	return compare(g_string_free(chain, FALSE), words[1], shown);
}

static const struct cpus *group_span(const struct domain_group *group)
{
	return group->span;
}

/* The kernel's log leaves a mask out that is the whole group. */
static const struct cpus *group_mask(const struct domain_group *group)
{
	return group->mask ?: group->span;
}

static bool compare_groups(char **words, const struct seen *seen, char **shown,
			   const struct cpus *(*part)(const struct domain_group *group))
{
	const struct domain *domain = domain_at(seen, words[0]);
	GString *groups;

	if (!domain || !domain->groups)
		return compare(NULL, words[1], shown);
	groups = g_string_new(NULL);
	for (guint i = 0; i < domain->groups->len; i++) {
		g_autofree char *list = cpus_to_list(part(domain->groups->pdata[i]));

		g_string_append_printf(groups, "%s%s", i ? " " : "", list);
	}
	return compare(g_string_free(groups, FALSE), words[1], shown);
}

/* "0-1 2-3", own group first */
static bool holds_groups(char **words, const struct seen *seen, char **shown)
{
	return compare_groups(words, seen, shown, group_span);
}

/* The same of the balance masks */
static bool holds_masks(char **words, const struct seen *seen, char **shown)
{
	return compare_groups(words, seen, shown, group_mask);
}

/* "has FLAG" or "lacks FLAG" */
static bool flag_holds(const char *flags, char **words, char **shown)
{
	g_auto(GStrv) list = flags ? g_strsplit(flags, " ", -1) : NULL;
	bool has = list && g_strv_contains((const char *const *)list, words[2]);

	if (list && has == (strcmp(words[1], "has") == 0))
		return true;
	*shown = g_strdup(flags ?: "not shown");
	return false;
}

static bool holds_flag(char **words, const struct seen *seen, char **shown)
{
	const struct domain *domain = domain_at(seen, words[0]);

	return flag_holds(domain ? domain->flags : NULL, words, shown);
}

static bool holds_groups_flag(char **words, const struct seen *seen, char **shown)
{
	const struct domain *domain = domain_at(seen, words[0]);

	return flag_holds(domain ? domain->groups_flags : NULL, words, shown);
}

static bool holds_number(char **words, const struct seen *seen, char **shown)
{
	const struct domain *domain = domain_at(seen, words[0]);
	enum domain_number number;
	gint64 value =
		domain && domain_number_from_name(words[1], &number) ? domain->number[number] : -1;

	return compare(value < 0 ? NULL : g_strdup_printf("%" G_GINT64_FORMAT, value), words[2],
		       shown);
}

/* debugfs' level: the place in the kernel's table, before any domain was removed */
static bool holds_level(char **words, const struct seen *seen, char **shown)
{
	const struct domain *domain = domain_at(seen, words[0]);

	return compare(domain && domain->level >= 0 ? g_strdup_printf("%d", domain->level) : NULL,
		       words[1], shown);
}

/* A file of the evidence, in one line. */
static char *file_text(const struct seen *seen, const char *path)
{
	char *text = seen->evidence ? root_read(seen->evidence, NULL, "%s", path) : NULL;

	return text ? g_strdelimit(g_strstrip(text), "\n\t", ' ') : NULL;
}

static bool holds_file(char **words, const struct seen *seen, char **shown)
{
	return compare(file_text(seen, words[0]), words[1], shown);
}

static bool holds_no_file(char **words, const struct seen *seen, char **shown)
{
	if (!seen->evidence)
		return compare(NULL, "", shown);
	if (!root_has(seen->evidence, "%s", words[0]))
		return true;
	*shown = file_text(seen, words[0]);
	return false;
}

static const char *message_with(const GPtrArray *log, const char *text)
{
	for (guint i = 0; log && i < log->len; i++) {
		const struct kernel_message *message = log->pdata[i];

		if (strstr(message->text, text))
			return message->text;
	}
	return NULL;
}

static const char *said(const struct seen *seen, const char *text)
{
	return message_with(seen->log, text) ?: message_with(seen->console, text);
}

static bool holds_log(char **words, const struct seen *seen, char **shown)
{
	if (said(seen, words[0]))
		return true;
	*shown = g_strdup("the kernel did not say that");
	return false;
}

static bool holds_no_log(char **words, const struct seen *seen, char **shown)
{
	const char *text = said(seen, words[0]);

	if (!text && seen->log)
		return true;
	*shown = g_strdup(text ?: "not shown");
	return false;
}

static bool check_failed(const struct seen *seen, const char *name)
{
	for (guint i = 0; i < checks_count(seen->judgement->checks); i++) {
		const struct check *check = checks_get(seen->judgement->checks, i);

		if (strcmp(check->name, name) == 0 && check->verdict == VERDICT_FAIL)
			return true;
	}
	return false;
}

static bool holds_fails(char **words, const struct seen *seen, char **shown)
{
	if (check_failed(seen, words[0]))
		return true;
	*shown = g_strdup_printf("no check '%s' fails", words[0]);
	return false;
}

/* As the sentence of FILE without its folders: sys/devices/system/cpu/WHAT. */
static bool holds_cpus(char **words, const struct seen *seen, char **shown)
{
	g_autofree char *path = g_strconcat("sys/devices/system/cpu/", words[0], NULL);
	char *text = file_text(seen, path);

	return compare(text && !*text ? (g_free(text), g_strdup("none")) : text, words[1], shown);
}

/* "0 try offline 7", "EBUSY try offline 7" */
static bool holds_answer(char **words, const struct seen *seen, char **shown)
{
	AUTO(step) *step = step_parse(words[1], NULL);
	g_autofree char *answer =
		seen->evidence ? root_read(seen->evidence, NULL, STEPS_MEMBER) : NULL;

	return compare(step && answer ? step_answer(step, answer) : NULL, words[0], shown);
}

static const struct kind kinds[] = {
	{"chain", "chain CPU NAME SPAN; NAME SPAN (or none)", 2, holds_chain},
	{"groups", "groups CPU/DOMAIN SPAN SPAN", 2, holds_groups},
	{"masks", "masks CPU/DOMAIN LIST LIST", 2, holds_masks},
	{"flag", "flag CPU/DOMAIN has|lacks FLAG", 3, holds_flag},
	{"groups-flag", "groups-flag CPU/DOMAIN has|lacks FLAG", 3, holds_groups_flag},
	{"number", "number CPU/DOMAIN NAME VALUE", 3, holds_number},
	{"level", "level CPU/DOMAIN NUMBER", 2, holds_level},
	{"cpus", "cpus online|possible|present|isolated LIST", 2, holds_cpus},
	{"answer", "answer 0|ERRNO try STEP", 2, holds_answer},
	{"file", "file MEMBER TEXT", 2, holds_file},
	{"no-file", "no-file MEMBER", 1, holds_no_file},
	{"log", "log TEXT", 1, holds_log},
	{"no-log", "no-log TEXT", 1, holds_no_log},
	{"fails", "fails CHECK", 1, holds_fails},
};

static const struct kind *kind_find(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

static struct observation *error_unknown(const char *text, GError **error)
{
	g_autoptr(GString) usages = g_string_new(NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		g_string_append_printf(usages, "%s'%s'", i ? ", " : "", kinds[i].usage);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "'%.200s' is nothing that can be observed; observations are %s", text,
		    usages->str);
	return NULL;
}

struct observation *observation_parse(const char *text, GError **error)
{
	const char *blank = strchr(text, ' ');
	g_autofree char *name = blank ? g_strndup(text, (gsize)(blank - text)) : NULL;
	const struct kind *kind = name ? kind_find(name) : NULL;
	g_auto(GStrv) words = kind ? g_strsplit(blank + 1, " ", (int)kind->n_words) : NULL;
	struct observation *observation;

	if (!kind || g_strv_length(words) != kind->n_words || !*words[kind->n_words - 1])
		return error_unknown(text, error);
	observation = g_new0(struct observation, 1);
	observation->kind = kind;
	observation->text = g_strdup(text);
	observation->words = g_steal_pointer(&words);
	return observation;
}

void observation_free(struct observation *observation)
{
	if (!observation)
		return;
	g_free(observation->text);
	g_strfreev(observation->words);
	g_free(observation);
}

const char *observation_text(const struct observation *observation)
{
	return observation->text;
}

bool observation_holds(const struct observation *observation, const struct seen *seen, char **shown)
{
	*shown = NULL;
	return observation->kind->holds(observation->words, seen, shown);
}

const char *observation_failing_check(const struct observation *observation)
{
	return observation->kind->holds == holds_fails ? observation->words[0] : NULL;
}
