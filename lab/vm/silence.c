// SPDX-License-Identifier: GPL-2.0-only
#include "vm/silence.h"

/* A thread that hardly wants to run may wait longer than it runs: that is no lack of CPUs. */
#define WAITED_SHARE 4

bool silence_is_starved(const struct cpu_time *before, const struct cpu_time *after, gint64 usec,
			unsigned host_cpus)
{
	guint64 ran = after->ran_ns - before->ran_ns;
	guint64 waited = after->waited_ns - before->waited_ns;

	/* A thread that ended in between takes its times with it. */
	if (after->ran_ns < before->ran_ns || after->waited_ns < before->waited_ns || usec <= 0)
		return false;
	return waited > ran && waited > (guint64)usec * 1000 / WAITED_SHARE &&
	       ran < (guint64)usec * 1000 * host_cpus / 2;
}

void silence_look(struct silence *silence, pid_t qemu, gint64 since_usec, gint64 now_usec,
		  unsigned limit_seconds)
{
	AUTO(root) *proc = NULL;

	if (silence->since_usec == since_usec || qemu <= 0 ||
	    now_usec - since_usec < (gint64)limit_seconds * G_USEC_PER_SEC / 2)
		return;
	proc = root_new_dir("/proc");
	if (!process_cpu_time(proc, qemu, &silence->half))
		return;
	silence->since_usec = since_usec;
	silence->half_usec = now_usec;
}

const char *silence_blames_host(const struct silence *silence, pid_t worker, pid_t qemu,
				gint64 now_usec)
{
	AUTO(root) *proc = root_new_dir("/proc");
	struct cpu_time now;

	if (worker > 0 && process_is_stopped(proc, worker))
		return "a signal stopped topolab's worker";
	if (qemu > 0 && process_is_stopped(proc, qemu))
		return "a signal stopped QEMU";
	if (silence->since_usec && qemu > 0 && process_cpu_time(proc, qemu, &now) &&
	    silence_is_starved(&silence->half, &now, now_usec - silence->half_usec,
			       g_get_num_processors()))
		return "QEMU's threads waited longer for a CPU of this host than they ran";
	return NULL;
}
