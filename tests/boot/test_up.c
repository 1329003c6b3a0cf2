// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest that stays up, as a user sees it: by its binary alone. nps1-mini on 6.12, whose virtio
 * console is built in, and on 6.1, where it is a module and commands go over the serial port.
 */
#include "base/root.h"
#include "vm/process.h"

#include "../run_topolab.h"

#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

/* For an answer of the guest, on a host that is busy with other things. */
#define ANSWER_SECONDS 120

struct fixture {
	char *folder;
};

static void fixture_setup(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *runtime = NULL;

	fixture->folder = g_dir_make_tmp("up-XXXXXX", NULL);
	/* QEMU may run as another user, who has to get through. */
	g_chmod(fixture->folder, 0711);
	runtime = g_build_filename(fixture->folder, "r", NULL);
	g_setenv("TOPOLAB_RUNTIME", runtime, TRUE);
}

static guint n_qemus(void)
{
	AUTO(root) *proc = root_new_dir("/proc");
	g_autoptr(GArray) pids = process_find(proc, g_getenv("TOPOLAB_RUNTIME"));

	return pids->len;
}

static bool runtime_is_empty(void)
{
	g_autoptr(GDir) dir = g_dir_open(g_getenv("TOPOLAB_RUNTIME"), 0, NULL);

	return dir && !g_dir_read_name(dir);
}

static void fixture_teardown(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct topolab_run run = topolab_run("down --all");

	topolab_run_clear(&run);
	g_assert_cmpuint(n_qemus(), ==, 0);
	g_assert_true(runtime_is_empty());
	folder_remove(fixture->folder);
	g_free(fixture->folder);
}

/* @wanted: exit status; the rest what must be in the output and in the errors; NULL: anything. */
static void expect(int wanted, const char *output, const char *errors, const char *arguments)
{
	struct topolab_run run = topolab_run("%s", arguments);

	g_assert_cmpint(run.status, ==, wanted);
	if (output)
		g_assert_nonnull(strstr(run.output, output));
	if (errors)
		g_assert_nonnull(strstr(run.errors, errors));
	topolab_run_clear(&run);
}

static void guest_up(struct fixture *fixture, const char *kernel)
{
	g_autofree char *arguments = g_strdup_printf(
		"up nps1-mini --accel tcg --kernel %s -o %s/out", kernel, fixture->folder);

	expect(0, ": PASS, files in", NULL, arguments);
	g_assert_cmpuint(n_qemus(), ==, 1);
}

static bool busybox_is_there(void)
{
	const char *chosen = g_getenv("TOPOLAB_BUSYBOX");

	return g_file_test(chosen && *chosen ? chosen : "/bin/busybox", G_FILE_TEST_EXISTS);
}

