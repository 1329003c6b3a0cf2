// SPDX-License-Identifier: GPL-2.0-only
/*
 * attend SECONDS: starts /tests/scheduler, a program that loads a sched_ext scheduler, and attends
 * it while tasks compete for every CPU and wake each other. Says in KTAP whether it was enabled,
 * stayed so for SECONDS, and was disabled by nothing but the SIGINT that ends it.
 *
 * Why a scheduler went only the kernel's log tells, and the exit status of many schedulers is 0
 * even if the watchdog threw them out. Texts are those of kernel/sched/ext.c, 6.12, and of
 * kernel/sched/ext/ext.c, 7.3: 'BPF scheduler "NAME" enabled', '... disabled (REASON)'.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SCHEDULER "/tests/scheduler"
#define STATE	  "/sys/kernel/sched_ext/state"
#define OUTPUT	  "/tmp/scheduler.log"
/* The verifier takes seconds under emulation. */
#define ENABLE_MS  60000
#define DISABLE_MS 30000
#define POLL_MS	   50
#define EXIT_SKIP  4
#define OUTPUT_MAX 65536
/*
 * Tasks that are busy most of the time, and pairs that wake each other: one of each for so many
 * CPUs. More, on emulated CPUs, and the kernel's own tasks come too late.
 */
#define CPUS_A_TASK 4

struct scheduler {
	pid_t pid;
	int kmsg;   /* the kernel's log from the start on */
	bool ended; /* waited for */
	int status;
	bool was_enabled; /* by the log */
	bool starved;	  /* the guest was not run for as long as the watchdog waits */
	char reason[256]; /* why it was disabled; "": it was not */
};

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void pause_ms(long ms)
{
	struct timespec span = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&span, NULL);
}

static bool state_is(const char *wanted)
{
	char text[32] = "";
	int fd = open(STATE, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, wanted) == 0;
}

/* What stands between the last "disabled (" of a line and its ')'. */
static void take_line(struct scheduler *scheduler, const char *line)
{
	const char *disabled = strstr(line, " disabled (");
	size_t length;

	/* scx_tick(): no CPU ran the watchdog, so the host did not run the guest. */
	if (strstr(line, "watchdog failed to check in for"))
		scheduler->starved = true;
	if (!strstr(line, "sched_ext: BPF "))
		return;
	if (strstr(line, " enabled"))
		scheduler->was_enabled = true;
	if (!disabled)
		return;
	disabled += strlen(" disabled (");
	length = strcspn(disabled, "\n");
	while (length && disabled[length] != ')')
		length--;
	if (length >= sizeof(scheduler->reason))
		length = sizeof(scheduler->reason) - 1;
	memcpy(scheduler->reason, disabled, length);
	scheduler->reason[length] = '\0';
}

/* Each read of /dev/kmsg is one record. */
static void read_log(struct scheduler *scheduler)
{
	char record[8192];
	ssize_t n;

	for (;;) {
		n = read(scheduler->kmsg, record, sizeof(record) - 1);
		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			return;
		record[n] = '\0';
		take_line(scheduler, record);
	}
}

/* What it prints lies in memory, and is its own affair. */
static void bound_output(void)
{
	struct stat status;

	if (stat(OUTPUT, &status) == 0 && status.st_size > OUTPUT_MAX && truncate(OUTPUT, 0) != 0)
		perror(OUTPUT);
}

static bool has_ended(struct scheduler *scheduler)
{
	bound_output();
	if (!scheduler->ended)
		scheduler->ended =
			waitpid(scheduler->pid, &scheduler->status, WNOHANG) == scheduler->pid;
	return scheduler->ended;
}

