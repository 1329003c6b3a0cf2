// SPDX-License-Identifier: GPL-2.0-only
/*
 * Real guests, one vCPU each; the endings that are expected are base/ending.h's for what is done to
 * the guest here.
 */
#include "base/error.h"
#include "base/paths.h"
#include "base/tree.h"
#include "image/initramfs.h"
#include "kernel/kernel.h"
#include "vm/process.h"
#include "vm/vm.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char domain_xml[] =
	"<domain type='qemu'><name>t</name><memory unit='MiB'>256</memory><vcpu>1</vcpu>"
	"<os><type arch='x86_64' machine='q35'>hvm</type><kernel>%s</kernel>%s"
	"<cmdline>%s</cmdline></os><features><acpi/><apic/></features>"
	"<cpu mode='maximum' check='none'/>"
	"<on_poweroff>destroy</on_poweroff><on_reboot>destroy</on_reboot>"
	"<on_crash>destroy</on_crash><devices>"
	"<serial type='unix'><source mode='bind' path='%s/serial0'/><target port='0'/></serial>"
	"<serial type='unix'><source mode='bind' path='%s/serial1'/><target port='1'/></serial>"
	"<channel type='unix'><target type='virtio' name='topolab.0'/></channel>"
	"<memballoon model='none'/></devices></domain>";

/* Without lpj the delay loop is calibrated for seconds under TCG. */
#define QUICK "console=ttyS0 panic=-1 lpj=5000000 tsc=reliable no_timer_check nowatchdog"

struct fixture {
	char *folder;
	struct vm_root *root;
	struct vm *vm;
	GMainLoop *loop;
	const char *console_when; /* what the console has to show before @act is called */
	void (*act)(struct fixture *);
	pid_t qemu, worker;
	unsigned n_ended;
	struct vm_end end;
};

static void fixture_setup(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autoptr(GError) error = NULL;

	g_assert_true(vm_init(&error));
	fixture->folder = g_dir_make_tmp("vm-XXXXXX", NULL);
	fixture->root = vm_root_new(&error);
	g_assert_no_error(error);
	fixture->loop = g_main_loop_new(NULL, FALSE);
}

static void fixture_teardown(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *path = g_strdup(vm_root_path(fixture->root));

	vm_root_destroy(fixture->root);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	g_assert_true(tree_remove(fixture->folder, NULL));
	g_free(fixture->folder);
	g_main_loop_unref(fixture->loop);
	vm_end_clear(&fixture->end);
}

static char *file_text(struct fixture *fixture, const char *name)
{
	g_autofree char *path = g_build_filename(fixture->folder, name, NULL);
	char *text = NULL;
	gsize length;

	if (!g_file_get_contents(path, &text, &length, NULL))
		return g_strdup("");
	for (gsize i = 0; i < length; i++)
		if (!text[i])
			text[i] = '?';
	return text;
}

static pid_t find_qemu(struct fixture *fixture)
{
	AUTO(root) *proc = root_new_dir("/proc");
	g_autoptr(GArray) pids = process_find(proc, vm_root_path(fixture->root));

	return pids->len == 1 ? g_array_index(pids, pid_t, 0) : 0;
}

/* The worker's command line names its root. */
static pid_t find_worker(struct fixture *fixture)
{
	AUTO(root) *proc = root_new_dir("/proc");
	g_auto(GStrv) names = root_list(proc, ".");

	for (unsigned i = 0; names[i]; i++) {
		g_autoptr(GBytes) bytes = root_read_bytes(proc, NULL, "%s/cmdline", names[i]);
		const char *word = bytes ? g_bytes_get_data(bytes, NULL) : NULL;
		gsize length = bytes ? g_bytes_get_size(bytes) : 0;

		if (length && memmem(word, length, "worker", 7) &&
		    memmem(word, length, vm_root_path(fixture->root),
			   strlen(vm_root_path(fixture->root)) + 1))
			return (pid_t)g_ascii_strtoll(names[i], NULL, 10);
	}
	return 0;
}

