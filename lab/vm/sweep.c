// SPDX-License-Identifier: GPL-2.0-only
#include "vm/vm.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/tree.h"
#include "vm/locks.h"
#include "vm/process.h"

#include <unistd.h>

struct orphan {
	char *path;
	int owner_fd;
};

static void orphan_free(void *data)
{
	struct orphan *orphan = data;

	if (orphan->owner_fd >= 0)
		close(orphan->owner_fd);
	g_free(orphan->path);
	g_free(orphan);
}

/* Every root whose locks are free, locked by us from now on. */
static GPtrArray *take_orphans(const char *runtime, GError **error)
{
	g_autoptr(GPtrArray) orphans = g_ptr_array_new_with_free_func(orphan_free);
	int lock = locks_take_runtime(runtime, error);
	g_autoptr(GDir) dir = NULL;
	const char *name;

	if (lock < 0)
		return NULL;
	dir = g_dir_open(runtime, 0, error);
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(runtime, name, NULL);
		struct orphan *orphan;
		int fd;

		switch (locks_try(path, &fd)) {
		case LOCKS_LIVE:
			continue;
		case LOCKS_BARE:
			if (!locks_is_name(name))
				continue;
			break;
		case LOCKS_ORPHAN:
			break;
		}
		orphan = g_new0(struct orphan, 1);
		orphan->path = g_steal_pointer(&path);
		orphan->owner_fd = fd;
		g_ptr_array_add(orphans, orphan);
	}
	close(lock);
	return dir ? g_steal_pointer(&orphans) : NULL;
}

/*
 * libvirt never opens an old root again: after a reboot, or in another pid namespace, the pids in
 * its status files belong to strangers, and it would kill them. Only processes that /proc shows to
 * be a QEMU of this very folder are ended.
 */
int vm_sweep(GError **error)
{
	g_autofree char *runtime = paths_runtime(error);
	g_autoptr(GPtrArray) orphans = NULL;

	if (!runtime)
		return -1;
	orphans = take_orphans(runtime, error);
	if (!orphans)
		return -1;
	for (guint i = 0; i < orphans->len; i++) {
		const struct orphan *orphan = g_ptr_array_index(orphans, i);

		if (!process_end(orphan->path, error) || !tree_remove(orphan->path, error))
			return -1;
	}
	return (int)orphans->len;
}
