/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/schedstat (kernel/sched/stats.c, show_schedstat()): the only file that shows the spans of
 * sched domains. Versions 15 (6.1), 16 (6.12) and 17 (7.3, with names).
 */
#ifndef OBSERVE_SCHEDSTAT_H
#define OBSERVE_SCHEDSTAT_H

#include "topo/domains.h"

/* Spans of every CPU's domains, names where the version has them. ERROR_LAB: any other text. */
struct domain_tree *schedstat_parse(const char *text, GError **error);

#endif
