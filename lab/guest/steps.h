/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host wants done to the kernel before the evidence is gathered: base/steps.h. */
#ifndef GUEST_STEPS_H
#define GUEST_STEPS_H

#include "guest/text.h"

/* Does it and says in @answer what came of it. Nothing when there is no such file. */
void steps_take(struct text *answer);

#endif
