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

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool checksum_entries(const char *path, GChecksum *sum, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(path, 0, error);
	const char *name;

	if (!dir)
		return false;
	while ((name = g_dir_read_name(dir)))
		g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_sort(names, compare_names);
	for (guint i = 0; i < names->len; i++) {
		g_autofree char *sub = g_build_filename(path, names->pdata[i], NULL);

		if (!tree_checksum(sub, sum, error))
			return false;
	}
	/* What follows is not in this folder. */
	g_checksum_update(sum, (const guchar *)"", 1);
	return true;
}

bool tree_checksum(const char *path, GChecksum *sum, GError **error)
{
	g_autofree char *name = g_path_get_basename(path);
	g_autofree char *text = NULL;
	g_autofree char *head = NULL;
	struct stat status;
	gsize length = 0;
	bool there = lstat(path, &status) == 0;

	if (there && S_ISLNK(status.st_mode))
		text = g_file_read_link(path, error);
	else if (there && S_ISREG(status.st_mode) &&
		 !g_file_get_contents(path, &text, &length, error))
		return false;
	if (there && S_ISLNK(status.st_mode) && !text)
		return false;
	length = text && !length ? strlen(text) : length;
	/* The length, or else two trees whose files are cut differently would have one sum. */
	head = g_strdup_printf("%s %o %" G_GSIZE_FORMAT, name,
			       there ? status.st_mode & (S_IFMT | S_IXUSR) : 0, length);
	g_checksum_update(sum, (const guchar *)head, (gssize)strlen(head) + 1);
	g_checksum_update(sum, (const guchar *)(text ? text : ""), (gssize)length);
	return !there || !S_ISDIR(status.st_mode) || checksum_entries(path, sum, error);
}
