// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/built.h"

#include "kernel/cache.h"
#include "kernel/image.h"

#include "base/error.h"
#include "base/tree.h"

#include <gio/gio.h>

/* A vmlinux with debug information takes hundreds of megabytes: it is not read into memory. */
static char *copy_into(const char *folder, const char *name, const char *from, GError **error)
{
	g_autofree char *to = g_build_filename(folder, name, NULL);
	g_autoptr(GFile) source = g_file_new_for_path(from);
	g_autoptr(GFile) target = g_file_new_for_path(to);
	g_autoptr(GError) cause = NULL;

	if (g_file_copy(source, target, G_FILE_COPY_NONE, NULL, NULL, NULL, &cause))
		return g_steal_pointer(&to);
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot copy '%s' to '%s': %s", from, to,
		    cause->message);
	return NULL;
}

static char *id_of_files(const struct kernel *kernel, const char *config)
{
	g_autofree char *config_sum = file_sha256(config, NULL);
	g_autofree char *both = g_strconcat(kernel->sha256, config_sum, NULL);
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, both, -1);

	return g_strdup_printf("built-%.16s", sum);
}

static bool copy_and_commit(const char *stage, const char *image, const char *config,
			    const char *entry, const struct built_as *as, GError **error)
{
	g_autofree char *image_copy = copy_into(stage, "image", image, error);
	g_autofree char *config_copy =
		image_copy ? copy_into(stage, "dot-config", config, error) : NULL;
	g_autofree char *vmlinux_copy =
		config_copy && as->vmlinux ? copy_into(stage, "symbols", as->vmlinux, error) : NULL;

	if (!config_copy || (as->vmlinux && !vmlinux_copy))
		return false;
	return cache_commit(stage,
			    &(struct cache_files){
				    .image = image_copy,
				    .config = config_copy,
				    .vmlinux = vmlinux_copy,
			    },
			    entry, as->origin, error);
}

bool built_keep(struct kernel *kernel, const struct kbuild *kbuild, const struct built_as *as,
		GError **error)
{
	AUTO(kernel) *found = g_new0(struct kernel, 1);
	g_autofree char *image = kbuild_image(kbuild);
	g_autofree char *config = kbuild_config(kbuild);
	g_autofree char *stage = NULL;
	g_autofree char *entry = NULL;
	bool ok;

	if (!kernel_read_image(found, image, config, error))
		return false;
	entry = as->id ? g_strdup(as->id) : id_of_files(found, config);
	if (cache_load(entry, kernel, NULL))
		return true;
	stage = cache_stage(error);
	ok = stage && copy_and_commit(stage, image, config, entry, as, error) &&
	     cache_load(entry, kernel, error);
	if (stage)
		tree_remove(stage, NULL);
	return ok;
}