/* `exec -- cat` with a file as stdin and another as stdout. */
static void check_bytes(struct fixture *fixture, gsize length)
{
	g_autofree char *in = g_build_filename(fixture->folder, "in", NULL);
	g_autofree char *out = g_build_filename(fixture->folder, "out.bin", NULL);
	g_autofree char *path = topolab_path();
	g_autofree guint8 *bytes = g_malloc(length);
	g_autofree char *back = NULL;
	gsize back_length = 0;
	int status;
	pid_t pid;

	for (gsize i = 0; i < length; i++)
		bytes[i] = (guint8)g_test_rand_int();
	g_assert_true(g_file_set_contents(in, (char *)bytes, (gssize)length, NULL));
	pid = fork();
	if (pid == 0) {
		dup2(open(in, O_RDONLY), 0);
		dup2(open(out, O_WRONLY | O_CREAT, 0600), 1);
		execl(path, path, "exec", "nps1-mini", "--", "cat", NULL);
		_exit(1);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
	g_assert_true(g_file_get_contents(out, &back, &back_length, NULL));
	g_assert_cmpmem(back, back_length, bytes, length);
}

static void check_commands(void)
{
	expect(7, "8\n", "to-stderr\n",
	       "exec nps1-mini -- awk BEGIN{print(4+4);"
	       "print\"to-stderr\">\"/dev/stderr\";exit(7)}");
	/* The machine that was asked for: sixteen CPUs, two packages. */
	expect(0, "16\n", NULL, "exec nps1-mini -- nproc");
	expect(137, NULL, NULL, "exec nps1-mini -- sh -c kill${IFS}-9${IFS}$$");
	expect(127, NULL, "No such file or directory", "exec nps1-mini -- no-such-program");
	expect(126, NULL, "Permission denied", "exec nps1-mini -- /proc");
	expect(2, NULL, NULL, "exec nps1-mini");
	expect(2, NULL, "standard input is no terminal", "shell nps1-mini");
	expect(3, NULL, "'snc4-mini' is not up", "exec snc4-mini -- true");
}

/* Reads into @seen until @wanted is there; false: not in time. */
static bool await(int terminal, GString *seen, const char *wanted, unsigned seconds)
{
	gint64 limit = g_get_monotonic_time() + seconds * G_USEC_PER_SEC;
	char chunk[512];

	while (!strstr(seen->str, wanted)) {
		ssize_t got = read(terminal, chunk, sizeof(chunk));

		if (got > 0)
			g_string_append_len(seen, chunk, got);
		else
			g_usleep(10000);
		if (g_get_monotonic_time() > limit)
			return false;
	}
	return true;
}

static void send_keys(int terminal, const char *keys)
{
	g_assert_cmpint(write(terminal, keys, strlen(keys)), ==, (gssize)strlen(keys));
}

static void converse(int terminal, const char *keys, const char *wanted)
{
	g_autoptr(GString) seen = g_string_new(NULL);

	send_keys(terminal, keys);
	if (!await(terminal, seen, wanted, ANSWER_SECONDS))
		g_error("'%s' did not come but '%s'", wanted, seen->str);
}

/* A shell that is just starting its command misses a key, and a user presses it again. */
static void insist(int terminal, const char *key, const char *wanted)
{
	g_autoptr(GString) seen = g_string_new(NULL);

	for (unsigned i = 0; i < ANSWER_SECONDS / 2; i++) {
		send_keys(terminal, key);
		if (await(terminal, seen, wanted, 2))
			return;
	}
	g_error("'%s' did not come but '%s'", wanted, seen->str);
}

/* A shell that has just lost a job warns once, and goes when it is told again. */
static int leave_shell(int terminal, pid_t pid)
{
	g_autoptr(GString) seen = g_string_new(NULL);
	int status;

	for (unsigned i = 0; i < ANSWER_SECONDS / 2; i++) {
		send_keys(terminal, "exit 9\r");
		await(terminal, seen, "never comes", 2);
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WEXITSTATUS(status);
	}
	g_error("the shell does not end: '%s'", seen->str);
}

static void check_shell(void)
{
	g_autofree char *path = topolab_path();
	struct winsize size = {.ws_row = 33, .ws_col = 111};
	struct termios before, after;
	int terminal, slave;
	pid_t pid;

	g_assert_cmpint(openpty(&terminal, &slave, NULL, NULL, NULL), ==, 0);
	tcgetattr(slave, &before);
	pid = fork();
	if (pid == 0) {
		close(terminal);
		login_tty(dup(slave));
		execl(path, path, "shell", "nps1-mini", NULL);
		_exit(1);
	}
	fcntl(terminal, F_SETFL, O_NONBLOCK);
	converse(terminal, "", "# ");
	ioctl(terminal, TIOCSWINSZ, &size);
	converse(terminal, "sleep 1; stty size\r", "33 111");
	converse(terminal, "echo $((6*7))is; sleep 1000\r", "42is");
	/* Ctrl-C ends what runs in the guest, not the shell and not us. */
	insist(terminal, "\003", "# ");
	converse(terminal, "sleep 1000\r", "sleep");
	insist(terminal, "\032", "Stopped");
	converse(terminal, "kill -9 %1; wait; echo $((7*7))is\r", "49is");
	g_assert_cmpint(leave_shell(terminal, pid), ==, 9);
	tcgetattr(slave, &after);
	g_assert_cmpuint(after.c_lflag, ==, before.c_lflag);
	g_assert_cmpuint(after.c_iflag, ==, before.c_iflag);
	close(terminal);
	close(slave);
}

/* Ctrl-C without a terminal: the client ends, and then its command does. */
static void check_vanishing_client(void)
{
	g_autofree char *path = topolab_path();
	gint64 limit = g_get_monotonic_time() + ANSWER_SECONDS * G_USEC_PER_SEC;
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		/* A shell's background jobs ignore it. */
		signal(SIGINT, SIG_DFL);
		execl(path, path, "exec", "nps1-mini", "--", "sleep", "4321", NULL);
		_exit(1);
	}
	for (bool runs = false; !runs;) {
		struct topolab_run run = topolab_run("exec nps1-mini -- ps");

		runs = strstr(run.output, "sleep 4321") != NULL;
		topolab_run_clear(&run);
		g_assert_cmpint(g_get_monotonic_time(), <, limit);
	}
	kill(pid, SIGINT);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(WTERMSIG(status), ==, SIGINT);
	for (bool runs = true; runs;) {
		struct topolab_run run = topolab_run("exec nps1-mini -- ps");

		g_assert_cmpint(run.status, ==, 0);
		runs = strstr(run.output, "sleep 4321") != NULL;
		topolab_run_clear(&run);
		g_assert_cmpint(g_get_monotonic_time(), <, limit);
	}
}

