// SPDX-License-Identifier: GPL-2.0-only
#include "vm/vm.h"

#include "base/tree.h"

#include <errno.h>
#include <string.h>

/* Firmware that finds nothing to boot, until it is ended. */
static const char trial_xml[] =
	"<domain type='qemu'><name>trial</name><memory unit='MiB'>64</memory><vcpu>1</vcpu>"
	"<os><type arch='x86_64' machine='q35'>hvm</type></os>"
	"<features><acpi/><apic/></features><cpu mode='maximum' check='none'/>"
	"<devices><memballoon model='none'/></devices></domain>";

struct attempt {
	struct vm *vm;
	GMainLoop *loop;
	struct vm_trial *trial;
};

static void attempt_progress(const struct vm_progress *progress, void *data)
{
	struct attempt *attempt = data;

	if (strcmp(progress->state, "booting") == 0)
		vm_stop(attempt->vm, "it was started to see whether it does");
}

static void attempt_ended(const struct vm_end *end, void *data)
{
	struct attempt *attempt = data;

	attempt->trial->qemu = g_strdup(end->qemu);
	attempt->trial->libvirt = g_strdup(end->libvirt);
	if (!end->started_usec)
		attempt->trial->problem = g_strdup(end->detail ?: ending_name(end->ending));
	g_main_loop_quit(attempt->loop);
}

static bool attempt_run(struct attempt *attempt, const char *folder, GError **error)
{
	AUTO(vm_root) *root = vm_root_new(error);
	struct vm_spec spec = {
		.root = root,
		.xml = trial_xml,
		.folder = folder,
		.silence_seconds = 60,
	};

	if (!root)
		return false;
	attempt->vm = vm_start(&spec, attempt_progress, attempt_ended, attempt, error);
	if (!attempt->vm)
		return false;
	g_main_loop_run(attempt->loop);
	return true;
}

void vm_try(struct vm_trial *trial)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-trial-XXXXXX", NULL);
	struct attempt attempt = {.loop = g_main_loop_new(NULL, FALSE), .trial = trial};
	g_autoptr(GError) error = NULL;

	if (!folder)
		trial->problem =
			g_strdup_printf("no folder for temporary files: %s", g_strerror(errno));
	else if (!attempt_run(&attempt, folder, &error))
		trial->problem = g_strdup(error->message);
	if (folder)
		tree_remove(folder, NULL);
	g_main_loop_unref(attempt.loop);
}

void vm_trial_clear(struct vm_trial *trial)
{
	g_clear_pointer(&trial->qemu, g_free);
	g_clear_pointer(&trial->libvirt, g_free);
	g_clear_pointer(&trial->problem, g_free);
}
