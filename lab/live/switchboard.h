/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the clients of a guest and its agent: gives each command a session, passes frames on, and
 * tells the agent when a client is gone. The guest is not trusted: a frame that does not belong, or
 * more output than a window holds, ends the link.
 */
#ifndef LIVE_SWITCHBOARD_H
#define LIVE_SWITCHBOARD_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

struct switchboard;

struct switchboard_events {
	void (*ready)(void *data); /* once: the agent has answered */
	void (*down)(void *data);  /* a client asks for the guest's end */
	/* Once: nothing can be passed on any more. @why: a sentence. */
	void (*broken)(const char *why, void *data);
};

/* @link: connected to the agent's port; taken over, like @listener, a listening Unix socket. */
struct switchboard *switchboard_new(int link, int listener, const struct switchboard_events *events,
				    void *data);
/* @why: what clients whose commands still run are told. */
void switchboard_free(struct switchboard *switchboard, const char *why);

#endif
