/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What this host can run, and why not. doctor_gather() looks and tries; doctor_examine() makes
 * items of what was found and does no I/O but through the rooted handle, so that tests give it
 * hosts that they made up.
 */
#ifndef RUN_DOCTOR_H
#define RUN_DOCTOR_H

#include "base/root.h"
#include "vm/qemu.h"
#include "vm/vm.h"

#include <glib.h>
#include <stdbool.h>

enum doctor_state {
	DOCTOR_OK,
	DOCTOR_LIMITED, /* `run` works, but not for everything or not as fast as it could */
	DOCTOR_MISSING, /* `run` does not work */
	DOCTOR_STATE_COUNT,
};
const char *doctor_state_name(enum doctor_state state);
bool doctor_state_from_name(const char *name, enum doctor_state *state);

struct doctor_item {
	const char *name; /* "kvm" */
	enum doctor_state state;
	char *found;  /* what is there, or why not */
	char *advice; /* what to do; NULL: nothing */
};

/* A folder that topolab needs: where it is and how much fits, or why there is none. */
struct doctor_folder {
	char *path;
	guint64 free_bytes;
	char *problem;
};

/* What doctor_examine() cannot read from the root itself. Absent strings are NULL. */
struct doctor_facts {
	char *system; /* uname: "Linux 6.1.0 on x86_64" */
	unsigned n_cpus;
	struct doctor_folder cache, runtime;
	char *kernel; /* the release that KVM is tried with */
	char *kernel_problem;
	struct qemu *qemu;
	char *qemu_problem;
	struct vm_trial trial;
	char *kvm_problem;
	bool kvm_tried;	       /* a kernel was booted, now or on an earlier day */
	char *reaping_problem; /* of vm_init() */
	char *fetch_problem;   /* what fetching kernels lacks */
	char *hwloc;	       /* version */
};

void doctor_facts_clear(struct doctor_facts *facts);

/* Items (struct doctor_item *), in the order in which one thing needs the next. */
GPtrArray *doctor_examine(struct root *root, const struct doctor_facts *facts);
/* Is nothing missing? */
bool doctor_works(const GPtrArray *items);

/*
 * @kernel: what KVM is tried with, fetched if needed; NULL: the default one if the cache has it.
 * What does not work is a fact; only a @kernel that cannot be used is an error.
 */
bool doctor_gather(const char *kernel, struct doctor_facts *facts, GError **error);

char *doctor_text(const GPtrArray *items);
char *doctor_json(const GPtrArray *items);

#endif
