// SPDX-License-Identifier: GPL-2.0-only
#include "guest/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* More than PID 1 ever has open: a port, and three for each session. */
#define DESCRIPTORS 64

/* Descriptors of a command that is being made. */
struct ends {
	int ours[3], theirs[3]; /* stdin, stdout, stderr; -1: none */
};

static void ends_close(int *fds)
{
	for (int i = 0; i < 3; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

static int pipes_open(struct ends *ends)
{
	for (int i = 0; i < 3; i++) {
		int fds[2];

		if (pipe2(fds, O_CLOEXEC) != 0)
			return errno;
		/* We write to its stdin and read from the others. */
		ends->ours[i] = fds[i == 0];
		ends->theirs[i] = fds[i != 0];
	}
	return 0;
}

static int terminal_open(struct ends *ends, const struct frame_start *start)
{
	const struct winsize size = {
		.ws_row = (unsigned short)start->rows,
		.ws_col = (unsigned short)start->columns,
	};
	char name[64];
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (master < 0)
		return errno;
	ends->ours[0] = master;
	if (unlockpt(master) != 0 || ptsname_r(master, name, sizeof(name)) != 0 ||
	    ioctl(master, TIOCSWINSZ, &size) != 0)
		return errno;
	ends->ours[1] = fcntl(master, F_DUPFD_CLOEXEC, 0);
	ends->theirs[0] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	return ends->ours[1] < 0 || ends->theirs[0] < 0 ? errno : 0;
}

static void child_report(int report, int number)
{
	if (write(report, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

/* stdin becomes the program file @path; a command like any other, but without a program. */
static void child_store(const char *path)
{
	static char chunk[65536];
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	ssize_t n;

	while (fd >= 0 && (n = read(STDIN_FILENO, chunk, sizeof(chunk))) > 0)
		if (write(fd, chunk, (size_t)n) != n)
			break;
	if (fd >= 0 && n == 0 && fchmod(fd, 0755) == 0 && close(fd) == 0)
		_exit(0);
	dprintf(STDERR_FILENO, "cannot write '%s': %s\n", path, strerror(errno));
	_exit(1);
}

/* What PID 1 had set for itself is not the command's. */
static void child_prepare(const struct frame_start *start, const struct ends *ends)
{
	sigset_t none;

	setsid();
	for (int number = 1; number < 32; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (start->terminal)
		ioctl(ends->theirs[0], TIOCSCTTY, 0);
	for (int i = 0; i < 3; i++)
		dup2(ends->theirs[start->terminal ? 0 : i], i);
	umask(022);
	for (unsigned i = 0; i < start->n_environment; i++)
		putenv(strdup(start->environment[i]));
}

static void child_run(const struct frame_start *start, const struct ends *ends, int report)
{
	char *arguments[FRAME_WORDS + 1];

	child_prepare(start, ends);
	if (start->store) {
		/* No exec closes these; our own end of stdin would keep it from ending. */
		for (int fd = 3; fd < DESCRIPTORS; fd++)
			close(fd);
		child_store(start->arguments[0]);
	}
	for (unsigned i = 0; i < start->n_arguments; i++)
		arguments[i] = strdup(start->arguments[i]);
	arguments[start->n_arguments] = NULL;
	execvp(arguments[0], arguments);
	child_report(report, errno);
}

/* The report's end closes when the program has begun. */
static int child_start(pid_t *pid, const struct frame_start *start, const struct ends *ends)
{
	int fds[2], number = 0;
	ssize_t n;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return errno;
	*pid = fork();
	if (*pid == 0)
		child_run(start, ends, fds[1]);
	if (*pid < 0)
		number = errno;
	close(fds[1]);
	while (*pid > 0 && (n = read(fds[0], &number, sizeof(number))) < 0 && errno == EINTR)
		;
	close(fds[0]);
	if (*pid > 0 && number)
		waitpid(*pid, NULL, 0);
	return number;
}

int command_start(struct command *command, const struct frame_start *start)
{
	struct ends ends = {.ours = {-1, -1, -1}, .theirs = {-1, -1, -1}};
	int number = start->terminal ? terminal_open(&ends, start) : pipes_open(&ends);

	if (!number)
		number = child_start(&command->pid, start, &ends);
	ends_close(ends.theirs);
	if (number) {
		ends_close(ends.ours);
		return number;
	}
	for (int i = 0; i < 3; i++)
		if (ends.ours[i] >= 0)
			fcntl(ends.ours[i], F_SETFL, O_NONBLOCK);
	command->input = ends.ours[0];
	command->output = ends.ours[1];
	command->errors = ends.ours[2];
	return 0;
}

/* Of a process, from /proc/PID/stat: the third number after its name in parentheses. */
static pid_t session_of(const char *pid)
{
	char path[300], text[512];
	const char *after;
	ssize_t n = -1;
	int session = -1, fd;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = '\0';
	after = strrchr(text, ')');
	if (!after || sscanf(after + 1, " %*c %*d %*d %d", &session) != 1)
		return -1;
	return session;
}

void command_signal(pid_t leader, int number)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9' &&
		    session_of(entry->d_name) == leader)
			kill((pid_t)strtol(entry->d_name, NULL, 10), number);
	if (dir)
		closedir(dir);
}
