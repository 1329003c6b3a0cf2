// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/tarball.h"

#include "base/auto.h"
#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#define BLOCK_BYTES (1 << 20)

/* Devices, owners and set-user-id bits have no place in sources. */
#define SAFE                                                                                       \
	(ARCHIVE_EXTRACT_TIME | ARCHIVE_EXTRACT_SECURE_SYMLINKS | ARCHIVE_EXTRACT_SECURE_NODOTDOT)

struct unpack {
	struct archive *in, *out;
	const char *path, *folder;
};

static bool unpack_error(const struct unpack *unpack, struct archive *archive, GError **error)
{
	const char *text = archive_error_string(archive);

	if (archive == unpack->in)
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "'%s' is no archive that can be "
			    "unpacked: %s",
			    unpack->path, text ? text : "no reason is given");
	else
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot unpack '%s' into '%s': %s",
			    unpack->path, unpack->folder, text ? text : "no reason is given");
	return false;
}

/* Below the folder; NULL: it is the archive's outermost folder itself. */
static char *inner_path(const struct unpack *unpack, const char *name)
{
	const char *slash = strchr(name, '/');

	return slash && slash[1] ? g_build_filename(unpack->folder, slash + 1, NULL) : NULL;
}

static bool copy_data(struct unpack *unpack, GError **error)
{
	const void *block;
	size_t length;
	la_int64_t offset;
	int status;

	while ((status = archive_read_data_block(unpack->in, &block, &length, &offset)) ==
	       ARCHIVE_OK)
		if (archive_write_data_block(unpack->out, block, length, offset) < ARCHIVE_OK)
			return unpack_error(unpack, unpack->out, error);
	return status == ARCHIVE_EOF || unpack_error(unpack, unpack->in, error);
}

static bool unpack_entry(struct unpack *unpack, struct archive_entry *entry, GError **error)
{
	g_autofree char *to = inner_path(unpack, archive_entry_pathname(entry));
	const char *link = archive_entry_hardlink(entry);
	g_autofree char *link_to = link ? inner_path(unpack, link) : NULL;

	if (!to)
		return true;
	archive_entry_set_pathname(entry, to);
	if (link)
		archive_entry_set_hardlink(entry, link_to);
	if (archive_write_header(unpack->out, entry) < ARCHIVE_WARN)
		return unpack_error(unpack, unpack->out, error);
	return copy_data(unpack, error) &&
	       (archive_write_finish_entry(unpack->out) >= ARCHIVE_WARN ||
		unpack_error(unpack, unpack->out, error));
}

static bool unpack_all(struct unpack *unpack, GError **error)
{
	struct archive_entry *entry;
	int status;

	if (archive_read_open_filename(unpack->in, unpack->path, BLOCK_BYTES) != ARCHIVE_OK)
		return unpack_error(unpack, unpack->in, error);
	while ((status = archive_read_next_header(unpack->in, &entry)) == ARCHIVE_OK)
		if (!unpack_entry(unpack, entry, error))
			return false;
	return status == ARCHIVE_EOF || unpack_error(unpack, unpack->in, error);
}

bool tarball_unpack(const char *path, const char *folder, GError **error)
{
	struct unpack unpack = {.path = path, .folder = folder};
	bool ok;

	if (g_mkdir_with_parents(folder, 0755) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot create '%s': %s", folder,
			    g_strerror(errno));
		return false;
	}
	unpack.in = archive_read_new();
	unpack.out = archive_write_disk_new();
	archive_read_support_filter_all(unpack.in);
	archive_read_support_format_tar(unpack.in);
	archive_write_disk_set_options(unpack.out, SAFE);
	ok = unpack_all(&unpack, error);
	archive_read_free(unpack.in);
	archive_write_free(unpack.out);
	return ok;
}
