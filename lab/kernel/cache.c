// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/cache.h"

#include "kernel/image.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

#define STAGE_PREFIX	".new-"
#define STAGE_MAX_HOURS 24

/* What killed runs left behind. */
static void sweep_stages(const char *kernels)
{
	g_autoptr(GDir) dir = g_dir_open(kernels, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(kernels, name, NULL);
		struct stat status;

		if (g_str_has_prefix(name, STAGE_PREFIX) && lstat(path, &status) == 0 &&
		    time(NULL) - status.st_mtime > STAGE_MAX_HOURS * 3600)
			tree_remove(path, NULL);
	}
}

char *cache_stage(GError **error)
{
	g_autofree char *kernels = paths_cache("kernels", error);
	g_autofree char *stage = NULL;

	if (!kernels)
		return NULL;
	sweep_stages(kernels);
	stage = g_build_filename(kernels, STAGE_PREFIX "XXXXXX", NULL);
	if (!g_mkdtemp(stage)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "cannot create a folder in the cache '%s': %s", kernels,
			    g_strerror(errno));
		return NULL;
	}
	return g_steal_pointer(&stage);
}

static bool move_file(const char *from, const char *folder, const char *name, GError **error)
{
	g_autofree char *to = g_build_filename(folder, name, NULL);

	if (rename(from, to) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot move '%s' to '%s': %s", from, to,
		    g_strerror(errno));
	return false;
}

static bool write_meta(const char *folder, const char *package, GError **error)
{
	g_autofree char *image = g_build_filename(folder, "vmlinuz", NULL);
	g_autofree char *config = g_build_filename(folder, "config", NULL);
	g_autofree char *path = g_build_filename(folder, "meta.json", NULL);
	g_autofree char *image_sha256 = file_sha256(image, error);
	g_autofree char *config_sha256 = image_sha256 ? file_sha256(config, error) : NULL;
	json_t *meta;
	char *text;
	bool ok;

	if (!config_sha256)
		return false;
	meta = json_pack("{s:s, s:s, s:s}", "package", package, "image_sha256", image_sha256,
			 "config_sha256", config_sha256);
	text = json_dumps(meta, JSON_INDENT(2));
	ok = g_file_set_contents(path, text, -1, error);
	free(text);
	json_decref(meta);
	return ok;
}

static bool entry_intact(const char *id)
{
	AUTO(kernel) *probe = g_new0(struct kernel, 1);

	return cache_load(id, probe, NULL);
}

/* rename() does not replace a folder that has something in it: that is how one run wins. */
static bool put_in_place(const char *ready, const char *stage, const char *id, GError **error)
{
	g_autofree char *kernels = paths_cache("kernels", error);
	g_autofree char *entry = kernels ? g_build_filename(kernels, id, NULL) : NULL;
	g_autofree char *damaged = g_build_filename(stage, "damaged", NULL);
	int cause;

	if (!entry)
		return false;
	for (int attempt = 0; attempt < 2; attempt++) {
		if (rename(ready, entry) == 0)
			return true;
		cause = errno;
		if (entry_intact(id))
			return true;
		if (rename(entry, damaged) != 0)
			break;
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot put '%s' into the cache: %s", entry,
		    g_strerror(cause));
	return false;
}

bool cache_commit(const char *stage, const struct cache_files *files, const char *id,
		  const char *package, GError **error)
{
	g_autofree char *ready = g_build_filename(stage, "ready", NULL);

	if (mkdir(ready, 0755) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot create '%s': %s", ready,
			    g_strerror(errno));
		return false;
	}
	return move_file(files->image, ready, "vmlinuz", error) &&
	       move_file(files->config, ready, "config", error) &&
	       (!files->vmlinux || move_file(files->vmlinux, ready, "vmlinux", error)) &&
	       write_meta(ready, package, error) && put_in_place(ready, stage, id, error);
}

static bool check_recorded(const json_t *meta, const char *key, const char *actual,
			   const char *file, GError **error)
{
	const char *recorded = json_string_value(json_object_get(meta, key));

	if (recorded && strcmp(recorded, actual) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "'%s' in the cache is damaged: its SHA-256 is %s, recorded is %s", file, actual,
		    recorded ? recorded : "nothing");
	return false;
}

static json_t *read_meta(const char *folder, GError **error)
{
	g_autofree char *path = g_build_filename(folder, "meta.json", NULL);
	json_error_t problem;
	json_t *meta = json_load_file(path, 0, &problem);

	if (!meta)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot use '%s' in the cache: %s",
			    path, problem.text);
	return meta;
}

