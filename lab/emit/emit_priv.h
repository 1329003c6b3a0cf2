/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of emit/. */
#ifndef EMIT_EMIT_PRIV_H
#define EMIT_EMIT_PRIV_H

#include "emit/emit.h"
#include "topo/topo.h"

#include <glib.h>
#include <stdbool.h>

/*
 * The machine as QEMU's -smp counts it. A module is an L3 where there are several in a die, or an
 * L2 where cores share it.
 */
struct emit_shape {
	unsigned sockets, dies, modules, cores, threads;
	const char *module_cache; /* "l2" or "l3" where there are modules, else NULL */
};

struct emit_shape emit_shape(const struct topo *topo);

/* The value of QEMU's -cpu. */
char *emit_cpu(const struct topo *topo, enum emit_accel accel);

#endif
