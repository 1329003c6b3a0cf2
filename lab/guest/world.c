// SPDX-License-Identifier: GPL-2.0-only
#include "guest/world.h"

#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>

void world_prepare(void)
{
	static const struct {
		const char *type, *target;
	} mounts[] = {
		{"devpts", "/dev/pts"},
		{"tmpfs", "/dev/shm"},
		{"tmpfs", "/tmp"},
		{"cgroup2", "/sys/fs/cgroup"},
		{"tracefs", "/sys/kernel/tracing"},
	};

	for (unsigned i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		/* What this kernel does not have is not there for the programs either. */
		mkdir(mounts[i].target, 0755);
		mount(mounts[i].type, mounts[i].target, mounts[i].type, 0, NULL);
	}
	chmod("/tmp", 01777);
	chmod("/dev/shm", 01777);
	setenv("PATH", "/bin:/sbin:/usr/bin:/usr/sbin", 1);
	setenv("HOME", "/", 1);
}
