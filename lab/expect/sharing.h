/* SPDX-License-Identifier: GPL-2.0-only */
/* Who shares what to a kernel, where CPUID does not say it outright. */
#ifndef EXPECT_SHARING_H
#define EXPECT_SHARING_H

#include "base/cpus.h"
#include "topo/topo.h"

/*
 * The CPUs, online or not, that a kernel of @version takes to share @level with @cpu: the model's,
 * but for a processor that lacks the leaf that says so. New.
 */
struct cpus *sharing_mask(const struct topo *topo, unsigned version, enum topo_level level,
			  unsigned cpu);

#endif
