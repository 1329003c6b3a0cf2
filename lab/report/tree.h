/* SPDX-License-Identifier: GPL-2.0-only */
/* Sched domains for a human: one CPU of each distinct shape, a line per domain. */
#ifndef REPORT_TREE_H
#define REPORT_TREE_H

#include "report/report.h"
#include "topo/domains.h"

/* Ends with a newline; "" for an empty tree. */
char *report_tree(const struct domain_tree *tree, const struct report_style *style);

#endif
