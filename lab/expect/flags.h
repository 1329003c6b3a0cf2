/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flags of a sched domain, as include/linux/sched/sd_flags.h defines them. Left out are those
 * that no machine of ours can get: SD_BALANCE_WAKE (only by relax_domain_level),
 * SD_ASYM_CPUCAPACITY and SD_ASYM_CPUCAPACITY_FULL (hybrid CPUs) and SD_ASYM_PACKING (ITMT).
 */
#ifndef EXPECT_FLAGS_H
#define EXPECT_FLAGS_H

#include <glib.h>

/* Bits are ours; only their order is the kernel's. */
enum sd_flag {
	SD_BALANCE_NEWIDLE = 1u << 0,
	SD_BALANCE_EXEC = 1u << 1,
	SD_BALANCE_FORK = 1u << 2,
	SD_WAKE_AFFINE = 1u << 3,
	SD_SHARE_CPUCAPACITY = 1u << 4,
	SD_CLUSTER = 1u << 5,
	SD_SHARE_LLC = 1u << 6, /* SD_SHARE_PKG_RESOURCES before 6.9 */
	SD_SERIALIZE = 1u << 7,
	SD_PREFER_SIBLING = 1u << 8,
	SD_OVERLAP = 1u << 9,
	SD_NUMA = 1u << 10,
};

/* Those of @flags that a kernel of this version has. */
guint32 flags_known(guint32 flags, unsigned version);
/* The flags with SDF_NEEDS_GROUPS: a domain with one group has no use for them. */
guint32 flags_needing_groups(unsigned version);
/* Blank separated, in the kernel's order and spelling. Caller frees. */
char *flags_text(guint32 flags, unsigned version);

#endif
