/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the host and the agent agree on about steps that are taken before the evidence is gathered:
 * a file in the initramfs, an action in a line, and a member of the evidence that answers it.
 *
 *	mount cgroup2 /sys/fs/cgroup
 *	mkdir /sys/fs/cgroup/a
 *	write /sys/fs/cgroup/a/cpuset.cpus 0-3
 *
 * The member holds the same lines, "ok " before each that was done. The first that was not is the
 * last one, with its errno value: "failed 22 write /sys/...". After "try write /sys/...", which may
 * fail, the agent goes on.
 */
#ifndef BASE_STEPS_H
#define BASE_STEPS_H

#define STEPS_FILE   "steps"
#define STEPS_MEMBER "steps"
/* Of the file, and so of a line. */
#define STEPS_MAX (256u << 10)

#endif
