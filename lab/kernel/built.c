// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/built.h"

#include "kernel/cache.h"
#include "kernel/image.h"

#include "base/tree.h"

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

static char *id_of_files(const struct kernel *kernel, const char *config)
{
	g_autofree char *config_sum = file_sha256(config, NULL);
	g_autofree char *both = g_strconcat(kernel->sha256, config_sum, NULL);
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, both, -1);

	return g_strdup_printf("built-%.16s", sum);
}

bool built_keep(struct kernel *kernel, const struct kbuild *kbuild, const char *id,
		const char *origin, GError **error)
{
	AUTO(kernel) *found = g_new0(struct kernel, 1);
	g_autofree char *image = kbuild_image(kbuild);
	g_autofree char *config = kbuild_config(kbuild);
	g_autofree char *image_copy = NULL;
	g_autofree char *config_copy = NULL;
	g_autofree char *stage = NULL;
	g_autofree char *entry = NULL;
	bool ok;

	if (!kernel_read_image(found, image, config, error))
		return false;
	entry = id ? g_strdup(id) : id_of_files(found, config);
	if (cache_load(entry, kernel, NULL))
		return true;
	stage = cache_stage(error);
	image_copy = stage ? copy_into(stage, "image", image, error) : NULL;
	config_copy = image_copy ? copy_into(stage, "dot-config", config, error) : NULL;
	ok = config_copy && cache_commit(stage, image_copy, config_copy, entry, origin, error) &&
	     cache_load(entry, kernel, error);
	if (stage)
		tree_remove(stage, NULL);
	return ok;
}
