// SPDX-License-Identifier: GPL-2.0-only
#include "vm/gdb.h"

#include "base/error.h"
#include "vm/monitor.h"
#include "vm/vm.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static int socket_at(const struct sockaddr *address, socklen_t length)
{
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const int yes = 1;

	if (fd < 0)
		return -1;
	/* A port that was just in use, by another frozen guest say, may be taken again. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(fd, address, length) == 0 && listen(fd, 1) == 0)
		return fd;
	close(fd);
	return -1;
}

static int unix_socket(const char *root, char **where)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	*where = g_build_filename(root, VM_GDB_SOCKET, NULL);
	if (g_strlcpy(address.sun_path, *where, sizeof(address.sun_path)) >=
	    sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = socket_at((const struct sockaddr *)&address, sizeof(address));
	/* Whoever connects can do with the guest as he likes. */
	if (fd >= 0)
		chmod(*where, 0600);
	return fd;
}

static int tcp_socket(unsigned port, char **where)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons((guint16)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	*where = g_strdup_printf("127.0.0.1:%u", port);
	return socket_at((const struct sockaddr *)&address, sizeof(address));
}

bool gdb_listen(virDomainPtr domain, const char *root, unsigned port, GError **error)
{
	static const char add[] = "{\"execute\":\"chardev-add\",\"arguments\":{\"id\":\"gdb\","
				  "\"backend\":{\"type\":\"socket\",\"data\":{\"addr\":{\"type\":"
				  "\"fd\",\"data\":{\"str\":\"gdb\"}},\"server\":true,"
				  "\"wait\":false}}}}";
	g_autofree char *where = NULL;
	g_autofree char *problem = NULL;
	g_autofree char *answer = NULL;
	int fd = port ? tcp_socket(port, &where) : unix_socket(root, &where);

	if (fd < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "gdb cannot be awaited on '%s': %s",
			    where, g_strerror(errno));
		return false;
	}
	if (monitor_lend(domain, "gdb", fd, &problem) && monitor_execute(domain, add, &problem))
		answer = monitor_ask(domain, "gdbserver chardev:gdb", &problem);
	close(fd);
	if (answer && strstr(answer, "Could not"))
		problem = g_strdup(g_strchomp(answer));
	if (!problem)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "QEMU cannot wait for gdb on '%s': %s", where,
		    problem);
	return false;
}
