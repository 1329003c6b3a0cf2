/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /sys/kernel/debug/sched/domains/cpuN/domainM/ (kernel/sched/debug.c, register_sd()): names, flags
 * and levels. 6.12 and 7.3 make the folder only with sched_verbose; spans are not in it.
 */
#ifndef OBSERVE_DEBUGFS_H
#define OBSERVE_DEBUGFS_H

#include "base/root.h"
#include "topo/domains.h"

/*
 * Adds what the folder holds to the domains of @tree; without the folder, nothing. ERROR_LAB when
 * it has other domains than @tree, or another name for one.
 */
bool debugfs_add(struct domain_tree *tree, struct root *evidence, GError **error);

#endif
