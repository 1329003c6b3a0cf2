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

/* APIC ids of @view's CPUs, gint64, ascending. */
static GArray *sorted_ids(const struct view *view)
{
	GArray *ids = g_array_new(FALSE, FALSE, sizeof(gint64));

	CPUS_FOREACH (cpu, view->cpus)
		g_array_append_val(ids, view->cpu[cpu].apic_id);
	g_array_sort(ids, compare_ids);
	return ids;
}

/* "30 31", the ids of @all that are not in @some; NULL when @some has one that is not in @all. */
static char *ids_lacking(const GArray *all, const GArray *some)
{
	g_autoptr(GString) lacking = g_string_new(NULL);
	guint k = 0;

	for (guint i = 0; i < all->len; i++) {
		gint64 id = g_array_index(all, gint64, i);

		if (k < some->len && g_array_index(some, gint64, k) == id)
			k++;
		else
			g_string_append_printf(lacking, "%s%" G_GINT64_FORMAT,
					       lacking->len ? " " : "", id);
	}
	return k == some->len ? g_strdup(lacking->str) : NULL;
}

/*
 * The first CPU of another APIC id than its place in the MADT has; NULL: none. Both have as many.
 */
static char *numbered_otherwise(const struct view *model, const struct view *hardware)
{
	CPUS_FOREACH (cpu, model->cpus) {
		gint64 given = model->cpu[cpu].apic_id, running = hardware->cpu[cpu].apic_id;

		if (given != running)
			return g_strdup_printf("the kernel numbers CPUs otherwise than the MADT "
					       "lists them: CPU %d has APIC id %" G_GINT64_FORMAT
					       " and must have %" G_GINT64_FORMAT,
					       cpu, running, given);
	}
	return NULL;
}

static void presence_say(enum verdict verdict, const struct view *model, const struct cpus *online,
			 const char *reason, struct checks *checks)
{
	g_autofree char *expected = cpus_to_list(model->cpus);
	g_autofree char *observed = cpus_to_list(online);
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

bool check_presence(const struct view *model, const struct view *hardware,
		    const struct cpus *online, enum verdict lost, struct checks *checks)
{
	g_autoptr(GArray) given = sorted_ids(model);
	g_autoptr(GArray) running = sorted_ids(hardware);
	g_autofree char *lacking = ids_lacking(given, running);
	g_autofree char *reason = NULL;

	/* Evidence that lost a dump, or another machine: that is told where it is compared. */
	if (!lacking || !cpus_equal(hardware->cpus, online))
		return true;
	if (*lacking) {
		reason = g_strdup_printf("CPUs that the MADT enables did not start, APIC ids %s",
					 lacking);
		presence_say(lost, model, online, reason, checks);
		return false;
	}
	reason = numbered_otherwise(model, hardware);
	presence_say(reason ? VERDICT_FAIL : VERDICT_PASS, model, online,
		     reason ?: "every CPU of the MADT runs, under its number", checks);
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
