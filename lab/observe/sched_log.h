/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The domain trees that the scheduler prints with sched_verbose: kernel/sched/topology.c,
 * sched_domain_debug_one(), the same text in 6.12 and 7.3. It is the only place that shows groups.
 *
 *	CPU0 attaching sched-domain(s):
 *	 domain-0: span=0-1 level=MC
 *	  groups: 0:{ span=0 cap=1012 }, 1:{ span=1 }
 */
#ifndef OBSERVE_SCHED_LOG_H
#define OBSERVE_SCHED_LOG_H

#include "topo/domains.h"

#include <glib.h>
#include <stdbool.h>

/* Is @text a line of such a tree whose end is still to come? */
bool sched_log_line_is_open(const char *text);

/*
 * @log: struct kernel_message *. Names, spans and groups of the domains that each CPU was attached
 * to last. NULL without an error when the log holds no tree; ERROR_LAB when one is malformed.
 */
struct domain_tree *sched_log_domains(GPtrArray *log, GError **error);

#endif
