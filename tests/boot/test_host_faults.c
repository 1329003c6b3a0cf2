// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hosts on which a run cannot work: full disks, QEMU missing or too old, a PID 1 that never reaps.
 * Disks are small tmpfs in a mount namespace of the run's own, which needs root.
 */
#include "fault_run.h"

#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static bool lacks_root(void)
{
	if (geteuid() != 0)
		g_test_skip("it takes root to mount a small disk or to make a PID namespace");
	return geteuid() != 0;
}

/* @n_lines of console, then a reset. */
static char *stub_talking(const struct fault_place *place, unsigned n_lines)
{
	char *path = g_build_filename(place->folder, "stub", NULL);
	struct stub stub = stub_new();
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < n_lines; i++)
		g_string_append(text, "[    0.000000] Linux version 6.12.117 (a@b) at length\r\n");
	stub_say(&stub, STUB_CONSOLE, text->str);
	g_string_free(text, TRUE);
	stub_reset(&stub);
	stub_write(&stub, path);
	return path;
}

struct disk {
	const char *path;
	const char *size; /* as tmpfs takes it */
};

/* In a chroot "/" is no mount of its own (EINVAL): who made it keeps its mounts to it. */
static bool mounts_made_private(void)
{
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 || errno == EINVAL;
}

static void mount_disk(void *data)
{
	const struct disk *disk = data;
	g_autofree char *options = g_strdup_printf("size=%s,mode=0755", disk->size);

	if (unshare(CLONE_NEWNS) != 0 || !mounts_made_private() ||
	    mount("tmpfs", disk->path, "tmpfs", 0, options) != 0)
		_exit(99);
}

static struct fault_run start_on_disk(const struct fault_place *place, const char *folder,
				      const char *size, unsigned n_lines)
{
	g_autofree char *path = g_build_filename(place->folder, folder, NULL);
	g_autofree char *kernel = stub_talking(place, n_lines);
	g_autofree char *arguments = g_strdup_printf("--kernel %s", kernel);
	struct disk disk = {path, size};

	g_assert_cmpint(g_mkdir(path, 0755), ==, 0);
	return fault_start_with(place, "run", arguments, mount_disk, &disk);
}

/* The words of @text, one blank between two: reports are wrapped. */
static char *unwrapped(const char *text)
{
	g_auto(GStrv) words = g_strsplit_set(text, " \n", -1);
	GString *line = g_string_new(NULL);

	for (unsigned i = 0; words[i]; i++)
		if (*words[i])
			g_string_append_printf(line, "%s ", words[i]);
	return g_string_free(line, FALSE);
}

static void assert_says(const char *file, const char *sentence)
{
	g_autofree char *text = fault_text("/", file);
	g_autofree char *line = unwrapped(text);

	if (!strstr(line, sentence))
		g_test_fail_printf("'%s' does not say '%s'", file, sentence);
}

/* Nothing can be kept, and all the more is told: what failed, and which file could not be made. */
static void test_results_full(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run;

	if (lacks_root())
		return;
	run = start_on_disk(place, "run", "16k", 300);
	g_assert_cmpint(fault_end(&run), ==, 3);
	assert_says(run.output, "console.log': No space left on device");
	assert_says(run.output, "topolab: exit 3 (0 pass, 0 fail, 0 skip, 1 error)");
	assert_says(run.errors, "No space left on device");
	fault_run_clear(&run);
}

static void test_runtime_full(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run;

	if (lacks_root())
		return;
	run = start_on_disk(place, "r", "48k", 1);
	g_assert_cmpint(fault_end(&run), ==, 3);
	assert_job_check(&run, "small/stub", "guest.ending", "ERROR", NULL);
	assert_says(run.output, "/kernel': No space left on device");
	assert_results_are_whole(&run);
	fault_run_clear(&run);
}

/* libvirt will not go on with what it learned about QEMU and cannot keep. */
static void test_cache_full(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *cache = g_build_filename(place->folder, "cache", NULL);
	g_autofree char *before = g_strdup(g_getenv("TOPOLAB_CACHE"));
	struct fault_run run;

	if (lacks_root())
		return;
	g_setenv("TOPOLAB_CACHE", cache, TRUE);
	run = start_on_disk(place, "cache", "16k", 1);
	if (before)
		g_setenv("TOPOLAB_CACHE", before, TRUE);
	else
		g_unsetenv("TOPOLAB_CACHE");
	g_assert_cmpint(fault_end(&run), ==, 3);
	assert_job_check(&run, "small/stub", "guest.ending", "ERROR", NULL);
	assert_says(run.output, "libvirt cannot start the guest: Failed to save ");
	assert_says(run.output, ": No space left on device");
	assert_results_are_whole(&run);
	fault_run_clear(&run);
}

