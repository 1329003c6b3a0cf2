/* SPDX-License-Identifier: GPL-2.0-only */
/* What a small machine keeps of the large one that it stands for: the names in 'keeps'. */
#ifndef TOPO_KEEPS_H
#define TOPO_KEEPS_H

#include "topo/topo.h"

/* "numbering: how Linux's numbers go over the threads"; NULL: there is no such name. */
const char *topo_keep_help(const char *name);
/* "numbering, nodes-per-package, ...". The caller frees it. */
char *topo_keep_names(void);

/* ERROR_INPUT: names the first of @mini's keeps that does not hold, and both values. */
bool topo_keeps_check(const struct topo *mini, const struct topo *full, GError **error);

#endif
