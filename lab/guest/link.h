/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent's end of the port that base/frames.h describes. */
#ifndef GUEST_LINK_H
#define GUEST_LINK_H

#include "base/frames.h"

struct link {
	int fd;
	struct frame_reader reader;
};

/* Returns when the host has the frame; what the host no longer takes is lost without a word. */
void link_send(struct link *link, enum frame_kind kind, unsigned session, const void *payload,
	       size_t length);

#endif
