// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/kvm that opens is not KVM that works: on some nested hosts it creates a VM and even runs a
 * flat program, while Linux hangs early in boot. Only a real kernel tells.
 */
#include "vm/vm.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/root.h"
#include "base/spawn.h"
#include "base/tree.h"
#include "vm/kvm_answer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/*
 * Linux panics for lack of a root file system about a second after its start. On a host that is
 * itself an emulated and busy machine it took 40 s; the first includes decompression.
 */
#define PROBE_SILENCE_SECONDS  30
#define PROBE_DEADLINE_SECONDS 300
/* See kvm_works_cached(). */
#define NO_HOLDS_SECONDS 3600

/* As a job's domain is, but for the machine in it. */
static const char probe_xml[] =
	"<domain type='kvm'><name>probe</name><memory unit='MiB'>512</memory><vcpu>1</vcpu>"
	"<os><type arch='x86_64' machine='q35'>hvm</type><kernel>%s</kernel>"
	"<cmdline>console=ttyS0 panic=-1</cmdline></os>"
	"<features><acpi/><apic/><smm state='off'/></features><cpu mode='maximum' check='none'/>"
	"<on_poweroff>destroy</on_poweroff><on_reboot>destroy</on_reboot>"
	"<on_crash>destroy</on_crash>"
	"<devices><serial type='unix'><source mode='bind' path='%s/serial0'/><target port='0'/>"
	"</serial><memballoon model='none'/></devices>"
	"</domain>";

struct probe {
	GMainLoop *loop;
	enum ending ending;
	char *detail;
};

static void probe_ended(const struct vm_end *end, void *data)
{
	struct probe *probe = data;

	probe->ending = end->ending;
	probe->detail = g_strdup(end->detail);
	g_main_loop_quit(probe->loop);
}

static bool probe_run(const struct vm_kvm_question *question, const char *folder,
		      struct probe *probe, GError **error)
{
	AUTO(vm_root) *root = vm_root_new(error);
	g_autofree char *kernel = NULL;
	g_autofree char *xml = NULL;
	struct vm_spec spec = {
		.root = root,
		.folder = folder,
		.silence_seconds = MAX(PROBE_SILENCE_SECONDS, question->silence_seconds),
		.deadline_seconds = MAX(PROBE_DEADLINE_SECONDS, 2 * question->silence_seconds),
	};

	kernel = root ? vm_root_put_file(root, "kernel", question->kernel_path, error) : NULL;
	if (!kernel)
		return false;
	spec.xml = xml = g_markup_printf_escaped(probe_xml, kernel, vm_root_path(root));
	if (!vm_start(&spec, NULL, probe_ended, probe, error))
		return false;
	g_main_loop_run(probe->loop);
	return true;
}

static enum kvm_answer probe_judge(const struct probe *probe, const char *folder, char **why)
{
	g_autofree char *path = g_build_filename(folder, "console.log", NULL);
	g_autofree char *console = NULL;
	enum kvm_answer answer;

	g_file_get_contents(path, &console, NULL, NULL);
	answer = kvm_answer_judge(probe->ending, console);
	*why = kvm_answer_reason(answer, probe->ending, probe->detail);
	return answer;
}

static enum kvm_answer probe_boot(const struct vm_kvm_question *question, char **why)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-kvm-XXXXXX", NULL);
	struct probe probe = {.loop = g_main_loop_new(NULL, FALSE)};
	g_autoptr(GError) error = NULL;
	enum kvm_answer answer = KVM_UNKNOWN;

	if (folder && probe_run(question, folder, &probe, &error))
		answer = probe_judge(&probe, folder, why);
	else
		*why = kvm_answer_reason(answer, ENDING_DIED,
					 error ? error->message : g_strerror(errno));
	if (folder)
		tree_remove(folder, NULL);
	g_free(probe.detail);
	g_main_loop_unref(probe.loop);
	return answer;
}

/* Where the cache holds the answer, NULL: nowhere. @kernel: what else it hangs on. */
static char *answer_file(const struct stat *kvm, const char *kernel)
{
	AUTO(root) *root = root_new_dir("/");
	g_autofree char *folder = paths_cache("kvm", NULL);
	g_autofree char *qemu = NULL;
	g_autofree char *more = g_strdup_printf("%o %u %u %u\n%s", kvm->st_mode, kvm->st_uid,
						kvm->st_gid, geteuid(), kernel);
	g_autofree char *key = NULL;

	if (!folder || !spawn_run((const char *const[]){"qemu-system-x86_64", "--version", NULL},
				  NULL, &qemu, NULL))
		return NULL;
	key = kvm_answer_key(root, qemu, more);
	return g_build_filename(folder, key, NULL);
}

/* A kernel that is built again is another one. */
static char *kernel_identity(const char *path)
{
	struct stat status = {0};

	stat(path, &status);
	return g_strdup_printf("%s %jd %jd.%09ld", path, (intmax_t)status.st_size,
			       (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

static bool is_recent(const char *file, time_t seconds)
{
	struct stat status;
	time_t now = time(NULL);

	return stat(file, &status) == 0 && status.st_mtime <= now &&
	       now - status.st_mtime < seconds;
}

/*
 * That a kernel boots is a fact about the host for good. That one does not may be its own fault, or
 * that of a busy moment, and holds for this kernel and for an hour.
 */
static bool kvm_works_cached(const struct stat *kvm, const struct vm_kvm_question *question,
			     char **why)
{
	g_autofree char *kernel = kernel_identity(question->kernel_path);
	g_autofree char *yes = answer_file(kvm, "");
	g_autofree char *no = answer_file(kvm, kernel);
	g_autofree char *reason = NULL;

	if (yes && g_file_test(yes, G_FILE_TEST_EXISTS))
		return true;
	if (no && is_recent(no, NO_HOLDS_SECONDS) && g_file_get_contents(no, why, NULL, NULL))
		return false;
	switch (probe_boot(question, &reason)) {
	case KVM_WORKS:
		if (yes)
			g_file_set_contents(yes, "yes", -1, NULL);
		return true;
	case KVM_RUNS:
		return true;
	case KVM_FAILS:
		if (no)
			g_file_set_contents(no, reason, -1, NULL);
		break;
	case KVM_UNKNOWN:
		break;
	}
	*why = g_steal_pointer(&reason);
	return false;
}

bool vm_kvm_works(const struct vm_kvm_question *question, char **why)
{
	struct stat kvm;

	if (!vm_kvm_opens(why))
		return false;
	if (stat("/dev/kvm", &kvm) < 0) {
		*why = g_strdup_printf("/dev/kvm is gone: %s", g_strerror(errno));
		return false;
	}
	return kvm_works_cached(&kvm, question, why);
}
