// SPDX-License-Identifier: GPL-2.0-only
#include "base/paths.h"

#include "base/caller.h"
#include "base/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Monitor sockets lie at <runtime>/<12 characters>/lib/qemu/domain-1-<name>/monitor.sock and must
 * fit sun_path, 108 bytes with its NUL (unix(7)); 40 leaves room for a 20 character domain name.
 */
#define RUNTIME_PATH_MAX 40

static bool is_below(const char *path, const char *folder)
{
	gsize length = strlen(folder);

	return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* The first of the folders from the binary's up to @source that holds @sub; NULL if none does. */
static char *find_upwards(const char *binary, const char *source, const char *sub)
{
	char *folder = g_path_get_dirname(binary);

	while (is_below(folder, source)) {
		g_autofree char *path = g_build_filename(folder, sub, NULL);
		char *parent;

		if (g_file_test(path, G_FILE_TEST_EXISTS)) {
			g_free(folder);
			return g_steal_pointer(&path);
		}
		parent = g_path_get_dirname(folder);
		g_free(folder);
		folder = parent;
	}
	g_free(folder);
	return NULL;
}

/* PREFIX/bin/topolab -> PREFIX/share/topolab, wherever PREFIX was moved to. */
static char *installed_data(const char *binary, const char *sub)
{
	g_autofree char *folder = g_path_get_dirname(binary ? binary : "/usr/bin/topolab");
	g_autofree char *prefix = g_path_get_dirname(folder);

	return g_build_filename(prefix, "share", "topolab", sub, NULL);
}

char *paths_data(const char *sub)
{
	g_autofree char *binary = g_file_read_link("/proc/self/exe", NULL);
	/* realpath() is libc's: what it returns is freed with free(), which g_free() is. */
	g_autofree char *source = realpath(TOPOLAB_SOURCE, NULL);
	char *made;

	if (!binary || !source || !is_below(binary, source))
		return installed_data(binary, sub);
	made = sub ? find_upwards(binary, source, sub) : NULL;
	return made ? made : g_build_filename(source, sub, NULL);
}

static void folder_names(const char *folder, const char *suffix, GHashTable *names)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *file;

	while (dir && (file = g_dir_read_name(dir)))
		if (g_str_has_suffix(file, suffix) && *file != '.')
			g_hash_table_add(names, g_strndup(file, strlen(file) - strlen(suffix)));
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **paths_names(const char *const *folders, const char *suffix)
{
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	char **list;
	guint n;

	for (unsigned i = 0; folders[i]; i++)
		folder_names(folders[i], suffix, names);
	list = (char **)g_hash_table_get_keys_as_array(names, &n);
	g_hash_table_steal_all(names);
	if (n)
		qsort(list, n, sizeof(*list), compare_names);
	return list;
}

static bool folder_make(const char *path, GError **error)
{
	if (g_mkdir_with_parents(path, 0755) == 0 && access(path, W_OK | X_OK) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot use '%s' as cache folder: %s", path,
		    g_strerror(errno));
	return false;
}

static char *cache_below(const char *folder, const char *rest, const char *sub, GError **error)
{
	g_autofree char *joined = g_build_filename(folder, rest, sub, NULL);
	g_autofree char *path = g_canonicalize_filename(joined, NULL);

	return folder_make(path, error) ? g_steal_pointer(&path) : NULL;
}

/*
 * Is @folder one for us to make a cache in? XDG base directory specification: relative paths are to
 * be ignored. sudo may keep the caller's HOME: what root made there would be in the caller's way.
 */
static bool is_for_cache(const char *folder)
{
	return folder && g_path_is_absolute(folder) && !caller_owns(folder);
}

static void no_cache(GError **error, const char *xdg, const char *home, const char *problem)
{
	g_autofree char *xdg_text = xdg && *xdg ? g_strdup_printf("'%s'", xdg) : NULL;
	g_autofree char *home_text = home ? g_strdup_printf("'%s'", home) : NULL;

	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "there is no folder for the cache: XDG_CACHE_HOME is %s, the home folder is "
		    "%s, and %s; name a folder that can be written in TOPOLAB_CACHE",
		    xdg_text ? xdg_text : "not set", home_text ? home_text : "unknown", problem);
}

char *paths_cache(const char *sub, GError **error)
{
	const char *chosen = g_getenv("TOPOLAB_CACHE");
	const char *xdg = g_getenv("XDG_CACHE_HOME");
	const char *home = g_get_home_dir();
	g_autoptr(GError) cause = NULL;
	char *path = NULL;

	/* g_build_filename() ends at the first NULL, so empty strings stand for absent parts. */
	sub = sub ? sub : "";
	if (chosen && *chosen)
		return cache_below(chosen, "", sub, error);
	if (is_for_cache(xdg))
		path = cache_below(xdg, "topolab", sub, NULL);
	if (!path && is_for_cache(home))
		path = cache_below(home, ".cache/topolab", sub, NULL);
	if (!path)
		path = cache_below("/var/cache/topolab", "", sub, &cause);
	if (!path)
		no_cache(error, xdg, home, cause->message);
	return path;
}

/* Makes @path ours alone. Somebody else's folder, or a link planted in /tmp, is refused. */
static bool runtime_make(const char *path, GError **error)
{
	mode_t mode = geteuid() == 0 ? 0711 : 0700;
	struct stat status;

	if (strlen(path) > RUNTIME_PATH_MAX) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the runtime folder '%s' is longer than %d bytes: sockets of guests "
			    "would not fit; set TOPOLAB_RUNTIME",
			    path, RUNTIME_PATH_MAX);
		return false;
	}
	if (mkdir(path, mode) < 0 && errno != EEXIST) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make runtime folder '%s': %s",
			    path, g_strerror(errno));
		return false;
	}
	if (lstat(path, &status) < 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid()) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the runtime folder '%s' is not a folder of user %u", path, geteuid());
		return false;
	}
	if (chmod(path, mode) < 0 || access(path, W_OK | X_OK) < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot use runtime folder '%s': %s",
			    path, g_strerror(errno));
		return false;
	}
	return true;
}

char *paths_runtime(GError **error)
{
	const char *chosen = g_getenv("TOPOLAB_RUNTIME");
	const char *xdg = g_getenv("XDG_RUNTIME_DIR");
	g_autofree char *path = NULL;

	if (chosen && *chosen) {
		path = g_canonicalize_filename(chosen, NULL);
		return runtime_make(path, error) ? g_steal_pointer(&path) : NULL;
	}
	/* Root's XDG_RUNTIME_DIR is 0700: QEMU's user could not enter it. */
	if (geteuid() == 0)
		path = g_strdup("/run/topolab");
	else if (xdg && g_path_is_absolute(xdg))
		path = g_build_filename(xdg, "topolab", NULL);
	if (path && runtime_make(path, NULL))
		return g_steal_pointer(&path);
	g_free(path);
	path = g_strdup_printf("/tmp/topolab-%u", geteuid());
	return runtime_make(path, error) ? g_steal_pointer(&path) : NULL;
}
