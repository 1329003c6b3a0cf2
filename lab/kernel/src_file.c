// SPDX-License-Identifier: GPL-2.0-only
/* A bzImage that is already on this machine: used in place and never written to. */
#include "kernel/image.h"
#include "kernel/kernel_file.h"

#include "base/error.h"

#include <string.h>

static char *existing(char *path)
{
	if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
		return path;
	g_free(path);
	return NULL;
}

/*
 * Where a config lies by convention: config-RELEASE beside vmlinuz-RELEASE (/boot), config beside
 * vmlinuz (/usr/lib/modules/RELEASE, our cache), .config at the top of the tree that built
 * arch/x86/boot/bzImage (arch/x86_64 is a folder that links there).
 */
static char *find_config(const char *image_path)
{
	g_autofree char *folder = g_path_get_dirname(image_path);
	g_autofree char *name = g_path_get_basename(image_path);

	if (g_str_has_prefix(name, "vmlinuz-")) {
		g_autofree char *config = g_strconcat("config-", name + strlen("vmlinuz-"), NULL);

		return existing(g_build_filename(folder, config, NULL));
	}
	if (strcmp(name, "vmlinuz") == 0)
		return existing(g_build_filename(folder, "config", NULL));
	if (g_str_has_suffix(folder, "/arch/x86/boot"))
		return existing(g_build_filename(folder, "..", "..", "..", ".config", NULL));
	return NULL;
}

static bool file_fetch(GHashTable *fields, const struct kernel_options *options,
		       struct kernel *kernel, GError **error)
{
	g_autofree char *path = g_canonicalize_filename(kernel_field(fields, "image"), NULL);
	g_autofree char *resolved = realpath(path, NULL);
	g_autofree char *config = NULL;

	(void)options;
	if (kernel_field(fields, "config"))
		config = g_canonicalize_filename(kernel_field(fields, "config"), NULL);
	else
		config = find_config(path);
	/* A link such as /vmlinuz or arch/x86_64/boot/bzImage: its target may know more. */
	if (!config && resolved)
		config = find_config(resolved);
	return kernel_read_image(kernel, path, config, error);
}

static bool file_present(GHashTable *fields)
{
	return g_file_test(kernel_field(fields, "image"), G_FILE_TEST_IS_REGULAR);
}

static const struct kernel_field file_fields[] = {
	{.name = "image", .help = "path of the bzImage", .required = true, .kind = FIELD_PATH},
	{.name = "config",
	 .help = "path of its config; found beside the image when not given",
	 .kind = FIELD_PATH},
	{0},
};

const struct kernel_source kernel_source_file = {
	.kind = "file",
	.help = "a bzImage on this machine, used in place",
	.fields = file_fields,
	.fetch = file_fetch,
	.present = file_present,
};