static void on_progress(const struct vm_progress *progress, void *data)
{
	struct fixture *fixture = data;
	g_autofree char *console = NULL;

	if (!fixture->act || strcmp(progress->state, "ended") == 0)
		return;
	console = file_text(fixture, "console.log");
	if (!strstr(console, fixture->console_when))
		return;
	fixture->act(fixture);
	fixture->act = NULL;
}

static void on_ended(const struct vm_end *end, void *data)
{
	struct fixture *fixture = data;

	fixture->n_ended++;
	fixture->end = *end;
	fixture->end.detail = g_strdup(end->detail);
	fixture->end.qemu = g_strdup(end->qemu);
	fixture->end.libvirt = g_strdup(end->libvirt);
	g_main_loop_quit(fixture->loop);
}

/* @init becomes /init; NULL: no initramfs, so that Linux panics for lack of a root. */
static void run_guest(struct fixture *fixture, struct vm_spec *spec, const char *arguments,
		      GBytes *init)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *debian = kernel_get("debian-6.12", &(struct kernel_options){0}, &error);
	g_autofree char *kernel =
		vm_root_put_file(fixture->root, "kernel", debian->image_path, &error);
	g_autofree char *initrd = NULL;
	g_autofree char *element = NULL;
	g_autofree char *xml = NULL;

	g_assert_no_error(error);
	if (init) {
		g_autoptr(GBytes) image = initramfs_build(init, NULL, 0, &error);

		g_assert_no_error(error);
		initrd = vm_root_put(fixture->root, "initrd", image, &error);
		g_assert_no_error(error);
		element = g_strdup_printf("<initrd>%s</initrd>", initrd);
	}
	xml = g_strdup_printf(domain_xml, kernel, element ? element : "", arguments,
			      vm_root_path(fixture->root), vm_root_path(fixture->root));
	spec->root = fixture->root;
	spec->xml = xml;
	spec->folder = fixture->folder;
	if (!spec->silence_seconds)
		spec->silence_seconds = 60;
	if (!spec->deadline_seconds)
		spec->deadline_seconds = 200;
	fixture->vm = vm_start(spec, on_progress, on_ended, fixture, &error);
	g_assert_no_error(error);
	g_main_loop_run(fixture->loop);
	g_assert_cmpuint(fixture->n_ended, ==, 1);
	g_assert_cmpint(find_qemu(fixture), ==, 0);
	g_assert_cmpint(find_worker(fixture), ==, 0);
	g_test_message("%s: %s", ending_name(fixture->end.ending), fixture->end.detail);
}

static void test_panic(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct vm_spec spec = {0};
	g_autofree char *console = NULL;
	g_autofree char *log = NULL;

	run_guest(fixture, &spec, QUICK, NULL);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_REBOOT);
	g_assert_null(fixture->end.detail);
	g_assert_nonnull(fixture->end.qemu);
	g_assert_cmpuint(fixture->end.started_usec, >, 0);
	g_assert_cmpuint(fixture->end.first_record_usec, ==, 0);
	g_assert_cmpuint(fixture->end.ended_usec, >, fixture->end.started_usec);
	/*
	 * The last line of all: dump_kernel_offset() of arch/x86/kernel/setup.c is a panic
	 * notifier, and with panic=-1 panic() restarts before it prints its "end Kernel panic".
	 */
	console = file_text(fixture, "console.log");
	g_assert_nonnull(strstr(console, "Kernel panic - not syncing: VFS:"));
	g_assert_true(g_str_has_suffix(console, "0xffffffffbfffffff)\r\n"));
	log = file_text(fixture, "qemu.log");
	g_assert_nonnull(strstr(log, "qemu-system-x86_64"));
}

