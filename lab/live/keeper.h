/* SPDX-License-Identifier: GPL-2.0-only */
/* The process that keeps a guest up: parent of its worker and QEMU, and switchboard of commands. */
#ifndef LIVE_KEEPER_H
#define LIVE_KEEPER_H

#include "run/run.h"

/*
 * Boots @options->topologies[0], named @name, in a keeper that outlives us, and returns when the
 * guest takes commands: 0, whatever the verdict. When it never came so far the keeper has said why,
 * is gone, and its exit status is returned. While we wait, SIGINT, SIGTERM and SIGHUP end it all.
 */
int keeper_start(const struct run_options *options, const char *name, GError **error);

#endif
