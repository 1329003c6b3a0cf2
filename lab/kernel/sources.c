// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/sources.h"

#include "kernel/folder_lock.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "base/tree.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Beside the tree: the patches that are on it, 0000, 0001, ... */
#define APPLIED "applied"

struct sources_origin *sources_origin_new(char *id, void *data, GDestroyNotify data_free)
{
	struct sources_origin *origin = g_new0(struct sources_origin, 1);

	origin->id = id;
	origin->version = g_strdup("");
	origin->data = data;
	origin->data_free = data_free;
	return origin;
}

void sources_origin_free(struct sources_origin *origin)
{
	if (!origin)
		return;
	if (origin->data_free)
		origin->data_free(origin->data);
	g_free(origin->id);
	g_free(origin->version);
	g_free(origin);
}

static char *version_path(const struct sources *sources)
{
	return g_build_filename(sources->folder, SOURCES_VERSION, NULL);
}

static char *applied_path(const struct sources *sources, unsigned i)
{
	g_autofree char *name = g_strdup_printf("%04u", i);

	return g_build_filename(sources->folder, APPLIED, name, NULL);
}

/* Until sources_whole() the tree is not to be trusted, whatever ends this process. */
static bool sources_break(const struct sources *sources, GError **error)
{
	g_autofree char *path = version_path(sources);

	if (unlink(path) == 0 || errno == ENOENT)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot remove '%s': %s", path,
		    g_strerror(errno));
	return false;
}

static bool sources_whole(const struct sources *sources, const char *version, GError **error)
{
	g_autofree char *path = version_path(sources);

	return g_file_set_contents(path, version, -1, error);
}

static bool make_folder(const char *path, GError **error)
{
	if (g_mkdir_with_parents(path, 0755) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot create '%s': %s", path,
		    g_strerror(errno));
	return false;
}

static bool unpack_anew(const struct sources *sources, const struct sources_origin *origin,
			const struct kernel_options *options, GError **error)
{
	g_autofree char *applied = g_build_filename(sources->folder, APPLIED, NULL);

	return sources_break(sources, error) && tree_remove(sources->tree, error) &&
	       tree_remove(applied, error) && make_folder(applied, error) &&
	       origin->unpack(sources->tree, options, origin->data, error) &&
	       sources_whole(sources, origin->version, error);
}

static bool move_version(struct sources *sources, const struct sources_origin *origin,
			 const struct kernel_options *options, GError **error)
{
	static const char *const none[] = {NULL};

	/* Files that a patch has made are not the origin's to remove. */
	return sources_patch(sources, none, none, options, error) &&
	       sources_break(sources, error) &&
	       origin->move(sources->tree, options, origin->data, error) &&
	       sources_whole(sources, origin->version, error);
}

static bool make_whole(struct sources *sources, const struct sources_origin *origin,
		       const struct kernel_options *options, GError **error)
{
	g_autofree char *path = version_path(sources);
	g_autofree char *version = NULL;

	if (!g_file_get_contents(path, &version, NULL, NULL))
		return unpack_anew(sources, origin, options, error);
	if (strcmp(version, origin->version) == 0)
		return true;
	return origin->move ? move_version(sources, origin, options, error)
			    : unpack_anew(sources, origin, options, error);
}

struct sources *sources_open(const struct sources_origin *origin,
			     const struct kernel_options *options, GError **error)
{
	AUTO(sources) *sources = g_new0(struct sources, 1);
	g_autofree char *sub = g_build_filename("sources", origin->id, NULL);

	sources->lock = -1;
	sources->folder = paths_cache(sub, error);
	if (!sources->folder)
		return NULL;
	sources->tree = g_build_filename(sources->folder, "tree", NULL);
	sources->lock = folder_lock(sources->folder, origin->id, options, error);
	if (sources->lock < 0 || !make_whole(sources, origin, options, error))
		return NULL;
	return g_steal_pointer(&sources);
}

struct sources *sources_of_user(const char *tree)
{
	struct sources *sources = g_new0(struct sources, 1);

	sources->lock = -1;
	sources->tree = g_strdup(tree);
	return sources;
}

void sources_close(struct sources *sources)
{
	if (!sources)
		return;
	if (sources->lock >= 0)
		close(sources->lock);
	g_free(sources->folder);
	g_free(sources->tree);
	g_free(sources);
}

/* All of the patch or nothing; NULL or "--reverse". The tree need not be a repository. */
static bool apply(const struct sources *sources, const char *path, const char *direction,
		  GError **error)
{
	g_autofree char *ceiling = g_strconcat("GIT_CEILING_DIRECTORIES=", sources->folder, NULL);
	const char *const environment[] = {ceiling, NULL};
	const char *const argv[] = {"git", "apply",   "-p1", "--whitespace=nowarn",
				    path,  direction, NULL};
	struct spawn_options options = {.folder = sources->tree, .environment = environment};

	return spawn_run(argv, &options, NULL, error);
}

/* How many of @patches are on the tree already, from the first on. */
static unsigned count_shared(const struct sources *sources, const char *const *patches)
{
	unsigned n = 0;

	for (; patches[n]; n++) {
		g_autofree char *path = applied_path(sources, n);
		g_autofree char *text = NULL;

		if (!g_file_get_contents(path, &text, NULL, NULL) || strcmp(text, patches[n]) != 0)
			break;
	}
	return n;
}

static unsigned count_applied(const struct sources *sources)
{
	for (unsigned n = 0;; n++) {
		g_autofree char *path = applied_path(sources, n);

		if (!g_file_test(path, G_FILE_TEST_EXISTS))
			return n;
	}
}

static bool take_off(const struct sources *sources, unsigned n, unsigned n_kept, GError **error)
{
	while (n-- > n_kept) {
		g_autofree char *path = applied_path(sources, n);

		if (!apply(sources, path, "--reverse", error))
			return false;
		unlink(path);
	}
	return true;
}

static bool put_on(const struct sources *sources, unsigned i, const char *name, const char *text,
		   GError **error)
{
	g_autofree char *path = applied_path(sources, i);
	g_autoptr(GError) cause = NULL;

	if (!g_file_set_contents(path, text, -1, error))
		return false;
	if (apply(sources, path, NULL, &cause))
		return true;
	unlink(path);
	g_set_error(error, TOPOLAB_ERROR, ERROR_BUILD, "patch '%s' does not apply to '%s': %s",
		    name, sources->tree, cause->message);
	return false;
}

bool sources_patch(struct sources *sources, const char *const *names, const char *const *patches,
		   const struct kernel_options *options, GError **error)
{
	g_autofree char *path = version_path(sources);
	g_autofree char *version = NULL;
	unsigned n_applied = count_applied(sources);
	unsigned n_shared = count_shared(sources, patches);
	bool ok = true;

	if (n_applied == n_shared && !patches[n_shared])
		return true;
	if (!g_file_get_contents(path, &version, NULL, error) || !sources_break(sources, error) ||
	    !take_off(sources, n_applied, n_shared, error))
		return false;
	for (unsigned i = n_shared; ok && patches[i]; i++) {
		kernel_say(options, "putting '%s' on '%s'", names[i], sources->tree);
		ok = put_on(sources, i, names[i], patches[i], error);
	}
	/* A patch that was refused has changed nothing. */
	return sources_whole(sources, version, ok ? error : NULL) && ok;
}
