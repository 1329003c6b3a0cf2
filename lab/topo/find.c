// SPDX-License-Identifier: GPL-2.0-only
/* Names of topologies and where their files lie. */
#include "topo/load.h"

#include "base/error.h"
#include "base/paths.h"

#include <string.h>

#define SUFFIX ".yaml"

char **topo_search_path(void)
{
	const char *variable = g_getenv("TOPOLAB_PATH");
	g_auto(GStrv) own = g_strsplit(variable ? variable : "", ":", -1);
	GPtrArray *path = g_ptr_array_new();

	for (unsigned i = 0; own[i]; i++)
		if (*own[i])
			g_ptr_array_add(path, g_strdup(own[i]));
	g_ptr_array_add(path, paths_data("topologies"));
	g_ptr_array_add(path, NULL);
	return (char **)g_ptr_array_free(path, FALSE);
}

char **topo_list(const char *const *path)
{
	return paths_names(path, SUFFIX);
}

static struct topo *unknown_name(const char *name, const char *const *path, GError **error)
{
	g_auto(GStrv) known = topo_list(path);
	g_autofree char *names = g_strjoinv(", ", known);

	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "there is no topology named '%s', the names are: %s", name,
		    *names ? names : "none");
	return NULL;
}

struct topo *topo_find(const char *name, const char *const *path, GError **error)
{
	if (strchr(name, '/') || g_str_has_suffix(name, SUFFIX))
		return topo_load_file(name, error);
	for (unsigned i = 0; path[i]; i++) {
		g_autofree char *base = g_strconcat(name, SUFFIX, NULL);
		g_autofree char *file = g_build_filename(path[i], base, NULL);

		if (*name && g_file_test(file, G_FILE_TEST_EXISTS))
			return topo_load_file(file, error);
	}
	return unknown_name(name, path, error);
}
