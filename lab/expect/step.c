// SPDX-License-Identifier: GPL-2.0-only
#include "expect/step.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

#define CPU_FOLDER    "/sys/devices/system/cpu"
#define CGROUP_FOLDER "/sys/fs/cgroup"
#define WORDS_MAX     4
/* Before a step that the kernel may refuse. */
#define TRY "try "

struct step {
	const struct step_kind *kind;
	char *text;
	char **words; /* behind the kind's name */
	bool may_fail;
	int refusal; /* the errno value that the guest answered; 0: done, or not known yet */
};

struct target {
	const struct topo *topo;
	struct situation *situation;
};

struct step_kind {
	const char *name, *usage;
	unsigned min_words, max_words;
	/* False: a word is wrong. NULL: any word will do. */
	bool (*check)(char **words);
	void (*act)(const struct step *step, GString *actions);
	/* NULL: it changes nothing that the rules look at. */
	bool (*apply)(const struct step *step, const struct target *target, GError **error);
};

static void replace(struct cpus **set, struct cpus *fresh)
{
	cpus_unref(*set);
	*set = fresh;
}

/* @fresh, which is taken over, are online now; of those that went @last was the last. */
static void replace_online(struct situation *situation, struct cpus *fresh, int last)
{
	if (!cpus_subset(fresh, situation->online))
		situation->last_gone = -1;
	else if (!cpus_equal(fresh, situation->online))
		situation->last_gone = last;
	replace(&situation->online, fresh);
}

static bool words_are_cpus(char **words)
{
	AUTO(cpus) *cpus = cpus_parse_list(words[0], NULL);

	return cpus && !cpus_is_empty(cpus);
}

/* In the order of the text: "5,2-3" is 5, 2, 3. */
static GArray *cpus_in_order(const char *list)
{
	g_auto(GStrv) parts = g_strsplit(list, ",", -1);
	GArray *order = g_array_new(FALSE, FALSE, sizeof(unsigned));

	for (unsigned i = 0; parts[i]; i++) {
		AUTO(cpus) *part = cpus_parse_list(parts[i], NULL);

		CPUS_FOREACH (cpu, part) {
			unsigned number = (unsigned)cpu;

			g_array_append_val(order, number);
		}
	}
	return order;
}

static void act_hotplug(const struct step *step, GString *actions, unsigned online)
{
	g_autoptr(GArray) order = cpus_in_order(step->words[0]);

	for (guint i = 0; i < order->len; i++)
		g_string_append_printf(actions, "write " CPU_FOLDER "/cpu%u/online %u\n",
				       g_array_index(order, unsigned, i), online);
}

static void act_offline(const struct step *step, GString *actions)
{
	act_hotplug(step, actions, 0);
}

static void act_online(const struct step *step, GString *actions)
{
	act_hotplug(step, actions, 1);
}

static bool error_no_cpu(const struct step *step, const struct target *target, GError **error)
{
	g_autofree char *list = cpus_to_list(target->situation->present);

	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "step '%s' is about CPUs that '%s' does not have with this kernel: it has %s",
		    step->text, topo_name(target->topo), list);
	return false;
}

/* CPU 0 has no 'online' file: arch/x86/kernel/topology.c of 6.1 with BOOTPARAM_HOTPLUG_CPU0 off. */
static bool apply_offline(const struct step *step, const struct target *target, GError **error)
{
	AUTO(cpus) *cpus = cpus_parse_list(step->words[0], NULL);
	g_autoptr(GArray) order = cpus_in_order(step->words[0]);
	struct cpus *online;
	int last = -1;

	if (cpus_has(cpus, 0)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "step '%s' takes CPU 0 offline, which no x86 kernel does", step->text);
		return false;
	}
	if (!cpus_subset(cpus, target->situation->present))
		return error_no_cpu(step, target, error);
	for (guint i = 0; i < order->len; i++)
		if (cpus_has(target->situation->online, g_array_index(order, unsigned, i)))
			last = (int)g_array_index(order, unsigned, i);
	online = cpus_copy(target->situation->online);
	cpus_andnot(online, cpus);
	replace_online(target->situation, online, last);
	return true;
}