static bool load_checked(const char *folder, const json_t *meta, struct kernel *kernel,
			 GError **error)
{
	g_autofree char *image = g_build_filename(folder, "vmlinuz", NULL);
	g_autofree char *config = g_build_filename(folder, "config", NULL);
	g_autofree char *config_sha256 = file_sha256(config, error);

	/* The image is large: its sum is taken once, by the function that reads it. */
	if (!config_sha256 || !kernel_read_image(kernel, image, config, error) ||
	    !check_recorded(meta, "image_sha256", kernel->sha256, image, error) ||
	    !check_recorded(meta, "config_sha256", config_sha256, config, error))
		return false;
	kernel->package = g_strdup(json_string_value(json_object_get(meta, "package")));
	return true;
}

/* A shared lock on an entry's meta.json, which whoever removes the entry takes for himself. */
struct cache_hold {
	int fd;
};

void cache_release(struct cache_hold *hold)
{
	if (!hold)
		return;
	close(hold->fd);
	g_free(hold);
}

/* Somebody may have moved the entry away between our open() and our flock(). */
static bool is_still(int fd, const char *path)
{
	struct stat ours, there;

	return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
	       ours.st_dev == there.st_dev;
}

static struct cache_hold *entry_hold(const char *folder, GError **error)
{
	g_autofree char *path = g_build_filename(folder, "meta.json", NULL);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct cache_hold *hold;

	if (fd < 0 || flock(fd, LOCK_SH) != 0 || !is_still(fd, path)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot use '%s' in the cache: %s",
			    path, fd < 0 ? g_strerror(errno) : "it is being removed");
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	/* The last use. In somebody else's cache it cannot be noted. */
	futimens(fd, NULL);
	hold = g_new0(struct cache_hold, 1);
	hold->fd = fd;
	return hold;
}

bool cache_load(const char *id, struct kernel *kernel, GError **error)
{
	g_autofree char *kernels = paths_cache("kernels", error);
	g_autofree char *folder = kernels ? g_build_filename(kernels, id, NULL) : NULL;
	AUTO(kernel) *found = g_new0(struct kernel, 1);
	json_t *meta;
	bool ok;

	found->hold = folder ? entry_hold(folder, error) : NULL;
	meta = found->hold ? read_meta(folder, error) : NULL;
	ok = meta && load_checked(folder, meta, found, error);

	json_decref(meta);
	if (!ok)
		return false;
	kernel->image_path = g_steal_pointer(&found->image_path);
	kernel->sha256 = g_steal_pointer(&found->sha256);
	kernel->package = g_steal_pointer(&found->package);
	kernel->config = g_steal_pointer(&found->config);
	kernel->facts = g_steal_pointer(&found->facts);
	kernel->hold = g_steal_pointer(&found->hold);
	return true;
}

bool cache_has(const char *id)
{
	g_autofree char *kernels = paths_cache("kernels", NULL);
	g_autofree char *meta = kernels ? g_build_filename(kernels, id, "meta.json", NULL) : NULL;

	return meta && g_file_test(meta, G_FILE_TEST_IS_REGULAR);
}

static char *pin_path(const char *key, GError **error)
{
	g_autofree char *folder = paths_cache("kernels", error);
	g_autofree char *name = g_strconcat("pin-", key, NULL);

	return folder ? g_build_filename(folder, name, NULL) : NULL;
}

char *cache_pin_read(const char *key, gint64 *age_seconds, GError **error)
{
	g_autofree char *path = pin_path(key, error);
	char *id = NULL;
	struct stat status;

	if (!path || stat(path, &status) != 0 || !g_file_get_contents(path, &id, NULL, error))
		return NULL;
	*age_seconds = (gint64)(time(NULL) - status.st_mtime);
	/* A clock that was set back must not keep an answer for ever. */
	if (*age_seconds < 0)
		*age_seconds = G_MAXINT64;
	return g_strchomp(id);
}

void cache_pins_remove(const char *id)
{
	g_autofree char *folder = paths_cache("kernels", NULL);
	g_autoptr(GDir) dir = folder ? g_dir_open(folder, 0, NULL) : NULL;
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_autofree char *text = NULL;

		if (g_str_has_prefix(name, "pin-") &&
		    g_file_get_contents(path, &text, NULL, NULL) &&
		    strcmp(g_strchomp(text), id) == 0)
			unlink(path);
	}
}

bool cache_pin_write(const char *key, const char *id, gint64 age_seconds, GError **error)
{
	g_autofree char *path = pin_path(key, error);
	time_t then = time(NULL) - age_seconds;
	struct utimbuf times = {.actime = then, .modtime = then};

	if (!path || !g_file_set_contents(path, id, -1, error))
		return false;
	utime(path, &times);
	return true;
}
