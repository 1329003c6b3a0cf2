// SPDX-License-Identifier: GPL-2.0-only
#include "run/compile.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "kernel/kbuild.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define COMPILER "gcc"

/* The cache's folder for the programs of one folder of sources, held against its removal. */
struct store {
	char *folder;
	int lock;
};

static void store_close(struct store *store)
{
	if (store->lock >= 0)
		close(store->lock);
	g_free(store->folder);
}

static bool store_open(struct store *store, const char *sources, GError **error)
{
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, sources, -1);
	g_autofree char *short_sum = g_strndup(sum, 16);
	g_autofree char *sub = g_build_filename("builds", short_sum, NULL);
	g_autofree char *path = NULL;

	store->folder = paths_cache(sub, error);
	if (!store->folder)
		return false;
	path = g_build_filename(store->folder, "lock", NULL);
	store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (store->lock >= 0 && flock(store->lock, LOCK_SH) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot lock '%s': %s", path,
		    g_strerror(errno));
	return false;
}

/* gcc FLAGS... EXTRA... SOURCES... */
static GPtrArray *arguments(const struct compile *compile, const char *const *extra)
{
	GPtrArray *argv = g_ptr_array_new();

	g_ptr_array_add(argv, (gpointer)(guintptr)COMPILER);
	for (guint i = 0; i < compile->flags->len; i++)
		g_ptr_array_add(argv, compile->flags->pdata[i]);
	for (unsigned i = 0; extra[i]; i++)
		g_ptr_array_add(argv, (gpointer)(guintptr)extra[i]);
	for (guint i = 0; i < compile->sources->len; i++)
		g_ptr_array_add(argv, compile->sources->pdata[i]);
	g_ptr_array_add(argv, NULL);
	return argv;
}

static bool run_compiler(const struct compile *compile, const char *const *extra, char **output,
			 GError **error)
{
	g_autoptr(GPtrArray) argv = arguments(compile, extra);
	g_autofree char *errors = NULL;
	g_autofree char *first = NULL;
	g_autoptr(GError) cause = NULL;
	struct spawn_options options = {.folder = compile->folder, .errors = &errors};

	if (spawn_run((const char *const *)argv->pdata, &options, output, &cause))
		return true;
	first = errors ? kbuild_first_error(errors) : NULL;
	g_set_error(error, TOPOLAB_ERROR, ERROR_BUILD, "%s", first ?: cause->message);
	return false;
}

/* Of all that decides what the program will be. */
static char *inputs_sum(const struct compile *compile, GError **error)
{
	static const char *const preprocess[] = {"-E", NULL};
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *version = NULL;
	g_autofree char *text = NULL;

	if (!spawn_run((const char *const[]){COMPILER, "--version", NULL}, NULL, &version, error) ||
	    !run_compiler(compile, preprocess, &text, error))
		return NULL;
	g_checksum_update(sum, (const guchar *)version, -1);
	for (guint i = 0; i < compile->flags->len; i++)
		g_checksum_update(sum, compile->flags->pdata[i],
				  (gssize)strlen(compile->flags->pdata[i]) + 1);
	g_checksum_update(sum, (const guchar *)text, -1);
	return g_strdup(g_checksum_get_string(sum));
}

static bool make_program(const struct compile *compile, const char *path, GError **error)
{
	g_autofree char *part = g_strdup_printf("%s.part-%d", path, (int)getpid());
	const char *const link[] = {"-static", "-s", "-o", part, NULL};

	if (!run_compiler(compile, link, NULL, error))
		return false;
	if (rename(part, path) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot rename '%s' to '%s': %s", part, path,
		    g_strerror(errno));
	return false;
}

GBytes *compile_program(const struct compile *compile, GError **error)
{
	struct store store = {.lock = -1};
	g_autofree char *sum = NULL;
	g_autofree char *path = NULL;
	GBytes *bytes = NULL;
	char *data;
	gsize length;

	if (store_open(&store, compile->folder, error) && (sum = inputs_sum(compile, error))) {
		path = g_build_filename(store.folder, sum, NULL);
		if ((g_file_test(path, G_FILE_TEST_EXISTS) || make_program(compile, path, error)) &&
		    g_file_get_contents(path, &data, &length, error))
			bytes = g_bytes_new_take(data, length);
	}
	store_close(&store);
	return bytes;
}
