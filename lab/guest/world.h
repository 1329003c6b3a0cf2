/* SPDX-License-Identifier: GPL-2.0-only */
/* What programs other than the agent expect of a running system. */
#ifndef GUEST_WORLD_H
#define GUEST_WORLD_H

/* Mounts it and sets the environment. To be called after the evidence was gathered. */
void world_prepare(void);

#endif
