// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/kvm that opens is not KVM that works: on some nested hosts it creates a VM and even runs a
 * flat program, while Linux hangs early in boot. Only a real kernel tells.
 */
#include "vm/vm.h"

#include "base/error.h"
#include "base/host.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "base/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Linux panics for lack of a root file system about a second after its start. */
#define PROBE_SILENCE_SECONDS  15
#define PROBE_DEADLINE_SECONDS 60

static const char probe_xml[] =
	"<domain type='kvm'><name>probe</name><memory unit='MiB'>512</memory><vcpu>1</vcpu>"
	"<os><type arch='x86_64' machine='q35'>hvm</type><kernel>%s</kernel>"
	"<cmdline>console=ttyS0 panic=-1</cmdline></os>"
	"<features><acpi/><apic/></features><cpu mode='maximum' check='none'/>"
	"<on_poweroff>destroy</on_poweroff><on_reboot>destroy</on_reboot>"
	"<on_crash>destroy</on_crash>"
	"<devices><serial type='pty'><target port='0'/></serial><memballoon "
	"model='none'/></devices>"
	"</domain>";

struct probe {
	GMainLoop *loop;
	enum ending ending;
	bool started; /* did its vCPUs ever run? */
	char *detail;
};

static void probe_ended(const struct vm_end *end, void *data)
{
	struct probe *probe = data;

	probe->ending = end->ending;
	probe->started = end->started_usec != 0;
	probe->detail = g_strdup(end->detail);
	g_main_loop_quit(probe->loop);
}

static bool probe_run(const char *kernel_path, const char *folder, struct probe *probe,
		      GError **error)
{
	AUTO(vm_root) *root = vm_root_new(error);
	g_autofree char *kernel = NULL;
	g_autofree char *escaped = NULL;
	g_autofree char *xml = NULL;
	struct vm_spec spec = {
		.root = root,
		.folder = folder,
		.silence_seconds = PROBE_SILENCE_SECONDS,
		.deadline_seconds = PROBE_DEADLINE_SECONDS,
	};

	kernel = root ? vm_root_put_file(root, "kernel", kernel_path, error) : NULL;
	if (!kernel)
		return false;
	escaped = g_markup_escape_text(kernel, -1);
	spec.xml = xml = g_strdup_printf(probe_xml, escaped);
	if (!vm_start(&spec, NULL, probe_ended, probe, error))
		return false;
	g_main_loop_run(probe->loop);
	return true;
}

enum answer {
	ANSWER_YES,
	ANSWER_NO,
	ANSWER_UNKNOWN, /* nothing booted or not: the lab itself failed */
};

/* Did the kernel come as far as looking for a root file system? */
static enum answer probe_judge(const struct probe *probe, const char *folder, char **why)
{
	g_autofree char *path = g_build_filename(folder, "console.log", NULL);
	g_autofree char *console = NULL;

	if (probe->ending == ENDING_REBOOT && g_file_get_contents(path, &console, NULL, NULL) &&
	    strstr(console, "VFS: Unable to mount root fs"))
		return ANSWER_YES;
	*why = g_strdup_printf("/dev/kvm is there, but Linux does not boot under it: %s%s%s",
			       ending_name(probe->ending), probe->detail ? ", " : "",
			       probe->detail ? probe->detail : "");
	return probe->ending == ENDING_DIED && !probe->started ? ANSWER_UNKNOWN : ANSWER_NO;
}

static enum answer probe_boot(const char *kernel_path, char **why)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-kvm-XXXXXX", NULL);
	struct probe probe = {.loop = g_main_loop_new(NULL, FALSE)};
	g_autoptr(GError) error = NULL;
	enum answer answer = ANSWER_UNKNOWN;

	if (folder && probe_run(kernel_path, folder, &probe, &error))
		answer = probe_judge(&probe, folder, why);
	else
		*why = g_strdup_printf("KVM cannot be tried: %s",
				       error ? error->message : g_strerror(errno));
	if (folder)
		tree_remove(folder, NULL);
	g_free(probe.detail);
	g_main_loop_unref(probe.loop);
	return answer;
}

/* Everything that the answer depends on, as the name of a file in the cache. */
static char *probe_key(const struct stat *kvm)
{
	g_autofree char *qemu = NULL;
	AUTO(root) *root = root_new_dir("/");
	g_autofree char *model = host_cpu_model(root);
	g_autofree char *text = NULL;
	struct utsname host;

	if (!spawn_run((const char *const[]){"qemu-system-x86_64", "--version", NULL}, NULL, &qemu,
		       NULL))
		return NULL;
	uname(&host);
	text = g_strdup_printf("%s %s\n%s\n%s\n%o %u %u %u", host.release, host.version, qemu,
			       model, kvm->st_mode, kvm->st_uid, kvm->st_gid, geteuid());
	return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
}

/* @file holds "yes", or the sentence that says why not. */
static bool probe_cached(const char *kernel_path, const char *file, char **why)
{
	g_autofree char *text = NULL;
	enum answer answer;

	if (file && g_file_get_contents(file, &text, NULL, NULL)) {
		if (strcmp(text, "yes") == 0)
			return true;
		*why = g_steal_pointer(&text);
		return false;
	}
	answer = probe_boot(kernel_path, why);
	if (file && answer != ANSWER_UNKNOWN)
		g_file_set_contents(file, answer == ANSWER_YES ? "yes" : *why, -1, NULL);
	return answer == ANSWER_YES;
}

bool vm_kvm_works(const char *kernel_path, char **why)
{
	g_autofree char *folder = NULL;
	g_autofree char *key = NULL;
	g_autofree char *file = NULL;
	struct stat kvm;
	int fd;

	if (stat("/dev/kvm", &kvm) < 0) {
		*why = g_strdup("this host has no /dev/kvm");
		return false;
	}
	fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		*why = g_strdup_printf("/dev/kvm cannot be opened: %s", g_strerror(errno));
		return false;
	}
	close(fd);
	folder = paths_cache("kvm", NULL);
	key = probe_key(&kvm);
	if (folder && key)
		file = g_build_filename(folder, key, NULL);
	return probe_cached(kernel_path, file, why);
}
