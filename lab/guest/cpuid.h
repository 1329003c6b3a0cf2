/* SPDX-License-Identifier: GPL-2.0-only */
/* CPUID leaves of the CPU we run on. */
#ifndef GUEST_CPUID_H
#define GUEST_CPUID_H

#include "guest/text.h"

/*
 * Appends one line per leaf, in the format that hwloc's x86 backend loads (HWLOC_CPUID_PATH):
 * mask of the inputs that count (1: EAX, 5: EAX and ECX), the inputs, "=>", the outputs; all hex.
 */
void cpuid_dump(struct text *out);

#endif
