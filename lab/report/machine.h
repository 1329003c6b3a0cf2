/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine for a human: what its topology file comes to. */
#ifndef REPORT_MACHINE_H
#define REPORT_MACHINE_H

#include "report/report.h"
#include "topo/topo.h"

/* Ends with a newline. Caller frees. */
char *report_machine(const struct topo *topo, const struct report_style *style);

#endif
