/* SPDX-License-Identifier: GPL-2.0-only */
/* The machines, kernels and tests of a run, and which of their jobs are this run's own. */
#ifndef RUN_INPUTS_H
#define RUN_INPUTS_H

#include "kernel/kernel.h"
#include "run/run.h"
#include "run/test_plan.h"

#include <glib.h>
#include <stdbool.h>

struct run_inputs {
	GPtrArray *topologies;	  /* struct topo *; at least one */
	struct kernel **kernels;  /* NULL: all its jobs are other shards' */
	struct test_plan **plans; /* beside @kernels; NULL: no test but domains */
	GBytes *scheduler;	  /* the user's; NULL: none */
	GPtrArray *steps;	  /* struct step *; none: empty */
	GPtrArray *tests;	  /* struct guest_test *, which @plans refer to */
	unsigned n_kernels;	  /* at least one */
	bool *ours;		  /* each job? The kernels of a topology stand together */
	unsigned n_jobs;	  /* of ours; at least one */
};

/* Gets no kernel that only other shards need, and builds what tests run. */
bool run_inputs_load(struct run_inputs *inputs, const struct run_options *options,
		     const struct kernel_options *kernel_options, GError **error);
/* Of zeroed ones, too. */
void run_inputs_clear(struct run_inputs *inputs);
bool run_inputs_has_job(const struct run_inputs *inputs, unsigned topology, unsigned kernel);

#endif