/* reboot=t makes machine_emergency_restart() load an empty IDT: a triple fault. */
static void test_triple_fault(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct vm_spec spec = {0};

	run_guest(fixture, &spec, QUICK " reboot=t", NULL);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_REBOOT);
}

static void test_poweroff(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct vm_spec spec = {0};
	g_autofree char *path = paths_data("agent");
	g_autofree char *channel = NULL;
	g_autofree char *agent = NULL;
	g_autoptr(GBytes) init = NULL;
	gsize length;

	if (!g_file_get_contents(path, &agent, &length, NULL)) {
		g_test_skip("the agent is not built");
		return;
	}
	init = g_bytes_new(agent, length);
	run_guest(fixture, &spec, QUICK, init);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_POWEROFF);
	g_assert_cmpuint(fixture->end.first_record_usec, >, fixture->end.started_usec);
	channel = file_text(fixture, "channel.bin");
	g_assert_nonnull(strstr(channel, "\"hello\""));
	g_assert_nonnull(strstr(channel, "\"bye\""));
}

static void signal_qemu(struct fixture *fixture, int number)
{
	pid_t qemu = find_qemu(fixture);

	g_assert_cmpint(qemu, >, 0);
	kill(qemu, number);
}

static void kill_qemu(struct fixture *fixture)
{
	signal_qemu(fixture, SIGKILL);
}

static void crash_qemu(struct fixture *fixture)
{
	signal_qemu(fixture, SIGABRT);
}

/* @act ends QEMU as soon as the kernel has spoken. */
static void assert_qemu_ends(struct fixture *fixture, void (*act)(struct fixture *),
			     enum ending ending, const char *detail)
{
	struct vm_spec spec = {0};

	fixture->console_when = "Linux version";
	fixture->act = act;
	run_guest(fixture, &spec, QUICK, NULL);
	g_assert_cmpint(fixture->end.ending, ==, ending);
	g_assert_cmpstr(fixture->end.detail, ==, detail);
}

static void test_qemu_killed(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	assert_qemu_ends(fixture, kill_qemu, ENDING_DIED, "QEMU was killed by signal 9 (Killed)");
}

/* As abort() ends it when an assertion of its own fails. */
static void test_qemu_crashed(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	assert_qemu_ends(fixture, crash_qemu, ENDING_CRASHED,
			 "QEMU was killed by signal 6 (Aborted)");
}

static void kill_worker(struct fixture *fixture)
{
	pid_t worker = find_worker(fixture);

	g_assert_cmpint(worker, >, 0);
	kill(worker, SIGKILL);
}

static void test_worker_killed(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct vm_spec spec = {0};

	fixture->console_when = "Linux version";
	fixture->act = kill_worker;
	run_guest(fixture, &spec, QUICK, NULL);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_DIED);
	g_assert_cmpstr(fixture->end.detail, ==, "the worker was killed by signal 9 (Killed)");
}

static void stop_guest(struct fixture *fixture)
{
	vm_stop(fixture->vm, "the user had enough");
	vm_stop(fixture->vm, "twice");
}

static void test_stop(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct vm_spec spec = {0};

	fixture->console_when = "Linux version";
	fixture->act = stop_guest;
	run_guest(fixture, &spec, QUICK, NULL);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_STOPPED);
	g_assert_cmpstr(fixture->end.detail, ==, "the user had enough");
}

static void test_flood(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct vm_spec spec = {.console_max = 3000};
	g_autofree char *console = NULL;

	run_guest(fixture, &spec, QUICK, NULL);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_FLOODED);
	console = file_text(fixture, "console.log");
	g_assert_cmpuint(strlen(console), ==, 3000);
	g_assert_nonnull(strstr(fixture->end.detail, "3000 bytes"));
}

static void freeze_qemu(struct fixture *fixture)
{
	pid_t qemu = find_qemu(fixture);

	g_assert_cmpint(qemu, >, 0);
	kill(qemu, SIGSTOP);
}