static void limit_files(void *data G_GNUC_UNUSED)
{
	const struct rlimit limit = {40000, 40000};

	setrlimit(RLIMIT_FSIZE, &limit);
}

/* ulimit -f: a write that fails and not a signal that ends topolab. */
static void test_file_limit(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *kernel = stub_talking(place, 1);
	g_autofree char *arguments = g_strdup_printf("--kernel %s", kernel);
	struct fault_run run = fault_start_with(place, "run", arguments, limit_files, NULL);

	g_assert_cmpint(fault_end(&run), ==, 3);
	assert_job_check(&run, "small/stub", "guest.ending", "ERROR", NULL);
	assert_says(run.output, "/kernel': File too large");
	assert_results_are_whole(&run);
	fault_run_clear(&run);
}

static void set_path(void *data)
{
	g_setenv("PATH", data, TRUE);
}

static struct fault_run start_with_path(const struct fault_place *place, char *path)
{
	g_autofree char *kernel = stub_talking(place, 1);
	g_autofree char *arguments = g_strdup_printf("--kernel %s", kernel);
	g_autofree char *cache = g_build_filename(place->folder, "cache", NULL);
	g_autofree char *before = g_strdup(g_getenv("TOPOLAB_CACHE"));
	struct fault_run run;

	/* What libvirt learns about this QEMU is not to be believed later. */
	g_setenv("TOPOLAB_CACHE", cache, TRUE);
	run = fault_start_with(place, "run", arguments, set_path, path);
	if (before)
		g_setenv("TOPOLAB_CACHE", before, TRUE);
	else
		g_unsetenv("TOPOLAB_CACHE");
	return run;
}

static void test_qemu_missing(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_with_path(place, place->folder);

	g_assert_cmpint(fault_end(&run), ==, 3);
	assert_says(run.errors, "topolab: QEMU is missing: there is no 'qemu-system-x86_64' in the "
				"PATH '");
	/* Nothing was begun. */
	g_assert_false(g_file_test(run.folder, G_FILE_TEST_EXISTS));
	fault_run_clear(&run);
}

/* libvirt without its QEMU driver is a package of its own on every distribution. */
static void test_driver_missing(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	static const char *const folders[] = {
		"/usr/lib/x86_64-linux-gnu/libvirt/connection-driver",
		"/usr/lib64/libvirt/connection-driver",
	};
	g_autofree char *kernel = stub_talking(place, 1);
	g_autofree char *arguments = g_strdup_printf("--kernel %s", kernel);
	struct disk empty = {.size = "4k"};
	struct fault_run run;

	if (lacks_root())
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(folders) && !empty.path; i++)
		if (g_file_test(folders[i], G_FILE_TEST_IS_DIR))
			empty.path = folders[i];
	g_assert_nonnull(empty.path);
	run = fault_start_with(place, "run", arguments, mount_disk, &empty);
	g_assert_cmpint(fault_end(&run), ==, 3);
	assert_job_check(&run, "small/stub", "guest.ending", "ERROR", NULL);
	assert_says(run.output, "libvirt's QEMU driver is missing (");
	assert_says(run.output, "'apt-get install libvirt-daemon-driver-qemu'");
	assert_results_are_whole(&run);
	fault_run_clear(&run);
}

static void test_qemu_old(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *folder = g_build_filename(place->folder, "bin", NULL);
	g_autofree char *path = g_build_filename(folder, "qemu-system-x86_64", NULL);
	g_autofree char *self = NULL;
	struct fault_run run;
	gsize length;

	g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
	g_assert_true(g_file_get_contents("/proc/self/exe", &self, &length, NULL));
	g_assert_true(g_file_set_contents_full(path, self, (gssize)length, G_FILE_SET_CONTENTS_NONE,
					       0755, NULL));
	run = start_with_path(place, folder);
	g_assert_cmpint(fault_end(&run), ==, 3);
	/* libvirt's own bound moves with its version. */
	assert_says(run.output, "is required, but 4.0.0 found");
	assert_results_are_whole(&run);
	fault_run_clear(&run);
}

