/* SPDX-License-Identifier: GPL-2.0-only */
/* The stand-in's kselftest.h. */
#include <linux/membarrier.h>
#include <linux/stand_in.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int query_is_answered(void)
{
	long modes = syscall(__NR_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return STAND_IN == 612 && modes > 0 && (modes & MEMBARRIER_CMD_GLOBAL);
}
