// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/cache_store.h"

#include "kernel/cache.h"
#include "kernel/folder_lock.h"
#include "kernel/sources.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * What the folders of the cache hold. Whoever uses an entry holds a lock on the file @lock in it:
 * cache_load() on a kernel, apt_open() on its root, kbuild_open() on a tree's build, sources_open()
 * on an unpacked tree, which @first says is whole.
 */
static const struct shelf {
	const char *folder;
	const char *lock;  /* NULL: the folder is one entry, which is kept */
	const char *first; /* of the rest to go; NULL: any */
} shelves[] = {
	{.folder = "kernels", .lock = "meta.json"},
	{.folder = "apt", .lock = "topolab.lock"},
	{.folder = "builds", .lock = FOLDER_LOCK},
	{.folder = "sources", .lock = FOLDER_LOCK, .first = SOURCES_VERSION},
	{.folder = "bisect"},
	{.folder = "libvirt"},
	{.folder = "kvm"},
};

static void entry_free(gpointer data)
{
	struct cache_entry *entry = data;

	g_free(entry->name);
	g_free(entry->path);
	g_free(entry);
}

/* Bytes of the files below @path, and the latest change of any of them. Links are not followed. */
static void tree_size(const char *path, guint64 *bytes, gint64 *changed)
{
	char *const paths[] = {(char *)(gsize)path, NULL};
	FTS *fts = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	FTSENT *node;

	*bytes = 0;
	*changed = 0;
	while (fts && (node = fts_read(fts))) {
		if (node->fts_info != FTS_F && node->fts_info != FTS_SL)
			continue;
		*bytes += (guint64)node->fts_statp->st_size;
		*changed = MAX(*changed, (gint64)node->fts_statp->st_mtime);
	}
	if (fts)
		fts_close(fts);
}

/* The lock's file, open and locked for us alone; -1: somebody else uses the entry. */
static int entry_lock(const char *path, const char *lock)
{
	g_autofree char *file = g_build_filename(path, lock, NULL);
	int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static const struct shelf *shelf_of(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(shelves); i++) {
		gsize length = strlen(shelves[i].folder);

		if (strncmp(name, shelves[i].folder, length) == 0 &&
		    (name[length] == '/' || !name[length]))
			return &shelves[i];
	}
	return NULL;
}

static void entries_add(GPtrArray *entries, const struct shelf *shelf, const char *name,
			const char *path)
{
	struct cache_entry *entry = g_new0(struct cache_entry, 1);
	g_autofree char *lock = shelf->lock ? g_build_filename(path, shelf->lock, NULL) : NULL;
	struct stat status;
	int fd;

	entry->name = g_strdup(name);
	entry->path = g_strdup(path);
	entry->kept = !shelf->lock;
	tree_size(path, &entry->bytes, &entry->used);
	/* cache_load() touches it, so that nothing else in an entry need change. */
	if (lock && lstat(lock, &status) == 0) {
		if (strcmp(shelf->folder, "kernels") == 0)
			entry->used = status.st_mtime;
		fd = entry_lock(path, shelf->lock);
		entry->in_use = fd < 0;
		if (fd >= 0)
			close(fd);
	}
	g_ptr_array_add(entries, entry);
}

static void shelf_add(GPtrArray *entries, const struct shelf *shelf, const char *cache)
{
	g_autofree char *folder = g_build_filename(cache, shelf->folder, NULL);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	if (!shelf->lock && dir)
		entries_add(entries, shelf, shelf->folder, folder);
	while (shelf->lock && dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_autofree char *title = g_build_filename(shelf->folder, name, NULL);

		/* Pins are files, and what begins with a dot is being made. */
		if (*name != '.' && g_file_test(path, G_FILE_TEST_IS_DIR) &&
		    !g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			entries_add(entries, shelf, title, path);
	}
}

static gint compare_use(gconstpointer a, gconstpointer b)
{
	const struct cache_entry *left = *(const struct cache_entry *const *)a;
	const struct cache_entry *right = *(const struct cache_entry *const *)b;

	if (left->used != right->used)
		return left->used < right->used ? -1 : 1;
	return strcmp(left->name, right->name);
}

GPtrArray *cache_entries(GError **error)
{
	g_autofree char *cache = paths_cache(NULL, error);
	GPtrArray *entries;

	if (!cache)
		return NULL;
	entries = g_ptr_array_new_with_free_func(entry_free);
	for (unsigned i = 0; i < G_N_ELEMENTS(shelves); i++)
		shelf_add(entries, &shelves[i], cache);
	g_ptr_array_sort(entries, compare_use);
	return entries;
}

guint64 cache_entries_bytes(const GPtrArray *entries)
{
	guint64 bytes = 0;

	for (guint i = 0; i < entries->len; i++)
		bytes += ((const struct cache_entry *)entries->pdata[i])->bytes;
	return bytes;
}

/*
 * A kernel leaves by one rename, as it came: whoever looks it up finds all of it or nothing. Of the
 * others the lock's file stays, since somebody may wait for that very file.
 */
static bool remove_kernel(const struct cache_entry *entry, GError **error)
{
	g_autofree char *id = g_path_get_basename(entry->path);
	g_autofree char *stage = cache_stage(error);
	g_autofree char *gone = stage ? g_build_filename(stage, "gone", NULL) : NULL;

	if (!stage)
		return false;
	if (rename(entry->path, gone) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot remove '%s': %s", entry->path,
			    g_strerror(errno));
		tree_remove(stage, NULL);
		return false;
	}
	cache_pins_remove(id);
	return tree_remove(stage, error);
}

static bool remove_locked(const struct cache_entry *entry, const struct shelf *shelf,
			  GError **error)
{
	g_autoptr(GDir) dir = g_dir_open(entry->path, 0, NULL);
	g_autofree char *first = g_build_filename(entry->path, shelf->first, NULL);
	const char *name;

	if (shelf->first && !tree_remove(first, error))
		return false;
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(entry->path, name, NULL);

		if (strcmp(name, shelf->lock) != 0 && !tree_remove(path, error))
			return false;
	}
	return true;
}

bool cache_entry_remove(const struct cache_entry *entry, GError **error)
{
	const struct shelf *shelf = shelf_of(entry->name);
	g_autofree char *file = NULL;
	bool ok;
	int fd;

	if (!shelf || !shelf->lock)
		return false;
	file = g_build_filename(entry->path, shelf->lock, NULL);
	fd = entry_lock(entry->path, shelf->lock);
	/* Nobody can hold what has no lock; it is damaged. */
	if (fd < 0 && g_file_test(file, G_FILE_TEST_EXISTS))
		return false;
	ok = strcmp(shelf->folder, "kernels") == 0 ? remove_kernel(entry, error)
						   : remove_locked(entry, shelf, error);
	if (fd >= 0)
		close(fd);
	return ok;
}
