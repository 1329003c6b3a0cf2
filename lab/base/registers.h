/* SPDX-License-Identifier: GPL-2.0-only */
/* Where vCPUs stand, from what QEMU's monitor prints of their registers. Pure. */
#ifndef BASE_REGISTERS_H
#define BASE_REGISTERS_H

#include <glib.h>
#include <stdbool.h>

struct registers {
	unsigned vcpu;	 /* QEMU's number */
	guint64 address; /* linear, of the next instruction */
	guint64 idt;	 /* linear, of the interrupt descriptor table */
	unsigned cpl;	 /* 0: the kernel */
	bool halted;	 /* HLT, or it was never started */
	bool long_mode;	 /* it printed 64-bit registers */
};

/* More vCPUs no QEMU has; what comes after them is not read. */
#define REGISTERS_MAX 4096

/*
 * @text: of `info registers -a`, x86_cpu_dump_state() in QEMU's target/i386/cpu-dump.c; anything
 * else may stand before and behind it. Returns struct registers, those whose RIP is there, in the
 * order of the text.
 */
GArray *registers_parse(const char *text);

/*
 * The line that registers.txt ends with, by registers_format_gate(): the first 16 bytes of the
 * IDT, the gate of vector 0. False: there is none, or nothing is in it.
 */
bool registers_parse_gate(const char *text, guint64 *handler);
/* @dump: what `x/2gx ADDRESS` printed. Caller frees. */
char *registers_format_gate(const char *dump);

#endif
