/* SPDX-License-Identifier: GPL-2.0-only */
/* One guest: one topology with one kernel, from its files to a judged result in its folder. */
#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "emit/emit.h"
#include "image/initramfs.h"
#include "kernel/kernel.h"
#include "report/report.h"
#include "run/test_plan.h"
#include "topo/topo.h"
#include "vm/vm.h"

/* For a guest that stays up once it was judged and takes commands. */
struct job_stay {
	const struct initramfs_file *files; /* beside the agent; they tell it to stay */
	guint n_files;
	const char *errors; /* what its worker may write to stderr is appended to this file */
	/*
	 * Once, when it is judged and its files are in their folder; @ended follows when it ends.
	 * @socket: of the port on which its agent takes commands.
	 */
	void (*up)(const struct result *result, const char *socket, void *data);
};

/* For whoever wants to see more of a guest; see struct vm_spec. */
struct job_debug {
	bool gdb; /* it is frozen until gdb lets it run */
	unsigned gdb_port;
	bool dump_memory; /* when it stands still or has had its time */
};

struct job_spec {
	const struct topo *topo;
	const struct kernel *kernel;
	GBytes *agent;
	enum emit_accel accel;
	const char *uri;	       /* NULL: the embedded driver */
	const char *run_folder;	       /* the job's folder is made below it */
	const struct test_plan *tests; /* NULL: the domains alone */
	struct test_host test_host;    /* for the tests */
	bool in_turn;		       /* see struct emit_domain */
	unsigned silence_seconds, deadline_seconds;
	const char *append; /* more kernel arguments; NULL: none */
	GPtrArray *steps;   /* struct step *, taken before the evidence; NULL: none */
	struct job_debug debug;
	unsigned boots;		     /* with this one: 1, or more when the emulator spoilt some */
	unsigned guests;	     /* that may run at once, this one with them */
	const struct job_stay *stay; /* NULL: the guest powers itself off */
};

struct job;

/* The result of a job that was never started, an ERROR that says why. Caller frees. */
struct result *job_not_started(const struct job_spec *spec, enum verdict verdict,
			       const char *reason);

/* "nps4/debian-6.12": the job's folder below the run's. Caller frees. */
char *job_folder(const struct job_spec *spec);

/*
 * Starts the guest. @ended is called once from the main context with the judged result, also when
 * the guest could not even be started; the caller owns the result and then frees the job.
 */
struct job *job_start(const struct job_spec *spec,
		      void (*progress)(const struct vm_progress *, void *),
		      void (*ended)(struct result *, void *), void *data);
/*
 * Moves the job's folder out of the way, for another boot of a guest that the emulator spoilt. What
 * looks for jobs passes over its new name, which the caller frees; NULL with @error: it is where it
 * was.
 */
char *job_set_aside(const struct job_spec *spec, GError **error);
/* The guest's root; NULL when there is none. */
const char *job_root_path(const struct job *job);
void job_stop(struct job *job, const char *reason);
void job_free(struct job *job);

#endif
