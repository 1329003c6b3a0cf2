// SPDX-License-Identifier: GPL-2.0-only
#include "guest/channel.h"

#include "guest/agent.h"
#include "guest/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#define PORT_NAME	  "topolab.0"
#define VIRTIO_ID_CONSOLE 3 /* Virtio 1.2, section 5 */
/* Probing is asynchronous to init; a port that has not come by then is not coming. */
#define PORT_WAIT_MS 5000
#define PORT_POLL_MS 5
/* How long the host may take to open its end. */
#define HOST_WAIT_MS 20000

/* Reads a small attribute; 0 bytes when there is none. */
static void attribute_read(const char *folder, const char *entry, const char *name, char *value,
			   size_t size)
{
	char path[512];
	ssize_t length = -1;
	int fd;

	snprintf(path, sizeof(path), "%s/%s/%s", folder, entry, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, value, size - 1);
		close(fd);
	}
	value[length > 0 ? length : 0] = '\0';
	value[strcspn(value, "\n")] = '\0';
}

/* The first entry of @folder for which matches() holds, copied to @found. */
static int folder_find(const char *folder, int (*matches)(const char *folder, const char *entry),
		       char *found, size_t size)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int result = 0;

	while (dir && !result && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !matches(folder, entry->d_name))
			continue;
		snprintf(found, size, "%s", entry->d_name);
		result = 1;
	}
	if (dir)
		closedir(dir);
	return result;
}

static int is_console_device(const char *folder, const char *entry)
{
	char value[64];

	attribute_read(folder, entry, "device", value, sizeof(value));
	return strtoul(value, NULL, 0) == VIRTIO_ID_CONSOLE;
}

static int is_our_port(const char *folder, const char *entry)
{
	char value[64];

	attribute_read(folder, entry, "name", value, sizeof(value));
	return strcmp(value, PORT_NAME) == 0;
}

static int port_open(void)
{
	static const char *const class = "/sys/class/virtio-ports";
	char entry[256], path[300];

	/* The class exists from the driver's init on: without it, the driver is not built in. */
	if (access(class, F_OK) != 0 ||
	    !folder_find("/sys/bus/virtio/devices", is_console_device, entry, sizeof(entry)))
		return -1;
	for (int waited = 0; waited < PORT_WAIT_MS; waited += PORT_POLL_MS) {
		if (folder_find(class, is_our_port, entry, sizeof(entry))) {
			int fd;

			snprintf(path, sizeof(path), "/dev/%s", entry);
			fd = open(path, O_WRONLY | O_CLOEXEC);
			if (fd >= 0)
				return fd;
		}
		nanosleep(&(struct timespec){.tv_nsec = PORT_POLL_MS * 1000000L}, NULL);
	}
	return -1;
}

static int serial_open(void)
{
	int fd = open("/dev/ttyS1", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct termios settings;

	if (fd < 0)
		return -1;
	/* A port without a UART opens, but has no settings. */
	if (tcgetattr(fd, &settings) != 0)
		goto none;
	cfmakeraw(&settings);
	cfsetspeed(&settings, B115200);
	settings.c_cflag |= CLOCAL;
	if (tcsetattr(fd, TCSANOW, &settings) != 0 || fcntl(fd, F_SETFL, O_WRONLY) != 0)
		goto none;
	return fd;
none:
	close(fd);
	return -1;
}

int channel_open(struct channel *channel)
{
	channel->name = "virtio";
	channel->fd = port_open();
	if (channel->fd >= 0) {
		/* A write to a port whose other end is closed would wait without end. */
		struct pollfd host = {.fd = channel->fd, .events = POLLOUT};

		if (poll(&host, 1, HOST_WAIT_MS) == 1 && (host.revents & POLLOUT))
			return 0;
		close(channel->fd);
	}
	channel->name = "serial";
	channel->fd = serial_open();
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
