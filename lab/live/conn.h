/* SPDX-License-Identifier: GPL-2.0-only */
/* One end of a socket that carries frames (base/frames.h), served by the default main context. */
#ifndef LIVE_CONN_H
#define LIVE_CONN_H

#include "base/auto.h"
#include "base/frames.h"

#include <glib.h>
#include <stdbool.h>

struct conn;

struct conn_events {
	void (*frame)(struct conn *conn, const struct frame *frame, void *data);
	/*
	 * Once: the other side closed the socket (@why NULL) or broke the protocol. The conn is
	 * then dead and may be freed here.
	 */
	void (*gone)(struct conn *conn, const char *why, void *data);
	void (*drained)(struct conn *conn,
			void *data); /* nothing is queued any more; may be NULL */
};

/* @fd, which must not block, is taken over. */
struct conn *conn_new(int fd, const struct conn_events *events, void *data);
void conn_free(struct conn *conn); /* what is queued is lost; takes NULL */
AUTO_DEFINE(conn, conn_free)

/* Never blocks. */
void conn_send(struct conn *conn, enum frame_kind kind, unsigned session, const void *payload,
	       gsize length);
/* Bytes that the other side has not taken yet. */
gsize conn_queued(const struct conn *conn);
/* Whether frames are read; they are, in the beginning. */
void conn_pause(struct conn *conn);
void conn_resume(struct conn *conn);

/* Connects to the Unix socket @path; the descriptor does not block. -1: errno says why. */
int conn_connect(const char *path);

#endif
