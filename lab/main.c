// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/host.h"
#include "cmd/command.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

/*
 * A file that is opened while a standard descriptor is closed would take its place, and a message
 * would be written into it. What stands in refuses the use: a report that nobody gets is an error.
 */
static bool descriptors_fill(void)
{
	static const int modes[] = {O_WRONLY, O_RDONLY, O_RDONLY};

	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != fd)
			return false;
	return true;
}

/* A full disk must not look like success. argp ends the program by itself, so this is at its end.
 */
static void output_check(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return;
	fprintf(stderr, "topolab: cannot write to standard output\n");
	_exit(3);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	struct utsname host;

	setlocale(LC_ALL, "");
	if (!descriptors_fill() || atexit(output_check) != 0)
		return 3;
	/* A file that grows beyond RLIMIT_FSIZE is a failed write, which is told, and not our end.
	 */
	signal(SIGXFSZ, SIG_IGN);
	uname(&host);
	if (!host_check_system(host.sysname, host.machine, &error)) {
		fprintf(stderr, "topolab: %s\n", error->message);
		return error_exit_status(error);
	}
	return command_main(argc, argv);
}
