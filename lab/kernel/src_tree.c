// SPDX-License-Identifier: GPL-2.0-only
/* A kernel's sources on this machine: built where they lie if configured, else in the cache. */
#include "kernel/cache.h"
#include "kernel/image.h"
#include "kernel/kbuild.h"
#include "kernel/kernel_file.h"

#include "base/error.h"
#include "base/tree.h"

#include <string.h>
#include <sys/stat.h>

static char *copy_into(const char *folder, const char *name, const char *from, GError **error)
{
	g_autofree char *to = g_build_filename(folder, name, NULL);
	g_autofree char *data = NULL;
	gsize length;

	if (!g_file_get_contents(from, &data, &length, error) ||
	    !g_file_set_contents(to, data, (gssize)length, error))
		return NULL;
	return g_steal_pointer(&to);
}

static char *entry_id(const struct kernel *kernel, const char *config)
{
	g_autofree char *config_sum = file_sha256(config, NULL);
	g_autofree char *both = g_strconcat(kernel->sha256, config_sum, NULL);
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, both, -1);

	return g_strdup_printf("built-%.16s", sum);
}

/* The next build writes over the tree's image, perhaps while a guest has yet to boot this one. */
static bool keep_image(struct kernel *kernel, const char *image, const char *config,
		       const char *tree, GError **error)
{
	AUTO(kernel) *found = g_new0(struct kernel, 1);
	g_autofree char *origin = g_strconcat("built from ", tree, NULL);
	g_autofree char *image_copy = NULL;
	g_autofree char *config_copy = NULL;
	g_autofree char *stage = NULL;
	g_autofree char *id = NULL;
	bool ok;

	if (!kernel_read_image(found, image, config, error))
		return false;
	id = entry_id(found, config);
	if (cache_load(id, kernel, NULL))
		return true;
	stage = cache_stage(error);
	image_copy = stage ? copy_into(stage, "image", image, error) : NULL;
	config_copy = image_copy ? copy_into(stage, "dot-config", config, error) : NULL;
	ok = config_copy && cache_commit(stage, image_copy, config_copy, id, origin, error) &&
	     cache_load(id, kernel, error);
	if (stage)
		tree_remove(stage, NULL);
	return ok;
}

/* What the kernel must build hangs on its config: another one than it was built with misjudges it.
 */
static bool check_age(const char *image, const char *config, GError **error)
{
	struct stat built, configured;

	/* What is missing is told by whoever reads it. */
	if (stat(image, &built) != 0 || stat(config, &configured) != 0 ||
	    configured.st_mtime <= built.st_mtime)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "'%s' is newer than '%s', which may be built with another config; leave out "
		    "--no-build",
		    config, image);
	return false;
}

static bool tree_fetch(GHashTable *fields, const struct kernel_options *options,
		       struct kernel *kernel, GError **error)
{
	AUTO(kbuild) *kbuild = kbuild_open(kernel_field(fields, "tree"), options, error);
	g_autofree char *image = kbuild ? kbuild_image(kbuild) : NULL;
	g_autofree char *config = kbuild ? kbuild_config(kbuild) : NULL;

	if (!kbuild)
		return false;
	if (options->no_build ? !check_age(image, config, error)
			      : !kbuild_make(kbuild, options, error))
		return false;
	return keep_image(kernel, image, config, kbuild->tree, error);
}

static bool tree_present(GHashTable *fields)
{
	return kbuild_is_tree(kernel_field(fields, "tree"));
}

static const struct kernel_field tree_fields[] = {
	{.name = "tree", .help = "path of the sources", .required = true},
	{0},
};

const struct kernel_source kernel_source_tree = {
	.kind = "tree",
	.help = "sources on this machine, built in place or in the cache",
	.fields = tree_fields,
	.fetch = tree_fetch,
	.present = tree_present,
};