static bool apply_online(const struct step *step, const struct target *target, GError **error)
{
	AUTO(cpus) *cpus = cpus_parse_list(step->words[0], NULL);
	struct cpus *online;

	if (!cpus_subset(cpus, target->situation->present))
		return error_no_cpu(step, target, error);
	online = cpus_copy(target->situation->online);
	cpus_or(online, cpus);
	replace_online(target->situation, online, -1);
	return true;
}

static bool words_are_switch(char **words)
{
	return strcmp(words[0], "on") == 0 || strcmp(words[0], "off") == 0;
}

static void act_smt(const struct step *step, GString *actions)
{
	g_string_append_printf(actions, "write " CPU_FOLDER "/smt/control %s\n", step->words[0]);
}

static unsigned first_thread(const struct topo *topo, unsigned cpu)
{
	CPUS_FOREACH (other, topo_mask(topo, TOPO_CORE, cpu))
		if (topo_cpu(topo, (unsigned)other)->thread == 0)
			return (unsigned)other;
	return cpu;
}

/* cpuhp_smt_enable(), kernel/cpu.c: also CPUs that were taken offline one by one. */
static struct cpus *smt_enable(const struct target *target)
{
	const struct situation *situation = target->situation;
	struct cpus *online = cpus_copy(situation->online);

	CPUS_FOREACH (cpu, situation->present)
		if (!situation->smt_by_core ||
		    cpus_has(online, first_thread(target->topo, (unsigned)cpu)))
			cpus_add(online, (unsigned)cpu);
	return online;
}

/* cpuhp_smt_disable(): one by one, the highest number last. */
static struct cpus *smt_disable(const struct target *target, int *last)
{
	struct cpus *online = cpus_copy(target->situation->online);

	CPUS_FOREACH (cpu, target->situation->online) {
		if (topo_cpu(target->topo, (unsigned)cpu)->thread == 0)
			continue;
		cpus_remove(online, (unsigned)cpu);
		*last = cpu;
	}
	return online;
}

/* __store_smt_control(): what is so already stays as it is, whichever CPUs are offline. */
static bool apply_smt(const struct step *step, const struct target *target, GError **error)
{
	struct situation *situation = target->situation;
	bool on = strcmp(step->words[0], "on") == 0;
	struct cpus *online;
	int last = -1;

	(void)error;
	if (on == situation->smt_on)
		return true;
	situation->smt_on = on;
	online = on ? smt_enable(target) : smt_disable(target, &last);
	replace_online(situation, online, last);
	return true;
}

/* NAME CPUS root|isolated */
static bool words_are_cpuset(char **words)
{
	for (const char *p = words[0]; *p; p++)
		if (!g_ascii_isalnum(*p))
			return false;
	return words_are_cpus(words + 1) &&
	       (strcmp(words[2], "root") == 0 || strcmp(words[2], "isolated") == 0);
}

static void act_cpuset(const struct step *step, GString *actions)
{
	const char *name = step->words[0];

	g_string_append(actions, "mount cgroup2 " CGROUP_FOLDER "\n");
	g_string_append(actions, "write " CGROUP_FOLDER "/cgroup.subtree_control +cpuset\n");
	g_string_append_printf(actions, "mkdir " CGROUP_FOLDER "/%s\n", name);
	g_string_append_printf(actions, "write " CGROUP_FOLDER "/%s/cpuset.cpus %s\n", name,
			       step->words[1]);
	g_string_append_printf(actions, "write " CGROUP_FOLDER "/%s/cpuset.cpus.partition %s\n",
			       name, step->words[2]);
}

/* A partition below the first cgroup, which has CPUs left. */
static bool apply_cpuset(const struct step *step, const struct target *target, GError **error)
{
	struct situation *situation = target->situation;
	AUTO(cpus) *cpus = cpus_parse_list(step->words[1], NULL);
	struct cpus *singles;

	if (!cpus_subset(cpus, situation->present))
		return error_no_cpu(step, target, error);
	if (strcmp(step->words[2], "root") == 0) {
		g_ptr_array_add(situation->partitions, g_steal_pointer(&cpus));
		return true;
	}
	singles = cpus_copy(situation->singles);
	cpus_or(singles, cpus);
	replace(&situation->singles, singles);
	return true;
}

