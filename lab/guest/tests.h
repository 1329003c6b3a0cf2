/* SPDX-License-Identifier: GPL-2.0-only */
/* The test programs that lie in the initramfs beside the agent: base/test_job.h. */
#ifndef GUEST_TESTS_H
#define GUEST_TESTS_H

#include "guest/channel.h"

/* Runs them one after the other and sends what came of each. Nothing when there are none. */
void tests_run(struct channel *channel);

#endif