/* What libvirt asks of a QEMU that it does not know: docs/interop/qmp-spec.rst of QEMU. */
static void stand_in_talk(FILE *monitor)
{
	static const char version[] =
		"{\"qemu\": {\"micro\": 0, \"minor\": 0, \"major\": 4}, \"package\": \"\"}";
	char line[4096];

	fprintf(monitor, "{\"QMP\": {\"version\": %s, \"capabilities\": []}}\r\n", version);
	while (fflush(monitor) == 0 && fgets(line, sizeof(line), monitor)) {
		json_t *command = json_loads(line, 0, NULL);
		const char *what = json_string_value(json_object_get(command, "execute"));
		g_autofree char *id = json_dumps(json_object_get(command, "id"), JSON_ENCODE_ANY);

		fprintf(monitor, "{\"return\": %s, \"id\": %s}\r\n",
			g_strcmp0(what, "query-version") == 0 ? version : "{}", id ? id : "null");
		json_decref(command);
	}
}

/* As a QEMU of another age: -qmp unix:PATH,server... -pidfile PATH -daemonize */
static int stand_in_main(int argc, char **argv)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *pidfile = NULL;
	int listening = socket(AF_UNIX, SOCK_STREAM, 0);

	alarm(60);
	for (int i = 1; i + 1 < argc; i++) {
		if (strcmp(argv[i], "-qmp") == 0 && g_str_has_prefix(argv[i + 1], "unix:")) {
			g_autofree char *path =
				g_strndup(argv[i + 1] + 5, strcspn(argv[i + 1] + 5, ","));

			g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
		} else if (strcmp(argv[i], "-pidfile") == 0) {
			pidfile = argv[i + 1];
		}
	}
	if (!pidfile || bind(listening, (struct sockaddr *)&address, sizeof(address)) != 0 ||
	    listen(listening, 1) != 0)
		return 1;
	if (fork() == 0) {
		g_autofree char *pid = g_strdup_printf("%d\n", (int)getpid());
		int fd;

		/* libvirt reads what QEMU says until its end. */
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(1);
		setsid();
		if (g_file_set_contents(pidfile, pid, -1, NULL) &&
		    (fd = accept(listening, NULL, NULL)) >= 0)
			stand_in_talk(fdopen(fd, "r+"));
		_exit(0);
	}
	/* QEMU's parent waits until the monitor is there, too. */
	while (!g_file_test(pidfile, G_FILE_TEST_EXISTS))
		g_usleep(1000);
	return 0;
}

/*
 * The run in a PID namespace whose first process never waits: every orphan stays a zombie there.
 * The process that the test waits for takes the run's status from a pipe.
 */
static void enter_namespace(void *data)
{
	const struct fault_place *place = data;
	int ends[2], status = 98;
	pid_t first;

	if (pipe(ends) != 0 || unshare(CLONE_NEWPID | CLONE_NEWNS) != 0 || !mounts_made_private())
		_exit(97);
	first = fork();
	if (first == 0) {
		pid_t middle, run;

		mount("proc", "/proc", "proc", 0, NULL);
		middle = fork();
		while (middle > 0)
			pause();
		run = fork();
		if (run == 0)
			return;
		waitpid(run, &status, 0);
		status = WIFEXITED(status) ? WEXITSTATUS(status) : 96;
		_exit(write(ends[1], &status, sizeof(status)) < 0);
	}
	close(ends[1]);
	if (read(ends[0], &status, sizeof(status)) != sizeof(status))
		status = 95;
	/* With the namespace everything in it goes: look before. */
	if (fault_processes(place->runtime, "qemu-system-")->len)
		status = 94;
	kill(first, SIGKILL);
	_exit(status);
}

static void test_no_reaper(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *kernel = stub_talking(place, 1);
	g_autofree char *arguments = g_strdup_printf("--kernel %s", kernel);
	struct fault_run run;

	if (lacks_root())
		return;
	run = fault_start_with(place, "run", arguments, enter_namespace, place);
	g_assert_cmpint(fault_end(&run), ==, 1);
	assert_job_check(&run, "small/stub", "guest.ending", "FAIL", NULL);
	assert_results_are_whole(&run);
	fault_run_clear(&run);
}

#define TEST(name, function)                                                                       \
	g_test_add("/host-faults/" name, struct fault_place, NULL, fault_place_set_up, function,   \
		   fault_place_tear_down)

int main(int argc, char **argv)
{
	g_autofree char *name = g_path_get_basename(argv[0]);

	if (g_str_has_prefix(name, "qemu-system-"))
		return stand_in_main(argc, argv);
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	TEST("results-full", test_results_full);
	TEST("runtime-full", test_runtime_full);
	TEST("cache-full", test_cache_full);
	TEST("file-limit", test_file_limit);
	TEST("qemu-missing", test_qemu_missing);
	TEST("qemu-old", test_qemu_old);
	TEST("driver-missing", test_driver_missing);
	TEST("no-reaper", test_no_reaper);
	return g_test_run();
}
