/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine that topolab itself runs on. */
#ifndef BASE_HOST_H
#define BASE_HOST_H

#include "base/root.h"

/* The first CPU's model name in /proc/cpuinfo, or "unknown CPU". @root: "/". Caller frees. */
char *host_cpu_model(struct root *root);

#endif
