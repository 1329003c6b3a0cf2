/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A job on disk: result.json with evidence.tar.gz and console.log beside it. All that judge() needs
 * is in them, so that a job can be judged again on any machine, without its topology or kernel.
 */
#ifndef RUN_SAVED_JOB_H
#define RUN_SAVED_JOB_H

#include "base/kernel_facts.h"
#include "report/report.h"
#include "topo/topo.h"

#include <jansson.h>

struct saved_job {
	char *path;   /* of result.json */
	json_t *json; /* as it was read */
	struct result *result;
	struct topo *topo;
	struct kernel_facts *facts;
	GBytes *evidence; /* NULL: the guest sent none */
	char *console;	  /* NULL: none was kept */
	gsize console_length;
};

/* @path: of result.json. What is missing or broken is ERROR_INPUT. */
struct saved_job *saved_job_open(const char *path, GError **error);
/* result.json alone: nothing is read that lies beside it, and the job cannot be judged. */
struct saved_job *saved_job_open_result(const char *path, GError **error);
void saved_job_free(struct saved_job *job);
AUTO_DEFINE(saved_job, saved_job_free)

/* Judges the job again: its result then holds the new judgement. */
void saved_job_judge(struct saved_job *job);
/* Replaces verdict, checks and domains in result.json, beside it and by rename. ERROR_INPUT. */
bool saved_job_write(struct saved_job *job, GError **error);

/*
 * The result.json files that @path means: itself, that of a job's folder, or those of every
 * TOPOLOGY/KERNEL below a run's folder, sorted. None is ERROR_INPUT. Elements are char *.
 */
GPtrArray *saved_job_paths(const char *path, GError **error);

#endif
