/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernels a row holds for. */
#ifndef EXPECT_VERSIONS_H
#define EXPECT_VERSIONS_H

#include "base/kernel_facts.h"

#include <stdbool.h>

/* Patch levels do not count: a row begins with the first kernel of a series. */
#define RELEASE(major, minor) KERNEL_VERSION_OF(major, minor, 0)

struct versions {
	unsigned since;
	unsigned until; /* the first that no longer behaves so; 0: the newest still does */
};

static inline bool versions_have(const struct versions *versions, unsigned version)
{
	return version >= versions->since && (!versions->until || version < versions->until);
}

#endif
