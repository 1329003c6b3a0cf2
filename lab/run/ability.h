/* SPDX-License-Identifier: GPL-2.0-only */
/* Which machines the QEMU of this host can be. Pure. */
#ifndef RUN_ABILITY_H
#define RUN_ABILITY_H

#include "emit/emit.h"
#include "topo/topo.h"
#include "vm/qemu.h"

/* Does the machine need what an old QEMU may lack? Only then is QEMU worth asking. */
bool ability_is_needed(const struct topo *topo);
/* Why @qemu cannot be that machine, a sentence that the caller frees; NULL: it can. */
char *ability_lack(const struct qemu *qemu, enum emit_accel accel, const struct topo *topo);

#endif
