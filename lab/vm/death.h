/* SPDX-License-Identifier: GPL-2.0-only */
/* How a QEMU that went by itself went. */
#ifndef VM_DEATH_H
#define VM_DEATH_H

#include "base/ending.h"

#include <stdbool.h>

/* @status: as waitpid() has it; @reaped: there is one. */
enum ending death_ending(bool reaped, int status);
/*
 * @detail: what is known so far, NULL: nothing; it is freed. Returns it, or how QEMU ended, and
 * QEMU's last words in @root's log if they are not in it. Caller frees.
 */
char *death_explain(const char *root, bool reaped, int status, char *detail);

#endif
