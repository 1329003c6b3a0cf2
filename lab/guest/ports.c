// SPDX-License-Identifier: GPL-2.0-only
#include "guest/ports.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define VIRTIO_ID_CONSOLE 3 /* Virtio 1.2, section 5 */
/* Probing is asynchronous to init; a port that has not come by then is not coming. */
#define PORT_WAIT_MS 5000
#define PORT_POLL_MS 5

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

/* The first entry of @folder for which matches() holds with @name, copied to @found. */
static int folder_find(const char *folder,
		       int (*matches)(const char *folder, const char *entry, const char *name),
		       const char *name, char *found, size_t size)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int result = 0;

	while (dir && !result && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || !matches(folder, entry->d_name, name))
			continue;
		snprintf(found, size, "%s", entry->d_name);
		result = 1;
	}
	if (dir)
		closedir(dir);
	return result;
}

static int is_console_device(const char *folder, const char *entry, const char *name)
{
	char value[64];

	(void)name;
	attribute_read(folder, entry, "device", value, sizeof(value));
	return strtoul(value, NULL, 0) == VIRTIO_ID_CONSOLE;
}

static int is_port_named(const char *folder, const char *entry, const char *name)
{
	char value[64];

	attribute_read(folder, entry, "name", value, sizeof(value));
	return strcmp(value, name) == 0;
}

int port_open(const char *name, int mode)
{
	static const char *const class = "/sys/class/virtio-ports";
	char entry[256], path[300];

	/* The class exists from the driver's init on: without it, the driver is not built in. */
	if (access(class, F_OK) != 0 ||
	    !folder_find("/sys/bus/virtio/devices", is_console_device, NULL, entry, sizeof(entry)))
		return -1;
	for (int waited = 0; waited < PORT_WAIT_MS; waited += PORT_POLL_MS) {
		if (folder_find(class, is_port_named, name, entry, sizeof(entry))) {
			int fd;

			snprintf(path, sizeof(path), "/dev/%s", entry);
			fd = open(path, mode | O_CLOEXEC);
			if (fd >= 0)
				return fd;
		}
		nanosleep(&(struct timespec){.tv_nsec = PORT_POLL_MS * 1000000L}, NULL);
	}
	return -1;
}

int serial_open(int mode)
{
	int fd = open("/dev/ttyS1", mode | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	struct termios settings;

	if (fd < 0)
		return -1;
	/* A port without a UART opens, but has no settings. */
	if (tcgetattr(fd, &settings) != 0)
		goto none;
	cfmakeraw(&settings);
	cfsetspeed(&settings, B115200);
	settings.c_cflag |= CLOCAL;
	if (tcsetattr(fd, TCSANOW, &settings) != 0 || fcntl(fd, F_SETFL, mode) != 0)
		goto none;
	return fd;
none:
	close(fd);
	return -1;
}
