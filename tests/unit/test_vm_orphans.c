// SPDX-License-Identifier: GPL-2.0-only
/* Whom a sweep may end: processes in a made-up /proc, roots with and without living owners. */
#include "base/error.h"
#include "base/tree.h"
#include "vm/locks.h"
#include "vm/process.h"
#include "vm/silence.h"
#include "vm/vm.h"

#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
	char *folder;
	char *runtime;
};

static void fixture_setup(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	fixture->folder = g_dir_make_tmp("o-XXXXXX", NULL);
	g_assert_nonnull(fixture->folder);
	fixture->runtime = g_build_filename(fixture->folder, "r", NULL);
	g_setenv("TOPOLAB_RUNTIME", fixture->runtime, TRUE);
	g_setenv("TOPOLAB_CACHE", fixture->folder, TRUE);
}

static void fixture_teardown(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autoptr(GError) error = NULL;

	g_assert_true(tree_remove(fixture->folder, &error));
	g_assert_no_error(error);
	g_free(fixture->folder);
	g_free(fixture->runtime);
}

static bool exists(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* Words of @command_line are separated by '|'; /proc ends each with a NUL. */
static void fake_process(const char *proc, const char *pid, const char *comm,
			 const char *command_line)
{
	g_autofree char *folder = g_build_filename(proc, pid, NULL);
	g_autofree char *comm_path = g_build_filename(folder, "comm", NULL);
	g_autofree char *line_path = g_build_filename(folder, "cmdline", NULL);
	g_autofree char *line = g_strdup(command_line);
	gsize length = strlen(line);

	g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
	g_assert_true(g_file_set_contents(comm_path, comm, -1, NULL));
	g_strdelimit(line, "|", '\0');
	g_assert_true(g_file_set_contents(line_path, line, length ? (gssize)length + 1 : 0, NULL));
}

static void test_find(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	const char *proc = fixture->folder;
	AUTO(root) *root = root_new_dir(proc);
	g_autoptr(GArray) pids = NULL;

	fake_process(proc, "10", "qemu-system-x86\n",
		     "/usr/bin/qemu-system-x86_64|-kernel|/run/topolab/aaaaaaaa/kernel");
	fake_process(
		proc, "11", "qemu-system-x86\n",
		"qemu-system-x86_64|-qmp|unix:/run/topolab/aaaaaaaa/lib/qemu/qmp-X/qmp.monitor");
	/* Another root's, whose name begins alike. */
	fake_process(proc, "12", "qemu-system-x86\n",
		     "/usr/bin/qemu-system-x86_64|-kernel|/run/topolab/aaaaaaaabb/kernel");
	/* Somebody reads our console. */
	fake_process(proc, "13", "less\n", "less|/run/topolab/aaaaaaaa/log/qemu/t.log");
	/* Names can be chosen freely; both have to be QEMU's. */
	fake_process(proc, "14", "python3\n", "qemu-system-x86_64|/run/topolab/aaaaaaaa/kernel");
	fake_process(proc, "15", "qemu-system-x86\n", "python3|/run/topolab/aaaaaaaa/kernel");
	/* The worker itself. */
	fake_process(proc, "16", "exe\n", "/proc/self/exe|worker|/run/topolab/aaaaaaaa");
	/* A zombie. */
	fake_process(proc, "17", "qemu-system-x86\n", "");
	fake_process(proc, "self", "qemu-system-x86\n",
		     "/usr/bin/qemu-system-x86_64|-kernel|/run/topolab/aaaaaaaa/kernel");

	pids = process_find(root, "/run/topolab/aaaaaaaa");
	g_assert_cmpuint(pids->len, ==, 2);
	g_assert_cmpint(g_array_index(pids, pid_t, 0), ==, 10);
	g_assert_cmpint(g_array_index(pids, pid_t, 1), ==, 11);
}

/* Names are free: "(x) T (y)" is one. */
static void test_stopped(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	static const struct {
		const char *pid, *stat;
		bool stopped;
	} processes[] = {
		{"20", "20 (qemu-system-x86) S 1 20\n", false},
		{"21", "21 (qemu-system-x86) T 1 21\n", true},
		{"22", "22 (qemu-system-x86) t 1 22\n", true},
		{"23", "23 (x) T (y) R 1 23\n", false},
		{"24", "24 (x) R (y) T 1 24\n", true},
		{"25", "", false},
	};
	AUTO(root) *proc = root_new_dir(fixture->folder);

	for (unsigned i = 0; i < G_N_ELEMENTS(processes); i++) {
		g_autofree char *folder = g_build_filename(fixture->folder, processes[i].pid, NULL);
		g_autofree char *path = g_build_filename(folder, "stat", NULL);
		pid_t pid = (pid_t)(20 + i);

		g_assert_cmpint(g_mkdir(folder, 0700), ==, 0);
		g_assert_true(g_file_set_contents(path, processes[i].stat, -1, NULL));
		g_assert_true(process_is_stopped(proc, pid) == processes[i].stopped);
	}
	g_assert_false(process_is_stopped(proc, 26));
}

/* Two threads, and one that just ended: sched-stats.rst gives the three fields of each. */
static void test_cpu_time(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	static const char *const threads[][2] = {
		{"30", "1000 200 5\n"}, {"31", "30 4 1\n"}, {"32", ""}};
	AUTO(root) *proc = root_new_dir(fixture->folder);
	struct cpu_time time;

	g_assert_false(process_cpu_time(proc, 30, &time));
	for (unsigned i = 0; i < G_N_ELEMENTS(threads); i++) {
		g_autofree char *folder =
			g_build_filename(fixture->folder, "30", "task", threads[i][0], NULL);
		g_autofree char *path = g_build_filename(folder, "schedstat", NULL);

		g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
		g_assert_true(g_file_set_contents(path, threads[i][1], -1, NULL));
	}
	g_assert_true(process_cpu_time(proc, 30, &time));
	g_assert_cmpuint(time.ran_ns, ==, 1030);
	g_assert_cmpuint(time.waited_ns, ==, 204);
}

/* In ten seconds on two CPUs; times in milliseconds. */
static void test_starved(void)
{
	static const struct {
		guint64 ran, waited;
		bool starved;
	} cases[] = {
		{10000, 0, false},     /* a vCPU spins and has its CPU */
		{20000, 15000, false}, /* more vCPUs than CPUs, but most of what they want */
		{3000, 7000, true},    /* a vCPU spins, and others take its CPU */
		{20, 400, false},      /* a halted guest: its timers come late, nobody minds */
		{20, 2600, true},
		{19000, 300000, false}, /* 32 vCPUs spin, and nobody else runs */
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct cpu_time before = {5, 7};
		struct cpu_time after = {5 + cases[i].ran * 1000000, 7 + cases[i].waited * 1000000};

		g_assert_true(silence_is_starved(&before, &after, 10 * G_USEC_PER_SEC, 2) ==
			      cases[i].starved);
		g_assert_false(silence_is_starved(&after, &before, 10 * G_USEC_PER_SEC, 2));
	}
}

static void test_names(void)
{
	g_autofree char *a = locks_new_name();
	g_autofree char *b = locks_new_name();

	g_assert_true(locks_is_name(a));
	g_assert_cmpstr(a, !=, b);
	/* Monitor sockets lie below: no longer than twelve characters. */
	g_assert_cmpuint(strlen(a), <=, 12);
	g_assert_false(locks_is_name("abcdefg"));
	g_assert_false(locks_is_name("abcdefgh2"));
	g_assert_false(locks_is_name("ABCDEFGH"));
	g_assert_false(locks_is_name("lost+fou"));
}

static void test_root(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autoptr(GError) error = NULL;
	AUTO(vm_root) *root = vm_root_new(&error);
	g_autoptr(GBytes) bytes = g_bytes_new("abc", 3);
	g_autofree char *put = NULL;
	g_autofree char *copy = NULL;
	g_autofree char *path = NULL;
	g_autofree char *text = NULL;
	struct stat status;

	g_assert_no_error(error);
	put = vm_root_put(root, "kernel", bytes, &error);
	g_assert_no_error(error);
	copy = vm_root_put_file(root, "initrd", put, &error);
	g_assert_no_error(error);
	g_assert_true(g_file_get_contents(copy, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "abc");
	/* QEMU's user reads it, and enters the root but cannot list it. */
	g_assert_cmpint(stat(copy, &status), ==, 0);
	g_assert_cmpuint(status.st_mode & 0777, ==, 0644);
	g_assert_cmpint(stat(vm_root_path(root), &status), ==, 0);
	g_assert_cmpuint(status.st_mode & 0777, ==, 0711);
	g_assert_null(vm_root_put(root, "kernel", bytes, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);

	path = g_strdup(vm_root_path(root));
	g_clear_pointer(&root, vm_root_destroy);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	g_assert_true(g_file_test(fixture->runtime, G_FILE_TEST_IS_DIR));
}

/* In a child, so that the owner can die: makes a root, tells its path and waits for the end. */
static pid_t start_owner(char path[256])
{
	int fds[2];
	pid_t pid;

	g_assert_cmpint(pipe(fds), ==, 0);
	pid = fork();
	if (pid == 0) {
		struct vm_root *root = vm_root_new(NULL);
		const char *made = root ? vm_root_path(root) : "";

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (write(fds[1], made, strlen(made) + 1) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	g_assert_cmpint(read(fds[0], path, 256), >, 1);
	close(fds[0]);
	return pid;
}

static void end_owner(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_sweep(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	char living[256], dead[256];
	g_autoptr(GError) error = NULL;
	pid_t first = start_owner(living), second = start_owner(dead);
	g_autofree char *foreign = g_build_filename(fixture->runtime, "notes", NULL);
	g_autofree char *half = g_build_filename(fixture->runtime, "abcdefgh", NULL);

	g_assert_cmpint(vm_sweep(&error), ==, 0);
	g_assert_no_error(error);
	g_assert_true(g_file_test(dead, G_FILE_TEST_IS_DIR));

	end_owner(second);
	g_assert_cmpint(g_mkdir(foreign, 0700), ==, 0);
	/* A sweep that was killed half way leaves a root without its owner file. */
	g_assert_cmpint(g_mkdir(half, 0700), ==, 0);
	g_assert_cmpint(vm_sweep(&error), ==, 2);
	g_assert_no_error(error);
	g_assert_false(g_file_test(dead, G_FILE_TEST_EXISTS));
	g_assert_false(g_file_test(half, G_FILE_TEST_EXISTS));
	g_assert_true(g_file_test(living, G_FILE_TEST_IS_DIR));
	g_assert_true(exists(fixture->runtime, "notes"));
	g_assert_cmpint(vm_sweep(&error), ==, 0);

	end_owner(first);
	g_assert_cmpint(vm_sweep(&error), ==, 1);
	g_assert_no_error(error);
	g_assert_false(g_file_test(living, G_FILE_TEST_EXISTS));
}

/* libvirt's lock is of the fcntl kind: the worker lives on for a moment when its parent is dead. */
static void test_sweep_worker(struct fixture *fixture G_GNUC_UNUSED,
			      gconstpointer data G_GNUC_UNUSED)
{
	char path[256];
	g_autoptr(GError) error = NULL;
	pid_t owner = start_owner(path), worker;
	g_autofree char *folder = g_build_filename(path, "run", "qemu", NULL);
	g_autofree char *pid_file = g_build_filename(folder, "driver.pid", NULL);
	int fds[2];
	char byte;

	end_owner(owner);
	g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
	g_assert_cmpint(pipe(fds), ==, 0);
	worker = fork();
	if (worker == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
		int fd = open(pid_file, O_RDWR | O_CREAT, 0600);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (fcntl(fd, F_SETLK, &lock) < 0 || write(fds[1], "x", 1) < 0)
			_exit(1);
		for (;;)
			pause();
	}
	close(fds[1]);
	g_assert_cmpint(read(fds[0], &byte, 1), ==, 1);
	close(fds[0]);
	g_assert_cmpint(vm_sweep(&error), ==, 0);
	g_assert_true(g_file_test(path, G_FILE_TEST_IS_DIR));
	end_owner(worker);
	g_assert_cmpint(vm_sweep(&error), ==, 1);
	g_assert_no_error(error);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
}

/*
 * The trap of stale status files: a dead root names the pid of a process that has nothing to do
 * with it. libvirt would kill it on opening the root.
 */
static void test_sweep_stranger(struct fixture *fixture G_GNUC_UNUSED,
				gconstpointer data G_GNUC_UNUSED)
{
	char path[256];
	g_autoptr(GError) error = NULL;
	pid_t owner = start_owner(path), stranger;
	g_autofree char *folder = g_build_filename(path, "run", "qemu", NULL);
	g_autofree char *pid_file = g_build_filename(folder, "t.pid", NULL);
	g_autofree char *text = NULL;

	end_owner(owner);
	stranger = fork();
	if (stranger == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	text = g_strdup_printf("%d\n", stranger);
	g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
	g_assert_true(g_file_set_contents(pid_file, text, -1, NULL));
	g_assert_cmpint(vm_sweep(&error), ==, 1);
	g_assert_no_error(error);
	g_assert_cmpint(waitpid(stranger, NULL, WNOHANG), ==, 0);
	end_owner(stranger);
}

#define TEST(path, function)                                                                       \
	g_test_add(path, struct fixture, NULL, fixture_setup, function, fixture_teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	TEST("/vm/process/find", test_find);
	TEST("/vm/process/stopped", test_stopped);
	TEST("/vm/process/cpu-time", test_cpu_time);
	g_test_add_func("/vm/silence/starved", test_starved);
	g_test_add_func("/vm/locks/names", test_names);
	TEST("/vm/root", test_root);
	TEST("/vm/sweep/owners", test_sweep);
	TEST("/vm/sweep/worker", test_sweep_worker);
	TEST("/vm/sweep/stranger", test_sweep_stranger);
	return g_test_run();
}
