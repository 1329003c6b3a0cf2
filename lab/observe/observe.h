/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evidence -> witnesses. Witness 2 is what no kernel code interpreted (CPUID leaves, the bytes of
 * MADT, SRAT and SLIT); witness 3 is the kernel's reading (/sys) and its result (sched domains).
 */
#ifndef OBSERVE_OBSERVE_H
#define OBSERVE_OBSERVE_H

#include "base/auto.h"
#include "base/root.h"
#include "topo/domains.h"
#include "topo/view.h"

/* Bounds on the guest's archive. */
#define EVIDENCE_MAX_BYTES   (64u << 20)
#define EVIDENCE_MAX_ENTRIES 500000u

/*
 * Opens evidence.tar.gz in memory. ERROR_LAB: not a gzipped tar, cut, too large, too many entries,
 * an absolute path or one with "..", a member twice, or no manifest that counts its members.
 */
struct root *evidence_open(GBytes *archive, GError **error);

/* Witness 2 (forks hwloc's child process for the CPUID part). */
struct view *observe_hardware(struct root *evidence, GError **error);
/* Witness 3: /sys and /proc/cpuinfo. */
struct view *observe_system(struct root *evidence, GError **error);
/*
 * Witness 3: debugfs' ids of each of the @online CPUs, as masks of CPUs with equal ids. NULL
 * without an error: this kernel shows none (before 6.9).
 */
struct view *observe_topo_ids(struct root *evidence, const struct cpus *online, GError **error);
/*
 * Witness 3: domains from schedstat (spans), debugfs (names, flags, levels) and the verbose kernel
 * log (groups). Where two sources name the same thing and differ, ERROR_LAB.
 */
struct domain_tree *observe_domains(struct root *evidence, GError **error);

/* One record of /dev/kmsg, continuation lines joined. */
struct kernel_message {
	unsigned priority; /* syslog level 0-7 */
	guint64 usec;
	char *text;
};

/* struct kernel_message *; ERROR_LAB when the member is missing or malformed. */
GPtrArray *observe_kernel_log(struct root *evidence, GError **error);
/* The same from a serial console's text, for a guest that died before it could send evidence. */
GPtrArray *observe_console(const char *text, gsize length);

/*
 * Messages that no healthy kernel prints: "------------[ cut here ]", "BUG: ", "Oops", general
 * protection, "kernel BUG at", "unchecked MSR access", "borken", the scheduler's "ERROR: ", panic.
 * Structure is matched, never the word "WARNING". Elements belong to @log.
 */
GPtrArray *observe_splats(GPtrArray *log);
/*
 * The panic of a kernel that found no first program in its initramfs and looked for a disk, when
 * that is its first complaint: a guest here has no disk. Belongs to @log; NULL: there is none.
 */
struct kernel_message *observe_lost_root(GPtrArray *log);
/*
 * The oops of a breakpoint that is not in the memory it was met at: QEMU's TCG may go on with code
 * that the kernel has patched away. It translates anew as soon as the old translation is dropped,
 * which is before the byte is stored (accel/tcg/cputlb.c, notdirty_write(), 10.0). Belongs to @log;
 * NULL: there is none.
 */
struct kernel_message *observe_stale_breakpoint(GPtrArray *log);
/* Does the log prove that the kernel took our table: "ACPI: Table Upgrade: override [APIC-..."? */
bool observe_table_upgraded(GPtrArray *log, const char *signature);
/* The same of a table that the emulator's firmware does not have: "... install [HMAT-...". */
bool observe_table_installed(GPtrArray *log, const char *signature);
/*
 * Does the kernel know the hypervisor that it runs on, as it knows KVM but not TCG: "Hypervisor
 * detected: KVM", init_hypervisor_platform()?
 */
bool observe_hypervisor(GPtrArray *log);
/* uname -r, from /proc/version or the member proc/sys/kernel/osrelease. */
char *observe_release(struct root *evidence, GError **error);

#endif
