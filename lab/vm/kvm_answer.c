// SPDX-License-Identifier: GPL-2.0-only
#include "vm/kvm_answer.h"

#include <string.h>

enum kvm_answer kvm_answer_judge(enum ending ending, const char *console)
{
	/* mount_root_generic() of init/do_mounts.c, and free_initmem() when it has an initramfs. */
	static const char *const booted[] = {
		"VFS: Unable to mount root fs",
		"Freeing unused kernel image (initmem)",
	};

	for (unsigned i = 0; console && i < G_N_ELEMENTS(booted); i++)
		if (strstr(console, booted[i]))
			return KVM_WORKS;
	switch (ending) {
	case ENDING_REBOOT:
		/* vpanic() of kernel/panic.c; a triple fault says nothing. */
		return console && strstr(console, "Kernel panic - not syncing") ? KVM_RUNS
										: KVM_FAILS;
	case ENDING_STALLED:
	case ENDING_SILENT:
		return KVM_FAILS;
	case ENDING_POWEROFF:
	case ENDING_STARVED:
	case ENDING_DIED:
	case ENDING_CRASHED:
	case ENDING_FLOODED:
	case ENDING_STOPPED:
	case ENDING_UP:
	case ENDING_COUNT:
		break;
	}
	return KVM_UNKNOWN;
}

char *kvm_answer_reason(enum kvm_answer answer, enum ending ending, const char *detail)
{
	const char *what = answer == KVM_UNKNOWN
				   ? "/dev/kvm is there, but cannot be tried"
				   : "/dev/kvm is there, but Linux does not boot under it";

	/*
	 * kvm_init() of accel/kvm/kvm-all.c in QEMU 10.0. With the time stamps that libvirt asks
	 * for it names "No such file or directory" whatever the cause.
	 */
	if (detail && strstr(detail, "Could not access KVM kernel module"))
		return g_strdup("/dev/kvm is there, but the user that libvirt runs QEMU as may not "
				"open it: it needs mode 0660 and a group which that user is in, "
				"usually 'kvm'");
	return g_strdup_printf("%s: %s%s%s", what, ending_name(ending), detail ? ", " : "",
			       detail ? detail : "");
}

/*
 * The lines of the first CPU that say what it is; others, such as its MHz, change by the second.
 * show_cpuinfo() of arch/x86/kernel/cpu/proc.c
 */
static void append_cpu(GString *text, struct root *root)
{
	static const char *const labels[] = {"vendor_id", "cpu family", "model", "model name",
					     "stepping",  "microcode",	"flags", NULL};
	g_autofree char *cpuinfo = root_read(root, NULL, "proc/cpuinfo");
	g_auto(GStrv) lines = g_strsplit(cpuinfo ? cpuinfo : "", "\n", -1);

	for (unsigned i = 0; lines[i] && *lines[i]; i++) {
		g_auto(GStrv) parts = g_strsplit(lines[i], ":", 2);

		if (parts[0] && g_strv_contains(labels, g_strchomp(parts[0])))
			g_string_append_printf(text, "%s\n", lines[i]);
	}
}

char *kvm_answer_key(struct root *root, const char *qemu, const char *more)
{
	static const char *const files[] = {"proc/version", "sys/class/dmi/id/sys_vendor",
					    "sys/class/dmi/id/product_name"};
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *value = root_read(root, NULL, "%s", files[i]);

		g_string_append_printf(text, "%s\n", value ? value : "");
	}
	append_cpu(text, root);
	g_string_append_printf(text, "%s\n%s\n", qemu, more);
	return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, -1);
}
