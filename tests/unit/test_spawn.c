// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/spawn.h"

#include <fcntl.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_output(void)
{
	g_autofree char *output = NULL;
	g_autoptr(GError) error = NULL;

	g_assert_true(spawn_run((const char *const[]){"echo", "a b", "$HOME", NULL}, NULL, &output,
				&error));
	g_assert_no_error(error);
	/* No shell: nothing is expanded. */
	g_assert_cmpstr(output, ==, "a b $HOME\n");
}

static void test_environment(void)
{
	static const char *const added[] = {"ADDED=x=y", NULL};
	const struct spawn_options options = {.folder = "/", .environment = added};
	g_autofree char *output = NULL;
	g_autofree char *folder = NULL;
	g_auto(GStrv) lines = NULL;
	const char *const *all;

	g_setenv("SECRET_TOKEN", "s", TRUE);
	g_setenv("LD_PRELOAD_X", "s", TRUE);
	g_setenv("TOPOLAB_KEPT", "k", TRUE);
	g_assert_true(spawn_run((const char *const[]){"env", NULL}, &options, &output, NULL));
	lines = g_strsplit(output, "\n", -1);
	all = (const char *const *)lines;
	g_assert_true(g_strv_contains(all, "ADDED=x=y"));
	g_assert_true(g_strv_contains(all, "TOPOLAB_KEPT=k"));
	g_assert_true(g_strv_contains(all, "LC_ALL=C.UTF-8"));
	g_assert_false(g_strv_contains(all, "SECRET_TOKEN=s"));
	g_assert_false(g_strv_contains(all, "LD_PRELOAD_X=s"));
	g_assert_true(spawn_run((const char *const[]){"pwd", NULL}, &options, &folder, NULL));
	g_assert_cmpstr(folder, ==, "/\n");
}

static void assert_fails(const char *const *argv, const char *part)
{
	g_autoptr(GError) error = NULL;

	g_assert_false(spawn_run(argv, NULL, NULL, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	if (!strstr(error->message, part))
		g_test_fail_printf("'%s' does not say '%s'", error->message, part);
}

static void test_failures(void)
{
	assert_fails((const char *const[]){"topolab-no-such-program", "x", NULL},
		     "cannot start 'topolab-no-such-program x'");
	assert_fails((const char *const[]){"false", NULL}, "'false' failed (");
	assert_fails((const char *const[]){"ls", "/no such file", NULL}, "No such file");
	assert_fails((const char *const[]){"ls", "/no such file", NULL},
		     "'ls '/no such file'' failed");
}

static void test_command_line(void)
{
	g_autofree char *line = spawn_command_line(
		(const char *const[]){"/bin/ls", "-l", "a b", "it's", "", "x=1,y:z@%+", NULL});

	g_assert_cmpstr(line, ==, "/bin/ls -l 'a b' 'it'\\''s' '' x=1,y:z@%+");
}

/* The child reads descriptor 3 and writes to 4; nothing else of ours is open in it. */
static void test_descriptors(void)
{
	const char *argv[] = {"/proc/self/exe", "child", NULL};
	g_autoptr(GError) error = NULL;
	char text[64] = "";
	int in[2], out[2], status, other;
	pid_t pid;

	g_assert_cmpint(pipe2(in, O_CLOEXEC), ==, 0);
	g_assert_cmpint(pipe2(out, O_CLOEXEC), ==, 0);
	other = open("/dev/null", O_RDONLY | O_CLOEXEC);
	/* Given in an order in which a naive dup2() would overwrite one by the other. */
	pid = spawn_start(argv, (const int[]){in[0], out[1]}, 2, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpint(pid, >, 0);
	close(in[0]);
	close(out[1]);
	g_assert_cmpint(write(in[1], "q", 1), ==, 1);
	close(in[1]);
	g_assert_cmpint(read(out[0], text, sizeof(text) - 1), >, 0);
	close(out[0]);
	close(other);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
	/* What was read, whether it leads a process group, descriptors open beyond stderr. */
	g_assert_cmpstr(text, ==, "q leader 2");
}

static int child_main(void)
{
	g_autofree char *text = NULL;
	unsigned n_open = 0;
	char byte = '?';

	if (read(3, &byte, 1) != 1)
		return 1;
	for (int fd = 3; fd < 256; fd++)
		n_open += fcntl(fd, F_GETFD) >= 0;
	text = g_strdup_printf("%c %s %u", byte, getpgrp() == getpid() ? "leader" : "member",
			       n_open);
	return write(4, text, strlen(text)) < 0;
}

/* SIGTERM comes with our death: the grandchild's pipe closes although nobody told it to end. */
static void test_parent_death(void)
{
	int alive[2];
	struct pollfd ended = {.events = POLLIN};
	pid_t parent;
	char byte;

	g_assert_cmpint(pipe2(alive, O_CLOEXEC), ==, 0);
	ended.fd = alive[0];
	parent = fork();
	if (parent == 0) {
		const char *argv[] = {"/proc/self/exe", "sleep", NULL};

		if (spawn_start(argv, (const int[]){alive[1]}, 1, NULL, NULL) < 0)
			_exit(1);
		close(alive[1]);
		for (;;)
			pause();
	}
	close(alive[1]);
	/* The grandchild says that it runs. */
	g_assert_cmpint(read(alive[0], &byte, 1), ==, 1);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	/* Left alone it would live for a minute. */
	g_assert_cmpint(poll(&ended, 1, 20 * 1000), ==, 1);
	g_assert_cmpint(read(alive[0], &byte, 1), ==, 0);
	close(alive[0]);
}

static int sleep_main(void)
{
	alarm(60);
	if (write(3, "x", 1) != 1)
		return 1;
	for (;;)
		pause();
}

static int never_run(int fd G_GNUC_UNUSED, void *data G_GNUC_UNUSED)
{
	return 1;
}

static unsigned count_open(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* In a child that may start no process: RLIMIT_NPROC holds for everybody but root. */
static int refused_main(void)
{
	const struct rlimit none = {0, 0};
	g_autoptr(GError) error = NULL;
	unsigned n_open = count_open();

	if (geteuid() == 0 && setuid(65534) != 0)
		return 2;
	if (setrlimit(RLIMIT_NPROC, &none) != 0)
		return 2;
	if (spawn_function("the child", never_run, NULL, NULL, 5, 100, &error))
		return 3;
	if (!g_str_has_prefix(error->message, "cannot start the child: "))
		return 4;
	return count_open() == n_open ? 0 : 5;
}

static void test_fork_refused(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(refused_main());
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "child") == 0)
		return child_main();
	if (argc == 2 && strcmp(argv[1], "sleep") == 0)
		return sleep_main();
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/spawn/output", test_output);
	g_test_add_func("/spawn/environment", test_environment);
	g_test_add_func("/spawn/failures", test_failures);
	g_test_add_func("/spawn/command-line", test_command_line);
	g_test_add_func("/spawn/descriptors", test_descriptors);
	g_test_add_func("/spawn/fork-refused", test_fork_refused);
	g_test_add_func("/spawn/parent-death", test_parent_death);
	return g_test_run();
}