static bool words_are_file(char **words)
{
	return words[0][0] == '/' && !strstr(words[0], "..");
}

static void act_write(const struct step *step, GString *actions)
{
	g_string_append_printf(actions, "write %s %s\n", step->words[0], step->words[1]);
}

static const struct step_kind kinds[] = {
	{
		.name = "offline",
		.usage = "offline CPUS",
		.min_words = 1,
		.max_words = 1,
		.check = words_are_cpus,
		.act = act_offline,
		.apply = apply_offline,
	},
	{
		.name = "online",
		.usage = "online CPUS",
		.min_words = 1,
		.max_words = 1,
		.check = words_are_cpus,
		.act = act_online,
		.apply = apply_online,
	},
	{
		.name = "smt",
		.usage = "smt on|off",
		.min_words = 1,
		.max_words = 1,
		.check = words_are_switch,
		.act = act_smt,
		.apply = apply_smt,
	},
	{
		.name = "cpuset",
		.usage = "cpuset NAME CPUS root|isolated",
		.min_words = 3,
		.max_words = 3,
		.check = words_are_cpuset,
		.act = act_cpuset,
		.apply = apply_cpuset,
	},
	{
		.name = "write",
		.usage = "write FILE WORD",
		.min_words = 2,
		.max_words = 2,
		.check = words_are_file,
		.act = act_write,
	},
};

static const struct step_kind *kind_find(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}

static struct step *error_step(const char *text, GError **error)
{
	g_autoptr(GString) usages = g_string_new(NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		g_string_append_printf(usages, "%s'%s'", i ? ", " : "", kinds[i].usage);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "'%.200s' is no step; steps are %s, and '" TRY "STEP'", text, usages->str);
	return NULL;
}

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (!g_ascii_isprint(*text))
			return false;
	return true;
}

static struct step *plain_parse(const char *text, GError **error)
{
	g_auto(GStrv) words = g_strsplit(text, " ", WORDS_MAX + 2);
	unsigned n = g_strv_length(words);
	const struct step_kind *kind = n ? kind_find(words[0]) : NULL;
	struct step *step;

	if (!kind || !is_printable(text) || n - 1 < kind->min_words || n - 1 > kind->max_words)
		return error_step(text, error);
	for (unsigned i = 1; i < n; i++)
		if (!*words[i])
			return error_step(text, error);
	if (kind->check && !kind->check(words + 1))
		return error_step(text, error);
	step = g_new0(struct step, 1);
	step->kind = kind;
	step->text = g_strdup(text);
	step->words = g_strdupv(words + 1);
	return step;
}

static char *step_actions(const struct step *step)
{
	GString *actions = g_string_new(NULL);

	step->kind->act(step, actions);
	return g_string_free(actions, FALSE);
}

/* What is refused must be one thing, or nobody knows what was done. */
static struct step *try_parse(const char *text, GError **error)
{
	AUTO(step) *step = step_parse(text + strlen(TRY), error);
	g_autofree char *actions = step ? step_actions(step) : NULL;

	if (!step)
		return NULL;
	if (step->may_fail || strchr(actions, '\n')[1]) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "'%.200s' tries more than one thing: '" TRY "' takes a step of one CPU "
			    "or one file",
			    text);
		return NULL;
	}
	step->may_fail = true;
	g_free(step->text);
	step->text = g_strdup(text);
	return g_steal_pointer(&step);
}

struct step *step_parse(const char *text, GError **error)
{
	if (g_str_has_prefix(text, TRY))
		return try_parse(text, error);
	return plain_parse(text, error);
}

void step_free(struct step *step)
{
	if (!step)
		return;
	g_free(step->text);
	g_strfreev(step->words);
	g_free(step);
}

const char *step_text(const struct step *step)
{
	return step->text;
}

static void step_release(gpointer step)
{
	step_free(step);
}

