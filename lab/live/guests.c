// SPDX-License-Identifier: GPL-2.0-only
#include "live/guests.h"

#include "base/error.h"
#include "base/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX	 ".up"
#define FILE_MAX (64u << 10) /* bytes */

G_DEFINE_AUTOPTR_CLEANUP_FUNC(json_t, json_decref)

void guest_free(struct guest *guest)
{
	if (!guest)
		return;
	g_free(guest->topology);
	g_free(guest->kernel);
	g_free(guest->accel);
	g_free(guest->verdict);
	g_free(guest->root);
	g_free(guest->folder);
	g_free(guest->started);
	g_free(guest);
}

char *guest_format(const struct guest *guest)
{
	g_autoptr(json_t) json =
		json_pack("{s:s, s:s, s:s*, s:s*, s:s*, s:s*, s:s*, s:I}", "topology",
			  guest->topology, "kernel", guest->kernel, "accel", guest->accel,
			  "verdict", guest->verdict, "root", guest->root, "folder", guest->folder,
			  "started", guest->started, "pid", (json_int_t)guest->pid);

	return json ? json_dumps(json, JSON_INDENT(2)) : NULL;
}

struct guest *guest_parse(const char *text, gsize length, GError **error)
{
	json_error_t why;
	g_autoptr(json_t) json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
	AUTO(guest) *guest = g_new0(struct guest, 1);
	const char *topology, *kernel, *accel = NULL, *verdict = NULL, *root = NULL;
	const char *folder = NULL, *started = NULL;
	json_int_t pid;

	if (!json ||
	    json_unpack_ex(json, &why, JSON_STRICT, "{s:s, s:s, s?s, s?s, s?s, s?s, s?s, s:I}",
			   "topology", &topology, "kernel", &kernel, "accel", &accel, "verdict",
			   &verdict, "root", &root, "folder", &folder, "started", &started, "pid",
			   &pid) < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "a guest's file is malformed: %s",
			    why.text);
		return NULL;
	}
	guest->topology = g_strdup(topology);
	guest->kernel = g_strdup(kernel);
	guest->accel = g_strdup(accel);
	guest->verdict = g_strdup(verdict);
	guest->root = g_strdup(root);
	guest->folder = g_strdup(folder);
	guest->started = g_strdup(started);
	guest->pid = pid;
	return g_steal_pointer(&guest);
}

char *guest_socket(const char *root)
{
	return g_build_filename(root, "keeper", NULL);
}

static char *guest_path(const char *topology, GError **error)
{
	g_autofree char *runtime = paths_runtime(error);
	g_autofree char *file = g_strconcat(topology, SUFFIX, NULL);

	return runtime ? g_build_filename(runtime, file, NULL) : NULL;
}

/* Somebody may have removed the file between our open() and our lock. */
static bool is_still_there(int fd, const char *path)
{
	struct stat ours, theirs;

	return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
	       ours.st_dev == theirs.st_dev;
}

/* A reader holds the lock for a moment, a keeper for as long as it lives. */
static bool lock_patiently(int fd)
{
	for (unsigned i = 0; i < 10; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		g_usleep(10000);
	}
	return false;
}

int guests_claim(const char *topology, GError **error)
{
	g_autofree char *path = guest_path(topology, error);

	while (path) {
		int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

		if (fd < 0) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot open '%s': %s", path,
				    g_strerror(errno));
			return -1;
		}
		if (!lock_patiently(fd)) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
				    "'%s' is up already, or on its way", topology);
			close(fd);
			return -1;
		}
		if (is_still_there(fd, path))
			return fd;
		close(fd);
	}
	return -1;
}

bool guests_write(int claim, const struct guest *guest, GError **error)
{
	g_autofree char *text = guest_format(guest);
	ssize_t length = text ? (ssize_t)strlen(text) : -1;

	/* Longer with every write, so that a reader never sees the end of an older one. */
	if (text && pwrite(claim, text, (gsize)length, 0) == length &&
	    ftruncate(claim, length) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot write the guest's file: %s",
		    g_strerror(errno));
	return false;
}

void guests_release(int claim, const char *topology)
{
	g_autofree char *path = guest_path(topology, NULL);

	if (path && is_still_there(claim, path))
		unlink(path);
	close(claim);
}

/* NULL without error: it is nobody's; then the file is gone. */
static struct guest *guest_read(const char *path, GError **error)
{
	g_autofree char *text = g_malloc(FILE_MAX);
	int fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct guest *guest = NULL;
	ssize_t length;

	if (fd < 0)
		return NULL;
	if (flock(fd, LOCK_SH | LOCK_NB) == 0) {
		if (is_still_there(fd, path))
			unlink(path);
	} else {
		/* Empty: claimed a moment ago. */
		length = read(fd, text, FILE_MAX);
		if (length > 0)
			guest = guest_parse(text, (gsize)length, error);
	}
	close(fd);
	return guest;
}

struct guest *guests_find(const char *topology, GError **error)
{
	g_autofree char *path = guest_path(topology, error);

	return path ? guest_read(path, error) : NULL;
}

GPtrArray *guests_list(GError **error)
{
	g_autofree char *runtime = paths_runtime(error);
	const char *const folders[] = {runtime, NULL};
	g_autoptr(GPtrArray) guests = g_ptr_array_new_with_free_func((GDestroyNotify)guest_free);
	g_auto(GStrv) names = NULL;

	if (!runtime)
		return NULL;
	names = paths_names(folders, SUFFIX);
	for (unsigned i = 0; names[i]; i++) {
		g_autoptr(GError) cause = NULL;
		struct guest *guest = guests_find(names[i], &cause);

		if (guest)
			g_ptr_array_add(guests, guest);
		else if (cause)
			g_debug("%s.up: %s", names[i], cause->message);
	}
	return g_steal_pointer(&guests);
}
