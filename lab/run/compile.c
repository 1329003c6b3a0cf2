// SPDX-License-Identifier: GPL-2.0-only
#include "run/compile.h"

#include "base/error.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "kernel/folder_lock.h"
#include "kernel/kbuild.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define COMPILER "gcc"

char *compile_store(const char *sources, GError **error)
{
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, sources, -1);
	g_autofree char *short_sum = g_strndup(sum, 16);
	g_autofree char *sub = g_build_filename("builds", short_sum, NULL);

	return paths_cache(sub, error);
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
	g_autofree char *folder = compile_store(compile->folder, error);
	int lock = folder ? folder_lock(folder, compile->folder, compile->options, error) : -1;
	g_autofree char *sum = lock >= 0 ? inputs_sum(compile, error) : NULL;
	g_autofree char *path = sum ? g_build_filename(folder, sum, NULL) : NULL;
	GBytes *bytes = NULL;
	char *data;
	gsize length;

	if (path && (g_file_test(path, G_FILE_TEST_EXISTS) || make_program(compile, path, error)) &&
	    g_file_get_contents(path, &data, &length, error))
		bytes = g_bytes_new_take(data, length);
	if (lock >= 0)
		close(lock);
	return bytes;
}
