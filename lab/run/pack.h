/* SPDX-License-Identifier: GPL-2.0-only */
/* How many guests this host holds at once. */
#ifndef RUN_PACK_H
#define RUN_PACK_H

#include "base/root.h"
#include "emit/emit.h"
#include "topo/topo.h"

#include <glib.h>

/* What guests take, or what a host has for them. */
struct pack_load {
	unsigned guests, vcpus;
	guint64 memory_mib; /* of the host */
};

/* One guest: its own memory and what QEMU needs beside it. */
struct pack_load pack_guest(const struct topo *topo);

/*
 * @guests: as many as the user allows. Of the memory, what is available now, before any guest
 * runs; where that is not known only guests and vCPUs count. Of the vCPUs, so many for each of the
 * host's CPUs as @accel bears:
 *
 * TCG: 64. The timer tick of an idle vCPU takes about 30 us of the host 250 times a second, so that
 * 64 of them leave half of the CPU for what the guests are to do.
 * KVM: 128. A tick is an exit and an entry, some 5 us: ticks then take a sixth.
 *
 * @root: "/".
 */
struct pack_load pack_limit(struct root *root, unsigned guests, unsigned host_cpus,
			    enum emit_accel accel);

/*
 * The first of @n waiting guests that fits beside those that are @running, or -1: none does now.
 * Where nothing runs the first one always may: what exceeds the host alone runs alone.
 */
int pack_next(const struct pack_load *limit, const struct pack_load *running,
	      const struct pack_load *waiting, unsigned n);

void pack_add(struct pack_load *running, const struct pack_load *guest);
void pack_remove(struct pack_load *running, const struct pack_load *guest);

#endif
