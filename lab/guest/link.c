// SPDX-License-Identifier: GPL-2.0-only
#include "guest/link.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void link_send(struct link *link, enum frame_kind kind, unsigned session, const void *payload,
	       size_t length)
{
	static unsigned char frame[FRAME_HEAD + FRAME_MAX];
	const unsigned char *rest = frame;
	size_t left = FRAME_HEAD + length;

	frame_head(frame, kind, session, length);
	if (length)
		memcpy(frame + FRAME_HEAD, payload, length);
	while (left) {
		ssize_t n = write(link->fd, rest, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		rest += n;
		left -= (size_t)n;
	}
}
