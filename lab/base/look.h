/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The last look at a guest that stands still or has had its time, before it is ended: what was
 * asked for, what came of it, and where its vCPUs stood. vm/ takes it, run/ reads what it left,
 * report/ tells of it.
 */
#ifndef BASE_LOOK_H
#define BASE_LOOK_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

/* In the order in which they are taken. */
enum look_part {
	LOOK_REGISTERS, /* QEMU's registers of every vCPU */
	LOOK_MEMORY,	/* a dump, only if the user wants one */
	LOOK_SYSRQ_L,	/* the guest prints where its CPUs are, drivers/tty/sysrq.c */
	LOOK_SYSRQ_W,	/* and its blocked tasks */
	LOOK_PARTS,
};
const char *look_part_name(enum look_part part);
bool look_part_from_name(const char *name, enum look_part *part);

#define LOOK_REGISTERS_FILE "registers.txt"
#define LOOK_MEMORY_FILE    "memory.elf"

/* vCPUs that stand at the same place. */
struct look_place {
	char *vcpus;  /* QEMU's numbers, as registers.txt has them: "0,2-7" */
	char *where;  /* "native_halt+0xe", "0xffffffff81693f8f" */
	char *source; /* "arch/x86/kernel/process.c:745"; NULL: not known */
	char *state;  /* "halted", "user space"; NULL: it runs in the kernel */
};

struct look {
	gint64 console_bytes; /* what the console had before the guest was asked; -1: it was not */
	struct {
		bool tried;
		char *problem; /* NULL: it is there */
	} parts[LOOK_PARTS];
	GPtrArray *places; /* struct look_place *; NULL: registers.txt does not say */
	char *undecoded;   /* why places are bare addresses; NULL: they are not */
};

struct look *look_new(void);
struct look *look_ref(struct look *look); /* takes NULL */
void look_unref(struct look *look);
AUTO_DEFINE(look, look_unref)

void look_note(struct look *look, enum look_part part, const char *problem);
/* Copies its strings. */
void look_add_place(struct look *look, const struct look_place *place);

#endif
