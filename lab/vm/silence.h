/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest that says nothing: is it the guest, or does this host not let it speak? */
#ifndef VM_SILENCE_H
#define VM_SILENCE_H

#include "vm/process.h"

struct silence {
	gint64 since_usec; /* the silence that @half belongs to; 0: none was half over */
	gint64 half_usec;  /* when @half was taken */
	struct cpu_time half;
};

/* While it lasts, from time to time. All times are monotonic; a pid of 0 is not known. */
void silence_look(struct silence *silence, pid_t qemu, gint64 since_usec, gint64 now_usec,
		  unsigned limit_seconds);
/* When it lasted too long: the sentence that blames the host, or NULL. */
const char *silence_blames_host(const struct silence *silence, pid_t worker, pid_t qemu,
				gint64 now_usec);
/*
 * Between two readings @usec apart: did others keep the threads from the host's CPUs, so that they
 * waited more than they ran and had less than half of what @host_cpus could give? A guest that
 * spins on more vCPUs than the host has CPUs waits as long, for itself alone.
 */
bool silence_is_starved(const struct cpu_time *before, const struct cpu_time *after, gint64 usec,
			unsigned host_cpus);

#endif
