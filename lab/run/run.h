/* SPDX-License-Identifier: GPL-2.0-only */
/* topologies x kernels -> jobs -> results in a folder and a report on stdout. */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "image/initramfs.h"
#include "report/report.h"
#include "run/job.h"
#include "run/shard.h"

#include <glib.h>
#include <stdbool.h>

/* For guests that stay up when they are judged. */
struct run_stay {
	const struct initramfs_file *files; /* beside the agent; they tell it to stay */
	guint n_files;
	const char *errors; /* what workers write to stderr is appended to this file */
	/*
	 * @report: of this guest alone; its files are written. @root: the guest's, see vm/.
	 * @socket: of the port on which its agent takes commands.
	 */
	void (*up)(const struct report *report, const char *root, const char *socket, void *data);
	void *data;
};

struct run_options {
	char **topologies;	   /* names or files; at least one */
	char **kernels;		   /* names or paths; NULL: KERNEL_DEFAULT */
	char **tests;		   /* names, groups or paths; NULL: the domains alone */
	const char *scheduler;	   /* program that loads a sched_ext scheduler; NULL: none */
	const char *selftests;	   /* tree of the kernel's selftests; NULL: each kernel's own */
	const char *accel;	   /* "auto", "kvm" or "tcg" */
	const char *uri;	   /* NULL: the embedded driver */
	const char *folder;	   /* NULL: results/<UTC>-<pid> */
	unsigned jobs;		   /* guests at a time, as far as the host holds them */
	unsigned timeout_seconds;  /* without progress, before scaling; 0: the default */
	unsigned deadline_seconds; /* of one guest; 0: none */
	struct shard shard;	   /* zeroed: every job */
	const char *append;	   /* more kernel arguments for every guest; NULL: none */
	char **steps;		   /* as step_parse() reads them; NULL: none */
	struct job_debug debug;
	bool offline;
	bool no_build;	  /* of kernel trees the images that are there */
	bool bisect;	  /* the exit status is for git bisect run */
	bool require_all; /* a job that was skipped makes the exit status 77 */
	bool quiet;
	bool verbose;
	const struct report_format *format; /* of what goes to stdout; NULL: nothing */
	bool *interrupted;		    /* set when a signal ended the run; NULL: never mind */
	const struct run_stay *stay;	    /* NULL: guests power themselves off */
};

/*
 * Loads every topology and gets every kernel before the first guest starts. Returns the exit status
 * of the report; with @error set nothing was started.
 */
int run_all(const struct run_options *options, GError **error);

#endif
