// SPDX-License-Identifier: GPL-2.0-only
/*
 * What happens to a run from outside: signals to topolab, its worker and its QEMU, in every state
 * of a guest. The guests are stubs that stand still or talk without end until somebody ends them.
 */
#include "fault_run.h"

#define HELLO "{\"type\":\"hello\",\"agent\":1,\"release\":\"6.12.117\",\"channel\":\"serial\"}\n"

/* Longer than any test takes: what ends such a run is what the test does. */
#define NO_LIMIT " --timeout 1000"

static char *stub_path(const struct fault_place *place, const char *name, const char *channel,
		       void (*end)(struct stub *))
{
	char *path = g_build_filename(place->folder, name, NULL);
	struct stub stub = stub_new();

	stub_say(&stub, STUB_CONSOLE, "[    0.000000] Linux version 6.12.117 (a@b)\r\n");
	if (channel)
		stub_say(&stub, STUB_CHANNEL, channel);
	end(&stub);
	stub_write(&stub, path);
	return path;
}

/* A run whose guest has said hello and then stands still. */
static struct fault_run start_standing(const struct fault_place *place, const char *name,
				       const char *limits)
{
	g_autofree char *kernel = stub_path(place, "stub", HELLO, stub_halt);
	g_autofree char *arguments = g_strdup_printf("--kernel %s%s", kernel, limits);

	return fault_start(place, name, arguments);
}

static void assert_error(struct fault_run *run, const char *check, const char *reason)
{
	g_assert_cmpint(fault_end(run), ==, 3);
	assert_job_check(run, "small/stub", check, "ERROR", reason);
	assert_results_are_whole(run);
	fault_run_clear(run);
}

static void signal_process(const struct fault_place *place, const struct fault_run *run,
			   const char *word, int number)
{
	pid_t pid = fault_wait_process(place, run, word);

	g_assert_cmpint(pid, >, 0);
	if (pid > 0)
		kill(pid, number);
}

#define DIED	"QEMU or libvirt died, not the guest: "
#define STARVED "this host did not let the guest run: "

/* Its words differ with the moment: libvirt may be talking to QEMU, or not yet. */
static void test_qemu_killed_define(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_standing(place, "run", NO_LIMIT);

	signal_process(place, &run, "guest=small", SIGKILL);
	assert_error(&run, "guest.ending", NULL);
}

static void test_qemu_killed_gather(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_standing(place, "run", NO_LIMIT);

	fault_wait_for(&run, "gathering");
	signal_process(place, &run, "guest=small", SIGKILL);
	assert_error(&run, "guest.ending", DIED "QEMU was killed by signal 9 (Killed)");
}

/* An emulator that crashes spoilt the boot, and there is another one; one that is killed did not.
 */
static void test_qemu_crashed(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_standing(place, "run", NO_LIMIT);
	json_t *result;

	fault_wait_for(&run, "gathering");
	signal_process(place, &run, "guest=small", SIGABRT);
	fault_wait_for(&run, "spoilt this boot");
	signal_process(place, &run, "guest=small", SIGKILL);
	g_assert_cmpint(fault_end(&run), ==, 3);
	result = result_load(run.folder, "small/stub");
	g_assert_cmpint(json_integer_value(json_object_get(result, "boots")), ==, 2);
	g_assert_cmpstr(json_string_value(json_object_get(result, "ending")), ==, "died");
	json_decref(result);
	result = result_load(run.folder, "small/.stub-boot-1");
	g_assert_cmpstr(json_string_value(json_object_get(result, "ending")), ==, "crashed");
	json_decref(result);
	assert_results_are_whole(&run);
	fault_run_clear(&run);
}

static void test_qemu_stopped(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_standing(place, "run", " --timeout 3");

	fault_wait_for(&run, "booting");
	signal_process(place, &run, "guest=small", SIGSTOP);
	assert_error(&run, "guest.ending",
		     STARVED "no byte came for 6 seconds: a signal stopped QEMU");
}

static void test_qemu_stopped_define(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_standing(place, "run", " --deadline 15");

	signal_process(place, &run, "guest=small", SIGSTOP);
	assert_error(&run, "guest.ending", NULL);
}

static void test_worker_killed(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_standing(place, "run", NO_LIMIT);

	fault_wait_for(&run, "booting");
	signal_process(place, &run, "worker", SIGKILL);
	assert_error(&run, "guest.ending", DIED "the worker was killed by signal 9 (Killed)");
}

