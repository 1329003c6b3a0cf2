/* SPDX-License-Identifier: GPL-2.0-only */
/* What this host's QEMU is and can do, by its own answers over QMP rather than by its version. */
#ifndef VM_QEMU_H
#define VM_QEMU_H

#include "base/auto.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

#define QEMU_PROGRAM "qemu-system-x86_64"

struct qemu {
	char *path, *version;
	bool tcg_x2apic;   /* TCG can give APIC ids above 254 */
	bool smp_cache;	   /* a q35 machine's cache levels can be set */
	unsigned max_cpus; /* of a q35 machine */
};

/*
 * Starts QEMU without a machine and asks; a fraction of a second. Missing, broken or silent is
 * ERROR_LAB, with what to install. Not to be called while a main loop reaps children.
 */
struct qemu *qemu_ask(GError **error);
void qemu_free(struct qemu *qemu);
AUTO_DEFINE(qemu, qemu_free)

/* Is there one at all? Its path, or ERROR_LAB with what to install. */
char *qemu_find(GError **error);

/* The answers to qemu_ask()'s questions, in their order ("return" members); takes no reference. */
bool qemu_read_answers(struct qemu *qemu, const json_t *version, const json_t *machines,
		       const json_t *properties, const json_t *cpu, GError **error);
/* The name of the newest q35 machine among query-machines' answer, or NULL. */
const char *qemu_q35(const json_t *machines, unsigned *max_cpus);

#endif
