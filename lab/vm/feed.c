// SPDX-License-Identifier: GPL-2.0-only
#include "vm/feed.h"

#include "base/error.h"
#include "vm/device.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <libvirt/virterror.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Bytes at a time, and how often before the main loop may look at something else. */
#define CHUNK		 (64u << 10)
#define CHUNKS_PER_ROUND 16

struct feed {
	int fd;		     /* the socket, or -1 */
	guint source;	     /* watches fd */
	virStreamPtr stream; /* when there is no socket */
	bool ended;
	void (*data)(struct feed *, const guint8 *, gsize, void *);
	void *user;
};

bool output_open(struct output *output, const char *folder, const char *name, guint64 limit,
		 GError **error)
{
	output->path = g_build_filename(folder, name, NULL);
	output->limit = limit;
	output->bytes = 0;
	output->fd = open(output->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (output->fd >= 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot write '%s': %s", output->path,
		    g_strerror(errno));
	return false;
}

enum output_result output_append(struct output *output, const guint8 *data, gsize length)
{
	gsize room = (gsize)MIN(output->limit - output->bytes, length);
	bool full = length > room;

	while (room) {
		ssize_t written = write(output->fd, data, room);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return OUTPUT_FAILED;
		data += written;
		room -= (gsize)written;
		output->bytes += (guint64)written;
	}
	return full ? OUTPUT_FULL : OUTPUT_WRITTEN;
}

void output_close(struct output *output)
{
	if (output->fd >= 0)
		close(output->fd);
	output->fd = -1;
	g_clear_pointer(&output->path, g_free);
}

/* > 0: bytes; 0: the end; -1: nothing there now. */
static gssize feed_receive(struct feed *feed, guint8 *buffer)
{
	gssize got;

	if (feed->stream) {
		got = virStreamRecv(feed->stream, (char *)buffer, CHUNK);
		return got == -2 ? -1 : MAX(got, 0);
	}
	do
		got = read(feed->fd, buffer, CHUNK);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return errno == EAGAIN ? -1 : 0;
	return got;
}

static void feed_round(struct feed *feed)
{
	static guint8 buffer[CHUNK];

	for (unsigned i = 0; i < CHUNKS_PER_ROUND && !feed->ended; i++) {
		gssize got = feed_receive(feed, buffer);

		if (got < 0)
			return;
		if (got == 0)
			feed->ended = true;
		else
			feed->data(feed, buffer, (gsize)got, feed->user);
	}
}

static gboolean feed_socket_ready(int fd G_GNUC_UNUSED, GIOCondition condition G_GNUC_UNUSED,
				  void *data)
{
	struct feed *feed = data;

	feed_round(feed);
	if (!feed->ended)
		return G_SOURCE_CONTINUE;
	feed->source = 0;
	return G_SOURCE_REMOVE;
}

static void feed_stream_ready(virStreamPtr stream, int events G_GNUC_UNUSED, void *data)
{
	struct feed *feed = data;

	feed_round(feed);
	if (feed->ended)
		virStreamEventRemoveCallback(stream);
}

static bool feed_connect(struct feed *feed, const char *path, GError **error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
	feed->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (feed->fd < 0 || strlen(path) >= sizeof(address.sun_path) ||
	    connect(feed->fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    !g_unix_set_fd_nonblocking(feed->fd, TRUE, NULL)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot connect to '%s': %s", path,
			    g_strerror(errno));
		return false;
	}
	feed->source =
		g_unix_fd_add(feed->fd, G_IO_IN | G_IO_HUP | G_IO_ERR, feed_socket_ready, feed);
	return true;
}

static bool feed_stream(struct feed *feed, virConnectPtr connection, virDomainPtr domain,
			const struct device *device, GError **error)
{
	int status = -1;

	feed->stream = virStreamNew(connection, VIR_STREAM_NONBLOCK);
	if (feed->stream && device->kind == DEVICE_CHANNEL)
		status = virDomainOpenChannel(domain, device->name, feed->stream, 0);
	else if (feed->stream)
		status = virDomainOpenConsole(domain, device->name, feed->stream, 0);
	if (status == 0)
		status = virStreamEventAddCallback(feed->stream,
						   VIR_STREAM_EVENT_READABLE |
							   VIR_STREAM_EVENT_HANGUP |
							   VIR_STREAM_EVENT_ERROR,
						   feed_stream_ready, feed, NULL);
	if (status == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot open the guest's '%s': %s",
		    device->name, virGetLastErrorMessage());
	return false;
}

struct feed *feed_open(virConnectPtr connection, virDomainPtr domain, const struct device *device,
		       void (*data)(struct feed *, const guint8 *, gsize, void *), void *user,
		       GError **error)
{
	struct feed *feed = g_new0(struct feed, 1);
	bool ok;

	feed->fd = -1;
	feed->data = data;
	feed->user = user;
	if (device->socket)
		ok = feed_connect(feed, device->socket, error);
	else
		ok = feed_stream(feed, connection, domain, device, error);
	if (ok)
		return feed;
	feed_close(feed);
	return NULL;
}

void feed_drain(struct feed *feed, gint64 limit_usec)
{
	gint64 limit = g_get_monotonic_time() + limit_usec;

	while (!feed->ended && g_get_monotonic_time() < limit) {
		struct pollfd ready = {.fd = feed->fd, .events = POLLIN};

		/* A stream has what it has; a socket's end is certain, and worth waiting for. */
		feed_round(feed);
		if (feed->stream)
			return;
		if (!feed->ended)
			poll(&ready, 1, 10);
	}
}

bool feed_send(struct feed *feed, char key)
{
	if (feed->ended)
		return false;
	return (feed->stream ? virStreamSend(feed->stream, &key, 1) : write(feed->fd, &key, 1)) ==
	       1;
}

void feed_close(struct feed *feed)
{
	if (!feed)
		return;
	if (feed->source)
		g_source_remove(feed->source);
	if (feed->fd >= 0)
		close(feed->fd);
	if (feed->stream) {
		virStreamEventRemoveCallback(feed->stream);
		virStreamAbort(feed->stream);
		virStreamFree(feed->stream);
	}
	g_free(feed);
}