static void test_worker_stopped(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_standing(place, "run", " --timeout 3");

	fault_wait_for(&run, "booting");
	signal_process(place, &run, "worker", SIGSTOP);
	assert_error(&run, "guest.ending",
		     STARVED "no byte came for 6 seconds: a signal stopped topolab's worker");
}

/* Of topolab itself nothing is left to tell anything; its worker and its QEMU go with it. */
static void test_topolab_killed(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_standing(place, "run", NO_LIMIT);
	gint64 limit;

	fault_wait_for(&run, "gathering");
	kill(run.pid, SIGKILL);
	g_assert_cmpint(fault_end(&run), ==, -SIGKILL);
	limit = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;
	while (g_get_monotonic_time() < limit) {
		g_autoptr(GArray) left = fault_processes(place->runtime, "worker");

		if (left->len == 0)
			break;
		g_usleep(50000);
	}
	assert_nothing_left(place);
	fault_run_clear(&run);
}

static const struct interrupt {
	const char *name;
	int number;
	unsigned times;
} interrupts[] = {
	{"ctrl-c", SIGINT, 1},
	{"ctrl-c-twice", SIGINT, 2},
	{"hangup", SIGHUP, 1},
	{"terminate", SIGTERM, 1},
};

/* To the whole foreground group, as a terminal sends it. Another run beside it goes on. */
static void test_interrupt(struct fault_place *place, gconstpointer data)
{
	const struct interrupt *interrupt = data;
	struct fault_run other = start_standing(place, "other", NO_LIMIT);
	struct fault_run run = start_standing(place, "run", NO_LIMIT);
	g_autoptr(GArray) left = NULL;

	fault_wait_for(&other, "gathering");
	fault_wait_for(&run, "gathering");
	for (unsigned i = 0; i < interrupt->times; i++)
		kill(-run.pid, interrupt->number);
	assert_error(&run, "guest.ending",
		     "the guest was stopped before it had an answer: the run was interrupted");
	g_assert_true(fault_is_running(&other));
	left = fault_processes(place->runtime, "guest=small");
	g_assert_cmpuint(left->len, ==, 1);
	kill(-other.pid, SIGINT);
	assert_error(&other, "guest.ending", NULL);
}

static void ignore_hangup(void *data G_GNUC_UNUSED)
{
	signal(SIGHUP, SIG_IGN);
}

/* nohup(1) */
static void test_hangup_ignored(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *kernel = stub_path(place, "stub", HELLO, stub_halt);
	g_autofree char *arguments = g_strdup_printf("--kernel %s" NO_LIMIT, kernel);
	struct fault_run run = fault_start_with(place, "run", arguments, ignore_hangup, NULL);
	g_autofree char *errors = NULL;

	fault_wait_for(&run, "gathering");
	kill(-run.pid, SIGHUP);
	g_usleep(G_USEC_PER_SEC);
	errors = fault_text("/", run.errors);
	g_assert_null(strstr(errors, "Interrupted"));
	g_assert_true(fault_is_running(&run));
	kill(-run.pid, SIGINT);
	assert_error(&run, "guest.ending", NULL);
}

/*
 * Ctrl-Z and fg: the guest goes on meanwhile, and its silence does not count while nobody could
 * hear it. Otherwise the limit would be over when topolab wakes.
 */
static void test_ctrl_z(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_standing(place, "run", " --timeout 3");

	fault_wait_for(&run, "gathering");
	kill(-run.pid, SIGTSTP);
	g_usleep(8 * G_USEC_PER_SEC);
	kill(-run.pid, SIGCONT);
	/* Six seconds of silence begin anew. */
	g_usleep(2 * G_USEC_PER_SEC);
	g_assert_true(fault_is_running(&run));
	kill(-run.pid, SIGINT);
	assert_error(&run, "guest.ending",
		     "the guest was stopped before it had an answer: the run was interrupted");
}

/* What the guest says during a pause is there afterwards. */
static void test_ctrl_z_ends(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *kernel = stub_path(place, "stub", HELLO, stub_dots);
	g_autofree char *arguments = g_strdup_printf("--kernel %s" NO_LIMIT, kernel);
	struct fault_run run = fault_start(place, "run", arguments);

	fault_wait_for(&run, "gathering");
	kill(-run.pid, SIGTSTP);
	g_usleep(2 * G_USEC_PER_SEC);
	signal_process(place, &run, "guest=small", SIGKILL);
	g_usleep(G_USEC_PER_SEC);
	kill(-run.pid, SIGCONT);
	assert_error(&run, "guest.ending", DIED "QEMU was killed by signal 9 (Killed)");
}

