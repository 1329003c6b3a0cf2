/* SPDX-License-Identifier: GPL-2.0-only */
/* QEMU processes that belong to a root, found in /proc. */
#ifndef VM_PROCESS_H
#define VM_PROCESS_H

#include "base/root.h"

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Pids (pid_t) of the QEMUs whose command line names a file below @folder; other programs that
 * mention it, and zombies, do not count. @proc is /proc.
 */
GArray *process_find(struct root *proc, const char *folder);

/* Kills what process_find() finds until nothing is left. ERROR_LAB after ten seconds. */
bool process_end(const char *folder, GError **error);

/* Was it stopped, as by SIGSTOP? False for a process that is gone. @proc is /proc. */
bool process_is_stopped(struct root *proc, pid_t pid);

struct cpu_time {
	guint64 ran_ns, waited_ns; /* the second: runnable, and another had the CPU */
};
/* Of all threads of @pid together. False when it is gone, or the kernel does not count. */
bool process_cpu_time(struct root *proc, pid_t pid, struct cpu_time *time);

/*
 * How late, in nanoseconds, @pid's main thread may wake for a timer: PR_SET_TIMERSLACK of another
 * process, proc(5). It needs CAP_SYS_NICE; without it nothing changes.
 */
void process_set_timer_slack(pid_t pid, guint64 nanoseconds);

#endif
