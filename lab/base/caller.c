// SPDX-License-Identifier: GPL-2.0-only
#include "base/caller.h"

#include <dirent.h>
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool number_from(const char *variable, guint64 *number)
{
	const char *text = g_getenv(variable);

	return text && g_ascii_string_to_unsigned(text, 10, 1, G_MAXINT32, number, NULL);
}

bool caller_find(uid_t *uid, gid_t *gid)
{
	guint64 user, group;

	if (geteuid() != 0 || !number_from("SUDO_UID", &user) || !number_from("SUDO_GID", &group))
		return false;
	*uid = (uid_t)user;
	*gid = (gid_t)group;
	return true;
}

bool caller_owns(const char *path)
{
	struct stat status;
	uid_t uid;
	gid_t gid;

	return caller_find(&uid, &gid) && stat(path, &status) == 0 && status.st_uid == uid;
}

static void give_entry(int parent, const char *name, uid_t uid, gid_t gid);

/* Takes @fd over. */
static void give_entries(int fd, uid_t uid, gid_t gid)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			give_entry(dirfd(dir), entry->d_name, uid, gid);
	closedir(dir);
}

static void give_entry(int parent, const char *name, uid_t uid, gid_t gid)
{
	/* O_PATH: what is looked at is what is given away, whatever happens to the name. */
	int fd = openat(parent, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && status.st_uid == 0 &&
	    (S_ISDIR(status.st_mode) || status.st_nlink == 1) &&
	    fchownat(fd, "", uid, gid, AT_EMPTY_PATH) == 0 && S_ISDIR(status.st_mode))
		give_entries(openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), uid, gid);
	close(fd);
}

void caller_give(const char *path)
{
	g_autofree char *folder = g_path_get_dirname(path);
	uid_t uid;
	gid_t gid;

	if (caller_find(&uid, &gid) && caller_owns(folder))
		give_entry(AT_FDCWD, path, uid, gid);
}
