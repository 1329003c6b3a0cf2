// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel command line. What is here for speed must not change what the kernel builds: a boot
 * without it gives the same domains.
 */
#include "base/names.h"
#include "emit/emit.h"

ENUM_NAMES(emit_accel, EMIT_ACCEL_COUNT, [EMIT_ACCEL_TCG] = "tcg", [EMIT_ACCEL_KVM] = "kvm")

#define ON(accel) (1u << EMIT_ACCEL_##accel)

struct argument {
	const char *text;
	unsigned accels;
};

static const struct argument arguments[] = {
	/* Level 7 keeps what sched_verbose prints, KERN_DEBUG, off the UART. */
	{"console=ttyS0 loglevel=7", ON(TCG) | ON(KVM)},
	/* Speak before console_init(): topology code runs in setup_arch(), and may die there. */
	{"earlyprintk=ttyS0", ON(TCG) | ON(KVM)},
	/* "Probing EDD" would be a word from a kernel that never ran. arch/x86/boot/edd.c */
	{"edd=off", ON(TCG) | ON(KVM)},
	/* Reboot at once after a panic: the domain's on_reboot ends it. kernel/panic.c */
	{"panic=-1", ON(TCG) | ON(KVM)},
	/* From 6.12 on debugfs has the domains only then; prints groups. kernel/sched/debug.c */
	{"sched_verbose", ON(TCG) | ON(KVM)},
	/* An overloaded host is no lockup of the guest's kernel. kernel/watchdog.c */
	{"nowatchdog", ON(TCG) | ON(KVM)},
	/* The console's sysrq-l and -w for a guest that hangs; sets a mask. drivers/tty/sysrq.c */
	{"sysrq_always_enabled", ON(TCG) | ON(KVM)},
	/* Emulated timers lose ticks during check_timer(). arch/x86/kernel/apic/io_apic.c */
	{"no_timer_check", ON(TCG) | ON(KVM)},
	/* Do not calibrate the delay loop, on each CPU, against emulated ticks. init/calibrate.c */
	{"lpj=5000000", ON(TCG)},
	/* The TSC of TCG is the host's clock: no watchdog, no sync test. arch/x86/kernel/tsc.c */
	{"tsc=reliable", ON(TCG)},
	/* Waiting CPUs spin in cpu_relax(), which costs TCG its big lock. kernel/cpu.c, 6.5 */
	{"cpuhp.parallel=off", ON(TCG)},
	/* DMA remapping only: the interrupts of wide APIC ids are remapped all the same. */
	{"intel_iommu=off", ON(TCG)},
	/*
	 * It would only replace tsc-early, the same counter, by its refined frequency; to switch,
	 * all CPUs spin in stop_machine(), 5 s with 256 vCPUs. arch/x86/kernel/tsc.c
	 */
	{"initcall_blacklist=init_tsc_clocksource", ON(TCG)},
	/*
	 * Each of these wakes a thread on every CPU to register what no guest of ours has (LED
	 * triggers, AMD's uncore counters, /sys/devices/system/machinecheck, I/O access to extended
	 * PCI configuration): 6.8 s by initcall_debug with 256 vCPUs. No topology hangs on them.
	 */
	{"initcall_blacklist=ledtrig_cpu_init,amd_uncore_init,mcheck_init_device,amd_postcore_init",
	 ON(TCG)},
};

/*
 * Room in the ring for everything: with sched_verbose a CPU's domains and groups take 1 to 2 KiB of
 * text, and may be printed twice. The kernel adds 3.5 times as much again for its descriptors
 * (setup_log_buf()), so no more than that. A power of two, as log_buf_len_update() rounds.
 */
static unsigned log_buffer_mib(const struct topo *topo)
{
	unsigned mib = 1;

	while (mib * 1024 < topo_n_cpus(topo) * 8)
		mib *= 2;
	return mib;
}

char *emit_command_line(const struct topo *topo, enum emit_accel accel)
{
	GString *line = g_string_new(NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(arguments); i++)
		if (arguments[i].accels & 1u << accel)
			g_string_append_printf(line, "%s ", arguments[i].text);
	g_string_append_printf(line, "log_buf_len=%uM", log_buffer_mib(topo));
	if (*topo_boot_arguments(topo))
		g_string_append_printf(line, " %s", topo_boot_arguments(topo));
	return g_string_free(line, FALSE);
}
