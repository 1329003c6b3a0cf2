// SPDX-License-Identifier: GPL-2.0-only
#include "vm/reap.h"

#include "base/error.h"

#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct watch {
	void (*gone)(pid_t pid, int status, void *data);
	void *data;
};

static GHashTable *watches; /* pid -> struct watch */
static int wake_fd = -1;

static void sigchld(int number G_GNUC_UNUSED)
{
	int saved = errno;

	eventfd_write(wake_fd, 1);
	errno = saved;
}

static gboolean reap_all(int fd, GIOCondition condition G_GNUC_UNUSED, void *data G_GNUC_UNUSED)
{
	eventfd_t count;
	pid_t pid;
	int status;

	eventfd_read(fd, &count);
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		g_autofree struct watch *watch = NULL;

		if (g_hash_table_steal_extended(watches, GINT_TO_POINTER(pid), NULL,
						(gpointer *)&watch))
			watch->gone(pid, status, watch->data);
	}
	return G_SOURCE_CONTINUE;
}

bool reap_init(GError **error)
{
	struct sigaction action = {.sa_handler = sigchld, .sa_flags = SA_RESTART | SA_NOCLDSTOP};

	if (wake_fd >= 0)
		return true;
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	/*
	 * QEMU daemonizes: it becomes a child of the nearest subreaper. Unreaped, it would look
	 * alive to libvirt, which waits many seconds for it (PID 1 of a container may never reap).
	 */
	if (wake_fd < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) < 0 ||
	    sigaction(SIGCHLD, &action, NULL) < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot become a child subreaper: %s",
			    g_strerror(errno));
		return false;
	}
	watches = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	g_unix_fd_add(wake_fd, G_IO_IN, reap_all, NULL);
	return true;
}

void reap_watch(pid_t pid, void (*gone)(pid_t pid, int status, void *data), void *data)
{
	struct watch *watch = g_new0(struct watch, 1);

	watch->gone = gone;
	watch->data = data;
	g_hash_table_insert(watches, GINT_TO_POINTER(pid), watch);
}

void reap_unwatch(pid_t pid)
{
	g_hash_table_remove(watches, GINT_TO_POINTER(pid));
}
