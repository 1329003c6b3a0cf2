// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/deb_source.h"

#include "kernel/apt.h"
#include "kernel/tarball.h"

#include "base/error.h"
#include "base/tree.h"

#include <string.h>

#define NAME_CHARACTERS G_CSET_a_2_z G_CSET_DIGITS "+-."

/* Debian Policy 5.6.1. */
bool deb_is_package(const char *value)
{
	return g_ascii_isalnum(*value) && strspn(value, NAME_CHARACTERS) == strlen(value);
}

bool deb_is_suites(const char *value)
{
	return g_ascii_isalnum(*value) &&
	       strspn(value, G_CSET_a_2_z G_CSET_DIGITS "- ") == strlen(value);
}

struct deb_source {
	char *suites, *package, *version;
};

static void deb_source_free(gpointer data)
{
	struct deb_source *source = data;

	g_free(source->suites);
	g_free(source->package);
	g_free(source->version);
	g_free(source);
}

/* usr/src/linux-source-6.12.tar.xz */
static char *find_tarball(const char *folder)
{
	g_autofree char *src = g_build_filename(folder, "usr", "src", NULL);
	g_autoptr(GDir) dir = g_dir_open(src, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		if (strstr(name, ".tar."))
			return g_build_filename(src, name, NULL);
	return NULL;
}

static bool unpack_package(struct apt *apt, const struct deb_source *source, const char *stage,
			   const char *tree, GError **error)
{
	g_autofree char *tarball = NULL;

	if (!apt_unpack(apt, source->package, source->version, stage, error))
		return false;
	tarball = find_tarball(stage);
	if (tarball)
		return tarball_unpack(tarball, tree, error);
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "package '%s' holds no archive of sources in usr/src", source->package);
	return false;
}

static bool unpack(const char *tree, const struct kernel_options *options, void *data,
		   GError **error)
{
	const struct deb_source *source = data;
	g_autofree char *stage = g_strconcat(tree, ".package", NULL);
	AUTO(apt) *apt = NULL;
	bool ok;

	if (options->offline) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the sources %s %s are not in the cache, and nothing may be fetched",
			    source->package, source->version);
		return false;
	}
	if (!tree_remove(stage, error))
		return false;
	apt = apt_open(source->suites, options, error);
	if (!apt || !apt_update(apt, error))
		return false;
	kernel_say(options, "fetching and unpacking %s %s", source->package, source->version);
	ok = unpack_package(apt, source, stage, tree, error);
	tree_remove(stage, NULL);
	return ok;
}

struct sources_origin *deb_source_origin(const char *suites, const char *package,
					 const char *version)
{
	struct deb_source *source = g_new0(struct deb_source, 1);
	struct sources_origin *origin;

	source->suites = g_strdup(suites);
	source->package = g_strdup(package);
	source->version = g_strdup(version);
	origin = sources_origin_new(g_strconcat(package, "_", version, NULL), source,
				    deb_source_free);
	origin->unpack = unpack;
	return origin;
}
