// SPDX-License-Identifier: GPL-2.0-only
#include "image/initramfs.h"

#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/*
 * Each archive of an initramfs may start at any multiple of 4 bytes
 * (Documentation/driver-api/early-userspace/buffer-format.rst); 512 is cpio's own block.
 */
#define BLOCK_BYTES 512

struct entry {
	const char *path;
	mode_t mode;
	dev_t device;  /* for device nodes */
	GBytes *bytes; /* for files; NULL: none */
};

static la_ssize_t append_to_buffer(struct archive *archive, void *buffer, const void *data,
				   size_t length)
{
	(void)archive;
	g_byte_array_append(buffer, data, (guint)length);
	return (la_ssize_t)length;
}

static bool archive_fail(struct archive *archive, GError **error)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make the initramfs: %s",
		    archive_error_string(archive));
	return false;
}

static void archive_release(struct archive **archive)
{
	if (*archive)
		archive_write_free(*archive);
}

static void entry_release(struct archive_entry **entry)
{
	archive_entry_free(*entry);
}

#define ARCHIVE	      __attribute__((cleanup(archive_release))) struct archive
#define ARCHIVE_ENTRY __attribute__((cleanup(entry_release))) struct archive_entry

/* Times and owners are zero, so that equal guests have equal bytes and the cache can tell. */
static bool archive_add(struct archive *archive, const struct entry *entry, GError **error)
{
	ARCHIVE_ENTRY *head = archive_entry_new();
	gsize length = 0;
	const void *data = entry->bytes ? g_bytes_get_data(entry->bytes, &length) : NULL;

	archive_entry_set_pathname(head, entry->path);
	archive_entry_set_mode(head, entry->mode);
	archive_entry_set_nlink(head, 1);
	archive_entry_set_uid(head, 0);
	archive_entry_set_gid(head, 0);
	archive_entry_set_mtime(head, 0, 0);
	archive_entry_set_size(head, (la_int64_t)length);
	if (S_ISCHR(entry->mode))
		archive_entry_set_rdev(head, entry->device);
	if (archive_write_header(archive, head) != ARCHIVE_OK)
		return archive_fail(archive, error);
	if (length && archive_write_data(archive, data, length) != (la_ssize_t)length)
		return archive_fail(archive, error);
	return true;
}

/* Appends one newc archive to @buffer; @filter prepares its compression. */
static bool append_archive(GByteArray *buffer, int (*filter)(struct archive *),
			   const struct entry *entries, guint n_entries, GError **error)
{
	ARCHIVE *archive = archive_write_new();

	if (archive_write_set_format_cpio_newc(archive) != ARCHIVE_OK ||
	    filter(archive) != ARCHIVE_OK ||
	    archive_write_set_bytes_per_block(archive, BLOCK_BYTES) != ARCHIVE_OK ||
	    archive_write_set_bytes_in_last_block(archive, BLOCK_BYTES) != ARCHIVE_OK ||
	    archive_write_open(archive, buffer, NULL, append_to_buffer, NULL) != ARCHIVE_OK)
		return archive_fail(archive, error);
	for (guint i = 0; i < n_entries; i++)
		if (!archive_add(archive, &entries[i], error))
			return false;
	if (archive_write_close(archive) != ARCHIVE_OK)
		return archive_fail(archive, error);
	return true;
}

static int filter_gzip(struct archive *archive)
{
	int status = archive_write_add_filter_gzip(archive);

	if (status != ARCHIVE_OK)
		return status;
	return archive_write_set_filter_option(archive, "gzip", "timestamp", NULL);
}

/* acpi_table_upgrade() looks for files of this folder and reads only an uncompressed archive. */
static bool append_tables(GByteArray *buffer, const struct initramfs_table *tables, guint n_tables,
			  GError **error)
{
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
	g_autofree struct entry *entries = g_new0(struct entry, n_tables);

	for (guint i = 0; i < n_tables; i++) {
		char *path = g_strdup_printf("kernel/firmware/acpi/%s.aml", tables[i].signature);

		g_ptr_array_add(paths, path);
		entries[i] = (struct entry){
			.path = path, .mode = S_IFREG | 0644, .bytes = tables[i].bytes};
	}
	return append_archive(buffer, archive_write_add_filter_none, entries, n_tables, error);
}

GBytes *initramfs_build(GBytes *agent, const struct initramfs_table *tables, guint n_tables,
			GError **error)
{
	/* The kernel opens /dev/console before it starts init, hence the node. */
	const struct entry entries[] = {
		{.path = "dev", .mode = S_IFDIR | 0755},
		{.path = "dev/console", .mode = S_IFCHR | 0600, .device = makedev(5, 1)},
		{.path = "proc", .mode = S_IFDIR | 0755},
		{.path = "sys", .mode = S_IFDIR | 0755},
		{.path = "init", .mode = S_IFREG | 0755, .bytes = agent},
	};
	g_autoptr(GByteArray) buffer = g_byte_array_new();

	if (n_tables && !append_tables(buffer, tables, n_tables, error))
		return NULL;
	if (!append_archive(buffer, filter_gzip, entries, G_N_ELEMENTS(entries), error))
		return NULL;
	return g_byte_array_free_to_bytes(g_steal_pointer(&buffer));
}

GBytes *initramfs_add(GBytes *initramfs, const struct initramfs_file *files, guint n_files,
		      GError **error)
{
	g_autofree struct entry *entries = g_new0(struct entry, n_files);
	g_autoptr(GByteArray) buffer = g_byte_array_new();
	gsize length;
	const guint8 *data = g_bytes_get_data(initramfs, &length);

	g_byte_array_append(buffer, data, (guint)length);
	for (guint i = 0; i < n_files; i++)
		entries[i] = (struct entry){
			.path = files[i].path, .mode = files[i].mode, .bytes = files[i].bytes};
	if (!append_archive(buffer, filter_gzip, entries, n_files, error))
		return NULL;
	return g_byte_array_free_to_bytes(g_steal_pointer(&buffer));
}
