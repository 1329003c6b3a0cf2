/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One real job of nps2-mini on 6.12, to be spoiled and judged. The machine: two packages, four
 * nodes, eight CCX of two cores, 32 CPUs of which 16-31 are second threads
 * (tests/saved/nps2-mini-6.12/want.txt).
 */
#ifndef TEST_MUTATIONS_HELP_H
#define TEST_MUTATIONS_HELP_H

#include "base/cpus.h"
#include "run/saved_job.h"
#include "test_mutations_evidence.h"

#define SAVED TOPOLAB_SOURCE "/tests/saved"
#define CPU   "sys/devices/system/cpu/cpu%u/"
#define DEBUG "sys/kernel/debug/sched/domains/cpu%u/domain%u/"

/* A job to spoil. Whatever is set here is used instead of what was saved. */
struct spoiled {
	struct saved_job *job;
	struct evidence evidence;
	GBytes *archive; /* instead of @evidence's members */
	const char *console;
};

static inline void edit(struct spoiled *spoiled, const char *path, const char *old, const char *new)
{
	evidence_edit(&spoiled->evidence, path, old, new);
}

static inline void drop(struct spoiled *spoiled, const char *prefix)
{
	evidence_drop(&spoiled->evidence, prefix);
}

static inline void set_of_cpu(struct spoiled *spoiled, unsigned cpu, const char *file,
			      const char *text)
{
	g_autofree char *path = g_strdup_printf(CPU "%s", cpu, file);

	evidence_set(&spoiled->evidence, path, text);
}

static inline void edit_debug(struct spoiled *spoiled, unsigned cpu, unsigned index,
			      const char *file, const char *old, const char *new)
{
	g_autofree char *path = g_strdup_printf(DEBUG "%s", cpu, index, file);

	edit(spoiled, path, old, new);
}

/* A span in both places that show it. */
static inline void edit_span(struct spoiled *spoiled, unsigned cpu, unsigned index,
			     const char *old_mask, const char *new_mask, const char *old_list,
			     const char *new_list)
{
	g_autofree char *old = g_strdup_printf("span=%s ", old_list);
	g_autofree char *new = g_strdup_printf("span=%s ", new_list);

	schedstat_edit(&spoiled->evidence, cpu, index, old_mask, new_mask);
	log_edit(&spoiled->evidence, cpu, index, 0, old, new);
}

/* What the job must become, and the check that must complain. */
struct mutation {
	const char *name;
	void (*spoil)(struct spoiled *spoiled);
	enum verdict verdict;
	const char *check;
};

/* The job of nps2-mini on 6.12 below tests/saved/; NULL when there is none. */
static inline struct saved_job *subject_open(void)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(SAVED, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(SAVED, name, "result.json", NULL);
		AUTO(saved_job) *job = NULL;

		if (!g_file_test(path, G_FILE_TEST_EXISTS))
			continue;
		g_ptr_array_add(paths, g_strdup(path));
		job = saved_job_open(path, NULL);
		if (job && strcmp(job->result->topology, "nps2-mini") == 0 &&
		    g_str_has_prefix(job->result->kernel_release, "6.12."))
			return g_steal_pointer(&job);
	}
	if (paths->len == 0)
		g_test_skip("tests/saved is empty");
	else
		g_test_fail_printf("tests/saved has no job of nps2-mini on 6.12");
	return NULL;
}

static inline void judge_spoiled(struct spoiled *spoiled)
{
	struct saved_job *job = spoiled->job;

	g_bytes_unref(job->evidence);
	job->evidence = spoiled->archive ? spoiled->archive : evidence_write(&spoiled->evidence);
	if (spoiled->console) {
		g_free(job->console);
		job->console = g_strdup(spoiled->console);
		job->console_length = strlen(spoiled->console);
	}
	saved_job_judge(job);
}

static inline bool complains(const struct checks *checks, const char *name, enum verdict verdict)
{
	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);

		if (strcmp(check->name, name) == 0 && check->verdict == verdict)
			return true;
	}
	return false;
}

static inline void tell_checks(const struct checks *checks)
{
	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);

		if (check->verdict != VERDICT_PASS)
			g_test_message("%s %s: %s; expected %s, observed %s",
				       verdict_name(check->verdict), check->name, check->reason,
				       check->expected, check->observed);
	}
}

static inline void test_mutation(gconstpointer data)
{
	const struct mutation *mutation = data;
	AUTO(saved_job) *job = subject_open();
	struct spoiled spoiled = {.job = job};
	const struct checks *checks;

	if (!job)
		return;
	spoiled.evidence = evidence_read(job->evidence);
	mutation->spoil(&spoiled);
	judge_spoiled(&spoiled);
	checks = job->result->judgement->checks;
	tell_checks(checks);
	g_assert_cmpstr(verdict_name(checks_verdict(checks)), ==, verdict_name(mutation->verdict));
	g_assert_true(complains(checks, mutation->check, mutation->verdict));
	evidence_clear(&spoiled.evidence);
}

static inline void mutations_add(const char *folder, const struct mutation *mutations, gsize n)
{
	for (gsize i = 0; i < n; i++) {
		g_autofree char *path =
			g_strdup_printf("/mutations/%s/%s", folder, mutations[i].name);

		g_test_add_data_func(path, &mutations[i], test_mutation);
	}
}

#endif
