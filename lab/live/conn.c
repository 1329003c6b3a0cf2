// SPDX-License-Identifier: GPL-2.0-only
#include "live/conn.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define CHUNK (64u << 10)

struct conn {
	int fd;
	guint in_source, out_source;
	struct frame_reader reader;
	GByteArray *out;
	gsize out_done; /* bytes of it that are written */
	bool dead;
	unsigned busy; /* events of ours on the stack: it is freed after the last */
	bool freed;
	const struct conn_events *events;
	void *data;
};

static void conn_release(struct conn *conn)
{
	g_byte_array_unref(conn->out);
	g_free(conn);
}

static void conn_stop(struct conn *conn)
{
	if (conn->in_source)
		g_source_remove(conn->in_source);
	if (conn->out_source)
		g_source_remove(conn->out_source);
	conn->in_source = conn->out_source = 0;
	if (conn->fd >= 0)
		close(conn->fd);
	conn->fd = -1;
	conn->dead = true;
}

void conn_free(struct conn *conn)
{
	if (!conn)
		return;
	conn_stop(conn);
	conn->freed = true;
	if (!conn->busy)
		conn_release(conn);
}

static void conn_enter(struct conn *conn)
{
	conn->busy++;
}

static void conn_leave(struct conn *conn)
{
	if (--conn->busy == 0 && conn->freed)
		conn_release(conn);
}

static void conn_die(struct conn *conn, const char *why)
{
	if (conn->dead)
		return;
	conn_stop(conn);
	conn->events->gone(conn, why, conn->data);
}

static void conn_take(struct conn *conn, const guint8 *bytes, gsize length)
{
	struct frame frame;

	while (length && !conn->dead) {
		gsize taken = frame_reader_take(&conn->reader, bytes, length);

		bytes += taken;
		length -= taken;
		switch (frame_reader_next(&conn->reader, &frame)) {
		case FRAME_MORE:
			break;
		case FRAME_WHOLE:
			conn->events->frame(conn, &frame, conn->data);
			break;
		case FRAME_BROKEN:
			conn_die(conn, "what came is no frame");
			break;
		}
	}
}

static gboolean conn_readable(int fd, GIOCondition condition G_GNUC_UNUSED, void *data)
{
	static guint8 chunk[CHUNK];
	struct conn *conn = data;
	ssize_t got = read(fd, chunk, sizeof(chunk));
	guint source = conn->in_source;
	bool kept;

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return G_SOURCE_CONTINUE;
	conn_enter(conn);
	if (got > 0)
		conn_take(conn, chunk, (gsize)got);
	else
		conn_die(conn, NULL);
	/* Paused or dead, it is removed already, and must not be a second time. */
	kept = conn->in_source == source;
	conn_leave(conn);
	return kept ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

struct conn *conn_new(int fd, const struct conn_events *events, void *data)
{
	struct conn *conn = g_new0(struct conn, 1);

	conn->fd = fd;
	conn->out = g_byte_array_new();
	conn->events = events;
	conn->data = data;
	conn_resume(conn);
	return conn;
}

void conn_pause(struct conn *conn)
{
	if (conn->in_source)
		g_source_remove(conn->in_source);
	conn->in_source = 0;
}

void conn_resume(struct conn *conn)
{
	if (!conn->in_source && !conn->dead)
		conn->in_source =
			g_unix_fd_add(conn->fd, G_IO_IN | G_IO_HUP | G_IO_ERR, conn_readable, conn);
}

/* False: the rest has to wait. */
static bool conn_flush(struct conn *conn)
{
	while (conn->out_done < conn->out->len) {
		ssize_t n = send(conn->fd, conn->out->data + conn->out_done,
				 conn->out->len - conn->out_done, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return false;
		/* The reading side sees why. */
		if (n < 0)
			break;
		conn->out_done += (gsize)n;
	}
	g_byte_array_set_size(conn->out, 0);
	conn->out_done = 0;
	return true;
}

static gboolean conn_writable(int fd G_GNUC_UNUSED, GIOCondition condition G_GNUC_UNUSED,
			      void *data)
{
	struct conn *conn = data;

	if (!conn_flush(conn))
		return G_SOURCE_CONTINUE;
	conn->out_source = 0;
	conn_enter(conn);
	if (conn->events->drained)
		conn->events->drained(conn, conn->data);
	conn_leave(conn);
	return G_SOURCE_REMOVE;
}

void conn_send(struct conn *conn, enum frame_kind kind, unsigned session, const void *payload,
	       gsize length)
{
	guint8 head[FRAME_HEAD];

	if (conn->dead)
		return;
	if (conn->out_done > CHUNK) {
		g_byte_array_remove_range(conn->out, 0, (guint)conn->out_done);
		conn->out_done = 0;
	}
	frame_head(head, kind, session, length);
	g_byte_array_append(conn->out, head, sizeof(head));
	if (length)
		g_byte_array_append(conn->out, payload, (guint)length);
	if (!conn->out_source && !conn_flush(conn))
		conn->out_source = g_unix_fd_add(conn->fd, G_IO_OUT | G_IO_HUP | G_IO_ERR,
						 conn_writable, conn);
}

gsize conn_queued(const struct conn *conn)
{
	return conn->out->len - conn->out_done;
}

int conn_connect(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	if (g_strlcpy(address.sun_path, path, sizeof(address.sun_path)) <
		    sizeof(address.sun_path) &&
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
	    fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
		return fd;
	close(fd);
	return -1;
}
