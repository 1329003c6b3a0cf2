/* SPDX-License-Identifier: GPL-2.0-only */
/* Everything that observe/ reads, as files of /proc and /sys, CPUID dumps and the kernel's log. */
#ifndef GUEST_GATHER_H
#define GUEST_GATHER_H

#include "guest/text.h"

/* The gzipped archive; the caller frees it. Nothing that is missing or unreadable stops it. */
struct text gather_evidence(void);

#endif
