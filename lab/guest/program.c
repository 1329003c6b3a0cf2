// SPDX-License-Identifier: GPL-2.0-only
#include "guest/program.h"

#include "base/test_job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/* How often the program is looked at while it says nothing. */
#define LOOK_MS 20
/* So long processes that were killed may take to go, on a guest that gets little time. */
#define KILL_MS 20000
/* How often those that are left are counted meanwhile, which takes some work. */
#define COUNT_MS 1000
/* USER_HZ of include/asm-generic/param.h, for x86 */
#define TICKS_PER_SECOND 100

struct run {
	const struct program *program;
	struct program_answer *answer;
	pid_t pid;
	int output; /* our end */
	int ended;
	unsigned long long begun_ticks;
	long long news_ms;
};

long long program_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/*
 * A terminal, because stdio then writes whole lines at once: what was printed before a program was
 * killed is not lost, and children that it forks do not print it a second time. It is nobody's
 * controlling terminal and changes no byte.
 */
static int terminal_open(int *ours, int *theirs)
{
	struct termios modes;
	char name[64];

	*theirs = -1;
	*ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (*ours >= 0 && unlockpt(*ours) == 0 && ptsname_r(*ours, name, sizeof(name)) == 0)
		*theirs = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (*theirs >= 0 && tcgetattr(*theirs, &modes) == 0) {
		cfmakeraw(&modes);
		if (tcsetattr(*theirs, TCSANOW, &modes) == 0)
			return 0;
	}
	if (*theirs >= 0)
		close(*theirs);
	if (*ours >= 0)
		close(*ours);
	return -1;
}

static int output_open(int *ours, int *theirs)
{
	int fds[2];

	if (terminal_open(ours, theirs) == 0)
		return 0;
	if (pipe2(fds, O_CLOEXEC) != 0)
		return -1;
	*ours = fds[0];
	*theirs = fds[1];
	return fcntl(*ours, F_SETFL, O_NONBLOCK);
}

static void child_exec(const struct program *program, int output, int report)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int number;

	setsid();
	dup2(null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	umask(022);
	for (unsigned i = 0; program->environment[i]; i++)
		putenv(program->environment[i]);
	if (chdir("/tmp") == 0)
		execv(program->arguments[0], program->arguments);
	number = errno;
	if (write(report, &number, sizeof(number)) < 0)
		_exit(126);
	_exit(127);
}

/* 0, or errno. The report's end closes when the program has begun. */
static int child_start(struct run *run, int output)
{
	int fds[2], number = 0;
	ssize_t n;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return errno;
	run->pid = fork();
	if (run->pid == 0)
		child_exec(run->program, output, fds[1]);
	if (run->pid < 0)
		number = errno;
	close(fds[1]);
	while (run->pid > 0 && (n = read(fds[0], &number, sizeof(number))) < 0 && errno == EINTR)
		;
	close(fds[0]);
	return number;
}

/* Everything that is there. */
static void output_take(struct run *run)
{
	static char chunk[16384];
	struct text *output = run->program->output;
	ssize_t n;

	while ((n = read(run->output, chunk, sizeof(chunk))) > 0) {
		size_t room = run->program->output_max - output->length;
		size_t kept = (size_t)n < room ? (size_t)n : room;

		text_add(output, chunk, kept);
		run->answer->dropped += (size_t)n - kept;
		/* One that writes without end must not keep us from looking at the time. */
		if (program_now_ms() >= run->program->end_ms)
			break;
	}
}

/* What ended, and what it left to PID 1. */
static void children_reap(struct run *run)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != run->pid || run->ended)
			continue;
		run->ended = 1;
		run->answer->end = WIFSIGNALED(status) ? PROGRAM_SIGNALLED : PROGRAM_EXITED;
		run->answer->number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
	}
}

/* Since boot, in the unit of /proc/PID/stat. */
static unsigned long long now_ticks(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (unsigned long long)now.tv_sec * TICKS_PER_SECOND +
	       (unsigned long long)now.tv_nsec / (1000000000 / TICKS_PER_SECOND);
}

/* proc(5): behind the name, state (3), parent (4), 17 more, and when it began (22). */
static int is_of_run(const struct run *run, const char *stat)
{
	const char *after = strrchr(stat, ')');
	unsigned long long begun;
	int parent;

	/* Kernel threads are children of kthreadd, and it is nobody's child. */
	return after &&
	       sscanf(after + 1,
		      " %*c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		      "%llu",
		      &parent, &begun) == 2 &&
	       parent != 2 && begun >= run->begun_ticks;
}

/*
 * Processes that began with the run: what an earlier program left, and nothing ends, is not this
 * one's.
 */
static unsigned processes_count(const struct run *run)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	unsigned n = 0;

	while (dir && (entry = readdir(dir))) {
		char path[300], text[512];
		int fd, pid = 0;
		ssize_t length;

		if (sscanf(entry->d_name, "%d", &pid) != 1 || pid < 3)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		length = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
		if (fd >= 0)
			close(fd);
		text[length > 0 ? length : 0] = '\0';
		n += is_of_run(run, text) ? 1 : 0;
	}
	if (dir)
		closedir(dir);
	return n;
}

/*
 * Whatever it started, in whatever session: to PID 1 "everybody" is everybody else but kernel
 * threads. kill(2) and fork(2) exclude each other, so no child escapes.
 */
static void everybody_kill(struct run *run)
{
	long long end_ms = program_now_ms() + KILL_MS;
	long long count_ms = program_now_ms() + COUNT_MS;

	kill(-1, SIGKILL);
	while (program_now_ms() < end_ms) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno == ECHILD)
			break;
		if (pid == 0) {
			output_take(run);
			usleep(LOOK_MS * 1000);
		}
		if (program_now_ms() < count_ms)
			continue;
		if (processes_count(run) == 0)
			break;
		count_ms = program_now_ms() + COUNT_MS;
	}
	run->answer->left = processes_count(run);
}

static void run_watch(struct run *run)
{
	const struct program *program = run->program;

	while (!run->ended) {
		struct pollfd polled = {.fd = run->output, .events = POLLIN};
		long long now = program_now_ms();

		if (now >= program->end_ms) {
			run->answer->end = PROGRAM_TIMEOUT;
			return;
		}
		if (now >= run->news_ms) {
			program->news(program->data);
			run->news_ms = now + TEST_NEWS_SECONDS * 1000;
		}
		/* A terminal that nobody has open any more hangs up at once, without end. */
		if (poll(&polled, 1, LOOK_MS) == 1 && !(polled.revents & POLLIN))
			usleep(LOOK_MS * 1000);
		output_take(run);
		children_reap(run);
	}
}

void program_run(const struct program *program, struct program_answer *answer)
{
	struct run run = {
		.program = program,
		.answer = answer,
		.begun_ticks = now_ticks(),
		.news_ms = program_now_ms() + TEST_NEWS_SECONDS * 1000,
	};
	int theirs, number;

	*answer = (struct program_answer){.end = PROGRAM_NOT_STARTED};
	if (output_open(&run.output, &theirs) != 0) {
		answer->number = errno;
		return;
	}
	number = child_start(&run, theirs);
	close(theirs);
	if (number)
		answer->number = number;
	else
		run_watch(&run);
	everybody_kill(&run);
	output_take(&run);
	close(run.output);
}
