// SPDX-License-Identifier: GPL-2.0-only
/*
 * /init of a guest that means harm: what it does, the kernel argument hostile=MODE says, which
 * Linux hands to it as an environment variable.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel prints a task's name with its panic. */
static void die_with_an_evil_name(void)
{
	int console = open("/dev/kmsg", O_WRONLY);

	prctl(PR_SET_NAME, "\033]0;x\007<&\"");
	if (console >= 0)
		dprintf(console, "evil \033[2J ]]> \001 line\n");
	__builtin_trap();
}

/* The one port of the guest, whatever its number. */
static void stream_without_end(void)
{
	static char garbage[1 << 16];
	int port = -1;

	memset(garbage, '{', sizeof(garbage));
	for (int i = 0; port < 0; i = (i + 1) % 8) {
		char path[32];

		snprintf(path, sizeof(path), "/dev/vport%dp1", i);
		port = open(path, O_WRONLY);
	}
	while (write(port, garbage, sizeof(garbage)) > 0)
		;
}

int main(void)
{
	const char *mode = getenv("hostile");

	mkdir("/dev", 0755);
	mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
	if (mode && strcmp(mode, "die") == 0)
		die_with_an_evil_name();
	else if (mode && strcmp(mode, "stream") == 0)
		stream_without_end();
	else if (mode && strcmp(mode, "reboot") == 0)
		reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}
