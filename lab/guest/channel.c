// SPDX-License-Identifier: GPL-2.0-only
#include "guest/channel.h"

#include "guest/agent.h"
#include "guest/ports.h"
#include "guest/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>
#include <zlib.h>

/* How long the host may take to open its end. */
#define HOST_WAIT_MS 20000

int channel_open(struct channel *channel)
{
	channel->name = "virtio";
	channel->fd = port_open("topolab.0", O_WRONLY);
	if (channel->fd >= 0) {
		/* A write to a port whose other end is closed would wait without end. */
		struct pollfd host = {.fd = channel->fd, .events = POLLOUT};

		if (poll(&host, 1, HOST_WAIT_MS) == 1 && (host.revents & POLLOUT))
			return 0;
		close(channel->fd);
	}
	channel->name = "serial";
	channel->fd = serial_open(O_WRONLY);
	return channel->fd >= 0 ? 0 : -1;
}

static void channel_write(struct channel *channel, const void *data, size_t length)
{
	const char *p = data;

	while (length && channel->fd >= 0) {
		ssize_t n = write(channel->fd, p, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			/* The stream is cut; the host sees that there is no "bye". */
			close(channel->fd);
			channel->fd = -1;
			return;
		}
		p += n;
		length -= (size_t)n;
	}
}

void channel_hello(struct channel *channel)
{
	struct utsname names;
	struct text line = {0};

	uname(&names);
	/* Releases hold no quote or backslash: kbuild takes them from file names. */
	for (char *p = names.release; *p; p++)
		if (*p == '"' || *p == '\\' || *p < ' ')
			*p = '?';
	text_printf(&line,
		    "{\"type\":\"hello\",\"agent\":%d,\"release\":\"%s\",\"channel\":\"%s\"}\n",
		    AGENT_VERSION, names.release, channel->name);
	channel_write(channel, line.data, line.length);
	text_free(&line);
}

void channel_blob(struct channel *channel, const char *name, const void *data, size_t length)
{
	struct text line = {0};

	text_printf(&line, "{\"type\":\"blob\",\"name\":\"%s\",\"bytes\":%zu,\"crc32\":%lu}\n",
		    name, length, crc32_z(crc32_z(0, NULL, 0), data, length));
	channel_write(channel, line.data, line.length);
	channel_write(channel, data, length);
	channel_write(channel, "\n", 1);
	text_free(&line);
}

void channel_error(struct channel *channel, const char *text)
{
	struct text line = {0};

	text_printf(&line, "{\"type\":\"error\",\"text\":\"%s\"}\n", text);
	channel_write(channel, line.data, line.length);
	text_free(&line);
}

void channel_line(struct channel *channel, const char *json)
{
	channel_write(channel, json, strlen(json));
	channel_write(channel, "\n", 1);
}

void channel_close(struct channel *channel)
{
	static const char bye[] = "{\"type\":\"bye\"}\n";

	channel_write(channel, bye, sizeof(bye) - 1);
	if (channel->fd < 0)
		return;
	/* virtio-serial writes return when the host has taken the bytes; serial ones do not. */
	if (strcmp(channel->name, "serial") == 0)
		tcdrain(channel->fd);
	close(channel->fd);
	channel->fd = -1;
}
