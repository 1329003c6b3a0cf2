/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hwloc's reading of CPUID dumps. Its settings are environment variables of the whole process, and
 * it trusts what it loads, so it lives in a child process.
 */
#ifndef OBSERVE_HWLOC_CHILD_H
#define OBSERVE_HWLOC_CHILD_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

/* CPUs are numbered 0 to n - 1 here: hwloc loads no dump with holes. */
struct hwloc_masks {
	unsigned n;
	/* n lists each, NULL where hwloc saw none */
	char **core, **l2, **l3, **package;
};

/*
 * @dumps: n texts in hwloc's format. ERROR_LAB: no scratch folder, or hwloc died, hung, or did not
 * load these dumps and nothing else.
 */
struct hwloc_masks *hwloc_masks_read(char *const *dumps, unsigned n, GError **error);
void hwloc_masks_free(struct hwloc_masks *masks);
AUTO_DEFINE(hwloc_masks, hwloc_masks_free)

#endif
