// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/image.h"

#include "base/error.h"

#include <errno.h>
#include <sys/stat.h>

#define IMAGE_MAX_BYTES (1u << 30)

/* A device or a pipe would never end, and a folder deserves a hint. */
static bool check_regular(const char *path, GError **error)
{
	struct stat status;

	if (stat(path, &status) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "cannot read kernel '%s': %s", path,
			    g_strerror(errno));
		return false;
	}
	if (S_ISDIR(status.st_mode)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "kernel '%s' is a folder; name the bzImage in it, such as "
			    "arch/x86/boot/bzImage",
			    path);
		return false;
	}
	if (!S_ISREG(status.st_mode)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "kernel '%s' is not a regular file",
			    path);
		return false;
	}
	if (status.st_size > IMAGE_MAX_BYTES) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "kernel '%s' has %" G_GINT64_FORMAT " bytes, more than any bzImage",
			    path, (gint64)status.st_size);
		return false;
	}
	return true;
}

/* Read and not mapped: a file that shrinks under a mapping would end us with SIGBUS. */
static GBytes *read_image(const char *path, GError **error)
{
	g_autoptr(GError) cause = NULL;
	char *data;
	gsize length;

	if (!check_regular(path, error))
		return NULL;
	if (!g_file_get_contents(path, &data, &length, &cause)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "cannot read kernel '%s': %s", path,
			    cause->message);
		return NULL;
	}
	return g_bytes_new_take(data, length);
}

bool kernel_read_image(struct kernel *kernel, const char *image_path, const char *config_path,
		       GError **error)
{
	g_autoptr(GBytes) image = read_image(image_path, error);
	g_autofree char *config = NULL;
	g_autoptr(GError) cause = NULL;
	gsize length;
	const guint8 *data;

	if (!image)
		return false;
	data = g_bytes_get_data(image, &length);
	kernel->facts = bzimage_facts(data, length, image_path, error);
	if (!kernel->facts)
		return false;
	if (config_path) {
		if (!g_file_get_contents(config_path, &config, NULL, &cause)) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
				    "cannot read the config '%s' of kernel '%s': %s", config_path,
				    image_path, cause->message);
			return false;
		}
		kernel_facts_set_config(kernel->facts, config);
		kernel->config = g_steal_pointer(&config);
	}
	kernel->sha256 = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, image);
	kernel->image_path = g_strdup(image_path);
	return true;
}

char *file_sha256(const char *path, GError **error)
{
	g_autofree char *data = NULL;
	gsize length;

	if (!g_file_get_contents(path, &data, &length, error))
		return NULL;
	return g_compute_checksum_for_data(G_CHECKSUM_SHA256, (guint8 *)data, length);
}