static void start(struct scheduler *scheduler)
{
	int output;

	scheduler->pid = fork();
	if (scheduler->pid)
		return;
	setpgid(0, 0);
	output = open(OUTPUT, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
	if (output >= 0) {
		dup2(output, STDOUT_FILENO);
		dup2(output, STDERR_FILENO);
	}
	execl(SCHEDULER, SCHEDULER, (char *)NULL);
	fprintf(stderr, "cannot start it: %s\n", strerror(errno));
	_exit(127);
}

/* Until it says what it is to say; false: it ended before that or the time was over. */
static bool wait_for_state(struct scheduler *scheduler, const char *state, long ms)
{
	long end = now_ms() + ms;

	while (now_ms() < end) {
		if (state_is(state))
			return true;
		if (has_ended(scheduler) && strcmp(state, "enabled") == 0)
			return state_is(state);
		pause_ms(POLL_MS);
	}
	return false;
}

/* Now and then it sleeps, so that it is woken, too. */
static void be_busy(void)
{
	for (;;) {
		long end = now_ms() + 20;

		while (now_ms() < end)
			;
		pause_ms(10);
	}
}

static void be_pair(void)
{
	int there[2], back[2];
	char c = 0;

	if (pipe(there) || pipe(back))
		_exit(1);
	if (fork() == 0) {
		while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
			;
		_exit(0);
	}
	while (write(there[1], &c, 1) == 1 && read(back[0], &c, 1) == 1)
		;
	_exit(0);
}

static void load(void (*task)(void))
{
	long n = sysconf(_SC_NPROCESSORS_ONLN) / CPUS_A_TASK + 1;

	for (long i = 0; i < n; i++)
		if (fork() == 0)
			task();
}

static bool attend(struct scheduler *scheduler, long seconds)
{
	long end = now_ms() + seconds * 1000;
	bool well = true;

	while (well && now_ms() < end) {
		pause_ms(POLL_MS);
		well = state_is("enabled") && !has_ended(scheduler);
	}
	return well;
}

static void end(struct scheduler *scheduler)
{
	long last = now_ms() + DISABLE_MS;

	if (!has_ended(scheduler))
		kill(-scheduler->pid, SIGINT);
	while (!has_ended(scheduler) && now_ms() < last)
		pause_ms(POLL_MS);
	if (!scheduler->ended) {
		kill(-scheduler->pid, SIGKILL);
		waitpid(scheduler->pid, &scheduler->status, 0);
		scheduler->ended = true;
	}
	wait_for_state(scheduler, "disabled", DISABLE_MS);
	read_log(scheduler);
}

static void print_output(void)
{
	FILE *file = fopen(OUTPUT, "r");
	char line[1024];

	while (file && fgets(line, sizeof(line), file))
		printf("# %s%s", line, strchr(line, '\n') ? "" : "\n");
	if (file)
		fclose(file);
}

static void say(int number, bool ok, const char *what)
{
	printf("%sok %d %s\n", ok ? "" : "not ", number, what);
}

static int finish(struct scheduler *scheduler, bool stayed)
{
	bool quiet = strncmp(scheduler->reason, "unregistered from user space",
			     strlen("unregistered from user space")) == 0;

	if (scheduler->reason[0])
		printf("# disabled: %s\n", scheduler->reason);
	if (WIFSIGNALED(scheduler->status))
		printf("# ended by signal %d\n", WTERMSIG(scheduler->status));
	else
		printf("# exit status %d\n", WEXITSTATUS(scheduler->status));
	print_output();
	if (scheduler->starved) {
		printf("# the host did not run the guest for as long as the watchdog waits\n");
		return EXIT_SKIP;
	}
	/* It may have been over before anybody looked. */
	say(1, scheduler->was_enabled, "enabled");
	say(2, stayed, "stays-enabled");
	say(3, quiet, "disabled-by-nothing-else");
	return scheduler->was_enabled && stayed && quiet ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct scheduler scheduler = {0};
	long seconds = argc > 1 ? atol(argv[1]) : 10;
	bool enabled, stayed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("TAP version 13\n");
	if (access(SCHEDULER, F_OK) != 0) {
		printf("1..0 # SKIP no scheduler was given: name one with --scheduler\n");
		return EXIT_SKIP;
	}
	scheduler.kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (scheduler.kmsg < 0 || !state_is("disabled")) {
		printf("1..0 # SKIP there is no /dev/kmsg or sched_ext is not at rest\n");
		return EXIT_SKIP;
	}
	lseek(scheduler.kmsg, 0, SEEK_END);
	printf("1..3\n");
	fflush(stdout);
	start(&scheduler);
	enabled = wait_for_state(&scheduler, "enabled", ENABLE_MS);
	load(be_busy);
	load(be_pair);
	stayed = enabled && attend(&scheduler, seconds);
	end(&scheduler);
	return finish(&scheduler, stayed);
}
