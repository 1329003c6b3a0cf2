// SPDX-License-Identifier: GPL-2.0-only
/* A kernel that is built here from a release's archive on this machine. */
#include "kernel/image.h"
#include "kernel/kernel_file.h"
#include "kernel/recipe.h"
#include "kernel/tarball.h"

#include "base/error.h"

static const struct kernel_field tarball_fields[] = {
	{.name = "path",
	 .help = "of an archive such as linux-6.12.tar.xz",
	 .required = true,
	 .kind = FIELD_PATH},
	RECIPE_FIELDS,
	{0},
};

static bool unpack(const char *tree, const struct kernel_options *options, void *data,
		   GError **error)
{
	const char *path = data;

	kernel_say(options, "unpacking '%s'", path);
	return tarball_unpack(path, tree, error);
}

static struct sources_origin *tarball_origin(GHashTable *fields, const struct kernel *kernel,
					     const struct kernel_options *options, GError **error)
{
	const char *path = kernel_field(fields, "path");
	g_autoptr(GError) cause = NULL;
	g_autofree char *sum = file_sha256(path, &cause);
	struct sources_origin *origin;

	(void)kernel;
	(void)options;
	if (!sum) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "cannot read the archive '%s': %s",
			    path, cause->message);
		return NULL;
	}
	origin = sources_origin_new(g_strdup_printf("tarball-%.16s", sum), g_strdup(path), g_free);
	origin->unpack = unpack;
	return origin;
}

static bool tarball_present(GHashTable *fields)
{
	return g_file_test(kernel_field(fields, "path"), G_FILE_TEST_IS_REGULAR);
}

const struct kernel_source kernel_source_tarball = {
	.kind = "tarball",
	.help = "built in the cache from an archive on this machine",
	.fields = tarball_fields,
	.origin = tarball_origin,
	.present = tarball_present,
};