GPtrArray *steps_parse(const char *const *texts, GError **error)
{
	g_autoptr(GPtrArray) steps = g_ptr_array_new_with_free_func(step_release);

	for (unsigned i = 0; texts && texts[i]; i++) {
		struct step *step = step_parse(texts[i], error);

		if (!step)
			return NULL;
		g_ptr_array_add(steps, step);
	}
	return g_steal_pointer(&steps);
}

char **steps_texts(const GPtrArray *steps)
{
	GPtrArray *texts;

	if (!steps)
		return NULL;
	texts = g_ptr_array_new();
	for (guint i = 0; i < steps->len; i++)
		g_ptr_array_add(texts, g_strdup(step_text(steps->pdata[i])));
	g_ptr_array_add(texts, NULL);
	return (char **)g_ptr_array_free(texts, FALSE);
}

char *steps_actions(const GPtrArray *steps)
{
	GString *actions = g_string_new(NULL);

	for (guint i = 0; i < steps->len; i++) {
		const struct step *step = steps->pdata[i];
		g_autofree char *own = step_actions(step);

		g_string_append_printf(actions, "%s%s", step->may_fail ? TRY : "", own);
	}
	return g_string_free(actions, FALSE);
}

/* The first line of @answer that is not "ok ACTION". */
static bool error_not_done(const char *action, const char *answer, GError **error)
{
	int number = 0;

	if (answer && sscanf(answer, "failed %d ", &number) == 1)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "the guest could not '%s': %s", action,
			    g_strerror(number));
	else
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the guest was to '%s' and says '%.200s'", action,
			    answer ? answer : "nothing");
	return false;
}

/* Is @line of the answer about @action? @refusal becomes 0, or the errno value that it failed with.
 */
static bool line_answers(const char *line, const char *action, int *refusal)
{
	int length = 0;

	*refusal = 0;
	if (g_str_has_prefix(line, "ok "))
		return strcmp(line + strlen("ok "), action) == 0;
	return sscanf(line, "failed %d %n", refusal, &length) == 1 && length && *refusal > 0 &&
	       strcmp(line + length, action) == 0;
}

/* Takes the answers to the actions of @step off *@lines. */
static bool step_take_answers(struct step *step, char ***lines, GError **error)
{
	g_autofree char *text = step_actions(step);
	g_auto(GStrv) actions = g_strsplit(g_strchomp(text), "\n", -1);

	for (unsigned i = 0; actions[i]; i++) {
		g_autofree char *action = g_strconcat(step->may_fail ? TRY : "", actions[i], NULL);
		const char *line = **lines;

		if (!line || !line_answers(line, action, &step->refusal) ||
		    (step->refusal && !step->may_fail))
			return error_not_done(action, line, error);
		(*lines)++;
	}
	return true;
}

bool steps_take_answers(GPtrArray *steps, const char *answer, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(answer, "\n", -1);
	char **next = lines;

	for (guint i = 0; i < steps->len; i++)
		if (!step_take_answers(steps->pdata[i], &next, error))
			return false;
	return true;
}

char *step_answer(const struct step *step, const char *answer)
{
	g_autofree char *actions = step_actions(step);
	g_autofree char *action = g_strconcat(step->may_fail ? TRY : "", g_strchomp(actions), NULL);
	g_auto(GStrv) lines = g_strsplit(answer, "\n", -1);
	int refusal;

	for (unsigned i = 0; lines[i]; i++)
		if (line_answers(lines[i], action, &refusal))
			return g_strdup(refusal ? strerrorname_np(refusal) ?: "?" : "0");
	return NULL;
}

bool steps_apply(const GPtrArray *steps, const struct topo *topo, struct situation *situation,
		 GError **error)
{
	struct target target = {.topo = topo, .situation = situation};

	for (guint i = 0; i < steps->len; i++) {
		const struct step *step = steps->pdata[i];

		if (!step->kind->apply)
			continue;
		situation->rebuilt = true;
		if (step->refusal)
			continue;
		if (!step->kind->apply(step, &target, error))
			return false;
	}
	return true;
}
