// SPDX-License-Identifier: GPL-2.0-only
#include "base/tree.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool remove_entry(int parent, const char *name, dev_t device);

/* Takes @fd over. */
static bool remove_entries(int fd, dev_t device)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;
	bool ok = true;
	int cause = 0;

	if (!dir) {
		cause = errno;
		close(fd);
		errno = cause;
		return false;
	}
	while (ok && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		ok = remove_entry(dirfd(dir), entry->d_name, device);
	}
	cause = errno;
	closedir(dir);
	errno = cause;
	return ok;
}

static bool remove_entry(int parent, const char *name, dev_t device)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return unlinkat(parent, name, 0) == 0 || errno == ENOENT;
	if (fstat(fd, &status) == 0 && status.st_dev != device) {
		close(fd);
		errno = EXDEV;
		return false;
	}
	if (!remove_entries(fd, device))
		return false;
	return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

bool tree_remove(const char *path, GError **error)
{
	struct stat status;

	if (lstat(path, &status) == 0) {
		if (!S_ISDIR(status.st_mode))
			errno = ENOTDIR;
		else if (remove_entry(AT_FDCWD, path, status.st_dev))
			return true;
	} else if (errno == ENOENT) {
		return true;
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot remove the folder '%s': %s", path,
		    g_strerror(errno));
	return false;
}