static void test_qemu_frozen(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct vm_spec spec = {.silence_seconds = 20};

	fixture->console_when = "Linux version";
	fixture->act = freeze_qemu;
	run_guest(fixture, &spec, QUICK, NULL);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_STARVED);
	g_assert_cmpstr(fixture->end.detail, ==,
			"no byte came for 20 seconds: a signal stopped QEMU");
}

static void freeze_worker(struct fixture *fixture)
{
	pid_t worker = find_worker(fixture);

	g_assert_cmpint(worker, >, 0);
	kill(worker, SIGSTOP);
}

/* It cannot take its SIGTERM, so that the parent has to kill it and QEMU too. */
static void test_worker_frozen(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct vm_spec spec = {.silence_seconds = 20};

	fixture->console_when = "Linux version";
	fixture->act = freeze_worker;
	run_guest(fixture, &spec, QUICK, NULL);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_STARVED);
	g_assert_cmpstr(fixture->end.detail, ==,
			"no byte came for 20 seconds: a signal stopped topolab's worker");
}

static void test_deadline(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct vm_spec spec = {.deadline_seconds = 1};

	run_guest(fixture, &spec, QUICK, NULL);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_STOPPED);
	g_assert_cmpstr(fixture->end.detail, ==, "the deadline of 1 seconds passed");
}

/* QEMU's own words reach the user, not only libvirt's. */
static void test_bad_processor(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autoptr(GError) error = NULL;
	struct vm_spec spec = {
		.root = fixture->root,
		.xml = "<domain type='qemu' "
		       "xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'><name>t</name>"
		       "<memory>262144</memory><os><type machine='q35'>hvm</type></os>"
		       "<qemu:commandline><qemu:arg value='-cpu'/><qemu:arg value='no-such-cpu'/>"
		       "</qemu:commandline></domain>",
		.folder = fixture->folder,
		.silence_seconds = 60,
	};

	fixture->vm = vm_start(&spec, NULL, on_ended, fixture, &error);
	g_assert_no_error(error);
	g_main_loop_run(fixture->loop);
	g_test_message("%s", fixture->end.detail);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_DIED);
	g_assert_nonnull(strstr(fixture->end.detail, "unable to find CPU model 'no-such-cpu'"));
}

static void test_silent(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct vm_spec spec = {.silence_seconds = 3};

	/* It boots, but has no console. */
	run_guest(fixture, &spec, "console=tty0 panic=0", NULL);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_SILENT);
}

static void test_refused(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autoptr(GError) error = NULL;
	struct vm_spec spec = {
		.root = fixture->root,
		.xml = "<domain type='qemu'><name>t</name></domain>",
		.folder = fixture->folder,
		.silence_seconds = 60,
	};

	fixture->vm = vm_start(&spec, NULL, on_ended, fixture, &error);
	g_assert_no_error(error);
	g_main_loop_run(fixture->loop);
	g_assert_cmpint(fixture->end.ending, ==, ENDING_DIED);
	g_assert_nonnull(strstr(fixture->end.detail, "libvirt cannot start the guest"));
}

#define TEST(name)                                                                                 \
	g_test_add("/endings/" #name, struct fixture, NULL, fixture_setup, test_##name,            \
		   fixture_teardown)

int main(int argc, char **argv)
{
	if (argc >= 2 && strcmp(argv[1], "worker") == 0)
		return vm_worker_main();
	g_test_init(&argc, &argv, NULL);
	TEST(refused);
	TEST(bad_processor);
	TEST(deadline);
	TEST(panic);
	TEST(triple_fault);
	TEST(poweroff);
	TEST(qemu_killed);
	TEST(qemu_crashed);
	TEST(worker_killed);
	TEST(stop);
	TEST(flood);
	TEST(qemu_frozen);
	TEST(worker_frozen);
	TEST(silent);
	return g_test_run();
}