static void test_virtio(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	if (!busybox_is_there()) {
		g_test_skip("busybox-static is not installed");
		return;
	}
	guest_up(fixture, "debian-6.12");
	check_commands();
	check_bytes(fixture, 1000000);
	check_shell();
	check_vanishing_client();
	expect(0, "nps1-mini", NULL, "up");
	expect(0, "is up already with 'debian-6.12'", NULL, "up nps1-mini");
	expect(2, NULL, "not with 'debian-7.3'", "up nps1-mini --kernel debian-7.3");
	expect(0, "'nps1-mini' is up and stays up", NULL, "clean");
	g_assert_cmpuint(n_qemus(), ==, 1);
	expect(0, "'nps1-mini' is down", NULL, "down nps1-mini");
	g_assert_cmpuint(n_qemus(), ==, 0);
	g_assert_true(runtime_is_empty());
	expect(3, NULL, "'nps1-mini' is not up", "exec nps1-mini -- true");
}

/* From the list of what is up: "..., keeper 1234, ...". */
static pid_t keeper_pid(void)
{
	struct topolab_run run = topolab_run("up");
	const char *at = strstr(run.output, "keeper ");
	pid_t pid = at ? (pid_t)g_ascii_strtoll(at + strlen("keeper "), NULL, 10) : 0;

	topolab_run_clear(&run);
	return pid;
}

static void test_serial(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	pid_t keeper;

	if (!busybox_is_there()) {
		g_test_skip("busybox-static is not installed");
		return;
	}
	guest_up(fixture, "debian-6.1");
	/* The driver is a module, and the guest has none. */
	expect(1, NULL, NULL, "exec nps1-mini -- ls /sys/class/virtio-ports");
	check_bytes(fixture, 100000);
	keeper = keeper_pid();
	g_assert_cmpint(keeper, >, 0);
	kill(keeper, SIGKILL);
	/* Its worker may still be at it; nothing is left once a command has looked. */
	for (unsigned i = 0; i < 600 && !runtime_is_empty(); i++) {
		struct topolab_run run = topolab_run("clean");

		topolab_run_clear(&run);
		g_usleep(100000);
	}
	g_assert_true(runtime_is_empty());
	g_assert_cmpuint(n_qemus(), ==, 0);
	expect(0, "no guest is up", NULL, "up");
}

/* nps1-mini with one more kernel argument, as a file of its own. */
static char *machine_with(struct fixture *fixture, const char *argument)
{
	g_autofree char *source =
		g_build_filename(TOPOLAB_SOURCE, "topologies/nps1-mini.yaml", NULL);
	char *path = g_build_filename(fixture->folder, "other.yaml", NULL);
	g_autofree char *text = NULL;
	g_autoptr(GString) changed = NULL;

	g_assert_true(g_file_get_contents(source, &text, NULL, NULL));
	changed = g_string_new(text);
	g_string_replace(changed, "name: nps1-mini\n", "name: other\n", 1);
	g_string_append_printf(changed, "boot: [%s]\n", argument);
	g_assert_true(g_file_set_contents(path, changed->str, -1, NULL));
	return path;
}

/* Linux finds no init and panics: that is told, and nothing stays. */
static void test_panic(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *path = machine_with(fixture, "rdinit=/nosuch");
	g_autofree char *arguments =
		g_strdup_printf("up %s --accel tcg -o %s/out", path, fixture->folder);

	expect(3, "Kernel panic - not syncing", NULL, arguments);
	g_assert_cmpuint(n_qemus(), ==, 0);
	g_assert_true(runtime_is_empty());
}

/* Ctrl-C while it boots. */
static void test_interrupted(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *path = topolab_path();
	g_autofree char *folder = g_build_filename(fixture->folder, "out", NULL);
	gint64 limit = g_get_monotonic_time() + ANSWER_SECONDS * G_USEC_PER_SEC;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGINT, SIG_DFL);
		execl(path, path, "up", "nps1-mini", "--accel", "tcg", "-o", folder, NULL);
		_exit(1);
	}
	while (n_qemus() == 0) {
		g_usleep(10000);
		g_assert_cmpint(g_get_monotonic_time(), <, limit);
	}
	kill(pid, SIGINT);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(WEXITSTATUS(status), ==, 3);
	g_assert_cmpuint(n_qemus(), ==, 0);
	g_assert_true(runtime_is_empty());
}

#define TEST(name)                                                                                 \
	g_test_add("/up/" #name, struct fixture, NULL, fixture_setup, test_##name, fixture_teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	TEST(virtio);
	TEST(serial);
	TEST(panic);
	TEST(interrupted);
	return g_test_run();
}