static void unread_errors(void *data G_GNUC_UNUSED)
{
	int ends[2];

	if (pipe(ends) == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
	}
}

static void close_errors(void *data G_GNUC_UNUSED)
{
	close(STDERR_FILENO);
}

/* Whoever read the progress is gone, or there never was anybody: the run ends as it would. */
static void test_nobody_listens(struct fault_place *place, gconstpointer data)
{
	void (*setup)(void *) = data == NULL ? unread_errors : close_errors;
	g_autofree char *kernel = stub_path(place, "stub", HELLO, stub_poweroff);
	g_autofree char *arguments = g_strdup_printf("--kernel %s", kernel);
	struct fault_run run = fault_start_with(place, "run", arguments, setup, NULL);

	assert_error(&run, "evidence.channel",
		     "the agent's stream is not usable: the agent's stream ends before it said "
		     "bye");
}

static void unread_output(void *data G_GNUC_UNUSED)
{
	int ends[2];

	if (pipe(ends) == 0) {
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
	}
}

/* `topolab run ... | head -1`: the files are there, and the status says that the report is not. */
static void test_output_unread(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *kernel = stub_path(place, "stub", HELLO, stub_reset);
	g_autofree char *arguments = g_strdup_printf("--kernel %s", kernel);
	struct fault_run run = fault_start_with(place, "run", arguments, unread_output, NULL);
	g_autofree char *errors = NULL;

	g_assert_cmpint(fault_end(&run), ==, 3);
	errors = fault_text("/", run.errors);
	g_assert_nonnull(strstr(errors, "topolab: cannot write to standard output\n"));
	assert_job_check(&run, "small/stub", "guest.ending", "FAIL", NULL);
	fault_run_clear(&run);
}

/* The same machine, the same empty cache, at once. */
static void test_two_at_once(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *cache = g_build_filename(place->folder, "cache", NULL);
	g_autofree char *before = g_strdup(g_getenv("TOPOLAB_CACHE"));
	g_autofree char *kernel = stub_path(place, "stub", HELLO, stub_reset);
	g_autofree char *arguments = g_strdup_printf("--kernel %s" NO_LIMIT, kernel);
	struct fault_run runs[2];

	g_setenv("TOPOLAB_CACHE", cache, TRUE);
	runs[0] = fault_start(place, "one", arguments);
	runs[1] = fault_start(place, "two", arguments);
	if (before)
		g_setenv("TOPOLAB_CACHE", before, TRUE);
	else
		g_unsetenv("TOPOLAB_CACHE");
	for (unsigned i = 0; i < G_N_ELEMENTS(runs); i++) {
		g_assert_cmpint(fault_end(&runs[i]), ==, 1);
		assert_job_check(&runs[i], "small/stub", "guest.ending", "FAIL", NULL);
		assert_results_are_whole(&runs[i]);
		fault_run_clear(&runs[i]);
	}
}

#define TEST(name, data, function)                                                                 \
	g_test_add("/run-faults/" name, struct fault_place, data, fault_place_set_up, function,    \
		   fault_place_tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	TEST("qemu-killed/define", NULL, test_qemu_killed_define);
	TEST("qemu-killed/gather", NULL, test_qemu_killed_gather);
	TEST("qemu-crashed", NULL, test_qemu_crashed);
	TEST("qemu-stopped/define", NULL, test_qemu_stopped_define);
	TEST("qemu-stopped/boot", NULL, test_qemu_stopped);
	TEST("worker-killed", NULL, test_worker_killed);
	TEST("worker-stopped", NULL, test_worker_stopped);
	TEST("topolab-killed", NULL, test_topolab_killed);
	for (unsigned i = 0; i < G_N_ELEMENTS(interrupts); i++) {
		g_autofree char *name = g_strdup_printf("/run-faults/%s", interrupts[i].name);

		g_test_add(name, struct fault_place, &interrupts[i], fault_place_set_up,
			   test_interrupt, fault_place_tear_down);
	}
	TEST("hangup-ignored", NULL, test_hangup_ignored);
	TEST("ctrl-z", NULL, test_ctrl_z);
	TEST("ctrl-z-meanwhile", NULL, test_ctrl_z_ends);
	TEST("errors-unread", NULL, test_nobody_listens);
	TEST("errors-closed", "closed", test_nobody_listens);
	TEST("output-unread", NULL, test_output_unread);
	TEST("two-at-once", NULL, test_two_at_once);
	return g_test_run();
}
