// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/folder_lock.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

int folder_lock(const char *folder, const char *what, const struct kernel_options *options,
		GError **error)
{
	g_autofree char *path = g_build_filename(folder, FOLDER_LOCK, NULL);
	int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);

	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0)
		return lock;
	if (lock >= 0 && errno == EWOULDBLOCK) {
		kernel_say(options, "waiting for another topolab that builds '%s'", what);
		if (flock(lock, LOCK_EX) == 0)
			return lock;
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot lock '%s': %s", path,
		    g_strerror(errno));
	if (lock >= 0)
		close(lock);
	return -1;
}
