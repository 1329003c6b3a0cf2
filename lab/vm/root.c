// SPDX-License-Identifier: GPL-2.0-only
#include "vm/vm.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/tree.h"
#include "vm/locks.h"
#include "vm/process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct vm_root {
	char *path;
	int owner_fd; /* its lock says that we live */
};

/*
 * Without these lines libvirt, as root, gives kernel and initrd to QEMU's user and does not always
 * give them back; "file" keeps it from needing virtlogd; a container's cgroups and namespaces are
 * not ours to rearrange. QEMU still runs as a user of its own, with seccomp.
 */
static const char qemu_conf[] = "stdio_handler = \"file\"\n"
				"security_driver = \"none\"\n"
				"dynamic_ownership = 0\n"
				"remember_owner = 0\n"
				"namespaces = []\n"
				"cgroup_controllers = []\n";

static bool write_file(const char *folder, const char *name, const guint8 *data, gsize length,
		       GError **error)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	bool ok = fd >= 0 && fchmod(fd, 0644) == 0;

	while (ok && length) {
		ssize_t written = write(fd, data, length);

		if (written < 0 && errno == EINTR)
			continue;
		ok = written > 0;
		data += ok ? written : 0;
		length -= ok ? (gsize)written : 0;
	}
	if (!ok)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot write '%s': %s", path,
			    g_strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool make_folder(const char *root, const char *name, GError **error)
{
	g_autofree char *path = g_build_filename(root, name, NULL);

	/* QEMU's user must be able to enter, whatever our umask. */
	if (mkdir(path, 0711) == 0 && chmod(path, 0711) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make '%s': %s", path,
		    g_strerror(errno));
	return false;
}

/* What libvirt learns about QEMU takes seconds to find out: every root shares it. */
static bool share_capabilities(const char *root, GError **error)
{
	g_autofree char *shared = paths_cache("libvirt", error);
	g_autofree char *link = g_build_filename(root, "cache", "qemu", NULL);

	if (!shared)
		return false;
	if (symlink(shared, link) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make '%s': %s", link,
		    g_strerror(errno));
	return false;
}

static struct vm_root *root_make(const char *runtime, GError **error)
{
	AUTO(vm_root) *root = g_new0(struct vm_root, 1);
	g_autofree char *name = locks_new_name();

	root->owner_fd = -1;
	if (!make_folder(runtime, name, error))
		return NULL;
	root->path = g_build_filename(runtime, name, NULL);
	root->owner_fd = locks_make_owner(root->path, error);
	if (root->owner_fd < 0)
		return NULL;
	return g_steal_pointer(&root);
}

struct vm_root *vm_root_new(GError **error)
{
	g_autofree char *runtime = paths_runtime(error);
	AUTO(vm_root) *root = NULL;
	g_autofree char *etc = NULL;
	int lock;

	if (!runtime)
		return NULL;
	lock = locks_take_runtime(runtime, error);
	if (lock < 0)
		return NULL;
	root = root_make(runtime, error);
	close(lock);
	if (!root)
		return NULL;
	etc = g_build_filename(root->path, "etc", NULL);
	if (!make_folder(root->path, "etc", error) || !make_folder(root->path, "cache", error) ||
	    !share_capabilities(root->path, error) ||
	    !write_file(etc, "qemu.conf", (const guint8 *)qemu_conf, strlen(qemu_conf), error))
		return NULL;
	return g_steal_pointer(&root);
}

const char *vm_root_path(const struct vm_root *root)
{
	return root->path;
}

char *vm_root_put(struct vm_root *root, const char *name, GBytes *bytes, GError **error)
{
	gsize length;
	const guint8 *data = g_bytes_get_data(bytes, &length);

	if (!write_file(root->path, name, data, length, error))
		return NULL;
	return g_build_filename(root->path, name, NULL);
}

char *vm_root_put_file(struct vm_root *root, const char *name, const char *source, GError **error)
{
	g_autoptr(GMappedFile) file = g_mapped_file_new(source, FALSE, error);
	g_autoptr(GBytes) bytes = NULL;

	if (!file)
		return NULL;
	bytes = g_mapped_file_get_bytes(file);
	return vm_root_put(root, name, bytes, error);
}

void vm_root_destroy(struct vm_root *root)
{
	if (!root)
		return;
	/* What cannot be ended now is left to the next sweep, which needs the folder to find it. */
	if (root->path && process_end(root->path, NULL))
		tree_remove(root->path, NULL);
	if (root->owner_fd >= 0)
		close(root->owner_fd);
	g_free(root->path);
	g_free(root);
}
