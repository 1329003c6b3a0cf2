// SPDX-License-Identifier: GPL-2.0-only
/* Did the kernel start the CPUs that it was given, and number them as the MADT lists them? */
#include "base/cpus.h"
#include "verdict/compare.h"

#include <stdlib.h>

static const char member[] = "sys/devices/system/cpu/online";

static int compare_ids(const void *a, const void *b)
{
	const gint64 *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

/* APIC ids of those of @view's CPUs that are in @cpus, gint64, ascending. */
static GArray *sorted_ids(const struct view *view, const struct cpus *cpus)
{
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(gint64));

	CPUS_FOREACH (cpu, view->cpus)
		if (cpus_has(cpus, (unsigned)cpu))
			g_array_append_val(ids, view->cpu[cpu].apic_id);
	g_array_sort(ids, compare_ids);
	return ids;
}

/* "30 31", the ids of @all that are not in @some, both ascending. */
static char *ids_lacking(const GArray *all, const GArray *some)
{
	GString *lacking = g_string_new(NULL);
	guint k = 0;

	for (guint i = 0; i < all->len; i++) {
		gint64 id = g_array_index(all, gint64, i);

		while (k < some->len && g_array_index(some, gint64, k) < id)
			k++;
		if (k == some->len || g_array_index(some, gint64, k) != id)
			g_string_append_printf(lacking, "%s%" G_GINT64_FORMAT,
					       lacking->len ? " " : "", id);
	}
	return g_string_free(lacking, FALSE);
}

static bool has_twins(const GArray *ids)
{
	for (guint i = 1; i < ids->len; i++)
		if (g_array_index(ids, gint64, i) == g_array_index(ids, gint64, i - 1))
			return true;
	return false;
}

/* The first CPU of another APIC id than its place in the MADT has; NULL: none. */
static char *numbered_otherwise(const struct presence *presence)
{
	CPUS_FOREACH (cpu, presence->online) {
		bool known = cpus_has(presence->model->cpus, (unsigned)cpu);
		gint64 given = known ? presence->model->cpu[cpu].apic_id : -1;
		gint64 running = presence->hardware->cpu[cpu].apic_id;

		if (given != running)
			return g_strdup_printf("the kernel numbers CPUs otherwise than the MADT "
					       "lists them: CPU %d has APIC id %" G_GINT64_FORMAT
					       " and must have %" G_GINT64_FORMAT,
					       cpu, running, given);
	}
	return NULL;
}

static void presence_say(enum verdict verdict, const struct presence *presence, const char *reason,
			 struct checks *checks)
{
	g_autofree char *expected = cpus_to_list(presence->started);
	g_autofree char *observed = cpus_to_list(presence->online);
	bool passed = verdict == VERDICT_PASS;

	checks_add(checks,
		   &(struct check){
			   .name = "kernel.presence",
			   .verdict = verdict,
			   .cpu = -1,
			   .level = -1,
			   .expected = passed ? NULL : expected,
			   .observed = passed ? NULL : observed,
			   .rule = passed ? NULL : "Linux starts the MADT's CPUs in its order",
			   .reason = reason,
			   .evidence = member,
		   });
}

bool check_presence(const struct presence *presence, enum verdict lost, struct checks *checks)
{
	const struct view *model = presence->model, *hardware = presence->hardware;
	g_autoptr(GArray) all = sorted_ids(model, model->cpus);
	g_autoptr(GArray) given = sorted_ids(model, presence->started);
	g_autoptr(GArray) running = sorted_ids(hardware, hardware->cpus);
	g_autofree char *foreign = ids_lacking(running, all);
	g_autofree char *lacking = ids_lacking(given, running);
	g_autofree char *more = ids_lacking(running, given);
	g_autofree char *reason = NULL;

	/* Evidence that lost a dump, or another machine: that is told where it is compared. */
	if (*foreign || has_twins(running) || !cpus_equal(hardware->cpus, presence->online))
		return true;
	if (*more) {
		reason = g_strdup_printf("CPUs run that must not, APIC ids %s", more);
		presence_say(VERDICT_FAIL, presence, reason, checks);
		return false;
	}
	if (*lacking) {
		reason = g_strdup_printf("CPUs that the MADT enables did not start, APIC ids %s",
					 lacking);
		presence_say(lost, presence, reason, checks);
		return false;
	}
	reason = numbered_otherwise(presence);
	presence_say(reason ? VERDICT_FAIL : VERDICT_PASS, presence,
		     reason ?: "every CPU of the MADT that must run does, under its number",
		     checks);
	return !reason;
}

static void possible_say(enum verdict verdict, const char *expected, const char *observed,
			 const char *reason, struct checks *checks)
{
	checks_add(checks,
		   &(struct check){
			   .name = "kernel.possible",
			   .verdict = verdict,
			   .cpu = -1,
			   .level = -1,
			   .expected = expected,
			   .observed = observed,
			   .rule = expected ? "the MADT's entries that this kernel counts" : NULL,
			   .reason = reason,
			   .evidence = "sys/devices/system/cpu/possible",
		   });
}

void check_possible(unsigned n, struct root *evidence, struct checks *checks)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = root_read(evidence, &error, "sys/devices/system/cpu/possible");
	AUTO(cpus) *observed = text ? cpus_parse_list(g_strchomp(text), &error) : NULL;
	AUTO(cpus) *wanted = cpus_new();
	g_autofree char *expected = NULL;
	g_autofree char *shown = NULL;

	if (!observed) {
		possible_say(VERDICT_ERROR, NULL, NULL, error->message, checks);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		cpus_add(wanted, i);
	if (cpus_equal(wanted, observed)) {
		possible_say(VERDICT_PASS, NULL, NULL,
			     "the CPUs that may exist are those of the MADT", checks);
		return;
	}
	expected = cpus_to_list(wanted);
	shown = cpus_to_list(observed);
	possible_say(VERDICT_FAIL, expected, shown,
		     "the kernel takes other CPUs to be possible than the MADT asks for", checks);
}
