// SPDX-License-Identifier: GPL-2.0-only
/* A test program whose first argument says how it behaves. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef UNBUILT
#error this program is not to be built
#endif

/* What of the world that tests are promised is missing? */
static int good(const char *argument)
{
	static const char *const paths[] = {
		"/proc/self/status",
		"/sys/devices/system/cpu/online",
		"/sys/fs/cgroup/cgroup.procs",
		"/dev/null",
		"/dev/shm",
		"/tmp",
	};
	const char *word = getenv("WORD");
	struct utsname name;
	char config[128];
	int missing = 0;

	uname(&name);
	snprintf(config, sizeof(config), "/boot/config-%s", name.release);
	if (access(config, R_OK) != 0) {
		printf("missing: %s\n", config);
		missing++;
	}

	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		if (access(paths[i], F_OK) == 0)
			continue;
		printf("missing: %s\n", paths[i]);
		missing++;
	}
	if (getchar() != EOF) {
		printf("there is input\n");
		missing++;
	}
	printf("%s %s\n", argument, word ? word : "(none)");
	return missing;
}

/* Its children ignore what can be ignored and leave its session; their children do the same. */
static void breed(void)
{
	for (int i = 0; i < 20; i++) {
		if (fork() != 0)
			continue;
		setsid();
		signal(SIGTERM, SIG_IGN);
		signal(SIGHUP, SIG_IGN);
		if (fork() == 0)
			setsid();
		for (;;)
			pause();
	}
	printf("bred\n");
}

static int write_to(const char *path, int number)
{
	FILE *file = fopen(path, "w");

	return file && fprintf(file, number ? "%d" : "FROZEN", number) > 0 && fclose(file) == 0;
}

/* A child that cgroup v1's freezer holds: SIGKILL ends it only once it is thawed. */
static int freeze(void)
{
	pid_t child = fork();

	while (child == 0)
		pause();
	mkdir("/tmp/freezer", 0755);
	if (mount("freezer", "/tmp/freezer", "cgroup", 0, "freezer") != 0 ||
	    mkdir("/tmp/freezer/ice", 0755) != 0 ||
	    !write_to("/tmp/freezer/ice/cgroup.procs", child) ||
	    !write_to("/tmp/freezer/ice/freezer.state", 0))
		return 1;
	printf("froze\n");
	return 0;
}

static void kill_everybody(void)
{
	kill(1, SIGKILL);
	kill(1, SIGSTOP);
	kill(-1, SIGKILL);
	printf("alone\n");
}

/* Blocks of 4 KiB; less than none: without end. */
static void talk(int blocks)
{
	static char garbage[4096];

	memset(garbage, '{', sizeof(garbage));
	while (blocks-- && fwrite(garbage, 1, sizeof(garbage), stdout) > 0)
		;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "good") == 0)
		return good(argc == 3 ? argv[2] : "(not one argument)");
	if (strcmp(mode, "count") == 0)
		printf("once\n");
	else if (strcmp(mode, "status") == 0)
		return printf("status %s\n", argv[2]) < 0 ? 1 : (int)strtol(argv[2], NULL, 10);
	else if (strcmp(mode, "crash") == 0)
		raise(SIGSEGV);
	else if (strcmp(mode, "sleep") == 0)
		for (printf("asleep\n");;)
			pause();
	else if (strcmp(mode, "flood") == 0)
		talk(-1);
	else if (strcmp(mode, "talk") == 0)
		talk(272);
	else if (strcmp(mode, "breed") == 0)
		breed();
	else if (strcmp(mode, "freeze") == 0)
		return freeze();
	else if (strcmp(mode, "kill") == 0)
		kill_everybody();
	else if (strcmp(mode, "ktap") == 0)
		printf("KTAP version 1\n1..1\n  KTAP version 1\n  1..2\n  ok 1 right\n"
		       "  not ok 2 wrong\nnot ok 1 outer\n");
	else if (strcmp(mode, "short") == 0)
		printf("TAP version 13\n1..3\nok 1 a\nok 2 b\n");
	else
		return 99;
	return 0;
}
