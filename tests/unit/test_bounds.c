// SPDX-License-Identifier: GPL-2.0-only
/* More than anybody asked for: a console, a full disk, an archive of a million members. */
#include "base/error.h"
#include "base/tree.h"
#include "observe/observe.h"
#include "vm/feed.h"
#include "vm/vm.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

/* README.md and the comment in vm.h: 16 MiB of console, then the guest is ended. */
static void test_console(void)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-bounds-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, "console.log", NULL);
	g_autofree guint8 *chunk = g_malloc0(1 << 20);
	struct output output;
	GStatBuf status;

	g_assert_cmpuint(VM_CONSOLE_MAX, ==, 16777216);
	g_assert_true(output_open(&output, folder, "console.log", VM_CONSOLE_MAX, NULL));
	for (unsigned i = 0; i < 15; i++)
		g_assert_cmpint(output_append(&output, chunk, 1 << 20), ==, OUTPUT_WRITTEN);
	g_assert_cmpint(output_append(&output, chunk, (1 << 20) - 1), ==, OUTPUT_WRITTEN);
	g_assert_cmpint(output_append(&output, chunk, 1), ==, OUTPUT_WRITTEN);
	g_assert_cmpint(output_append(&output, chunk, 1), ==, OUTPUT_FULL);
	g_assert_cmpint(output_append(&output, chunk, 1 << 20), ==, OUTPUT_FULL);
	output_close(&output);
	g_assert_cmpint(g_stat(path, &status), ==, 0);
	g_assert_cmpint(status.st_size, ==, 16777216);
	g_assert_true(tree_remove(folder, NULL));
}

/* null(4): writes to /dev/full fail with ENOSPC. */
static void test_disk(void)
{
	struct output output;

	g_assert_true(output_open(&output, "/dev", "full", VM_CONSOLE_MAX, NULL));
	g_assert_cmpint(output_append(&output, (const guint8 *)"x", 1), ==, OUTPUT_FAILED);
	g_assert_cmpint(errno, ==, ENOSPC);
	g_assert_cmpuint(output.bytes, ==, 0);
	output_close(&output);
}

/* 512 MB of tar headers in a few MB of gzip. */
static GBytes *million_members(void)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	gsize size = 16 << 20, used;
	guint8 *buffer = g_malloc(size);

	archive_write_set_format_ustar(archive);
	archive_write_add_filter_gzip(archive);
	archive_write_set_options(archive, "gzip:compression-level=1");
	g_assert_cmpint(archive_write_open_memory(archive, buffer, size, &used), ==, ARCHIVE_OK);
	for (unsigned i = 0; i < 1000000; i++) {
		char name[16];

		g_snprintf(name, sizeof(name), "m%u", i);
		archive_entry_clear(entry);
		archive_entry_set_pathname(entry, name);
		archive_entry_set_filetype(entry, AE_IFREG);
		archive_entry_set_size(entry, 0);
		if (archive_write_header(archive, entry) != ARCHIVE_OK)
			g_error("%s", archive_error_string(archive));
	}
	archive_entry_free(entry);
	g_assert_cmpint(archive_write_close(archive), ==, ARCHIVE_OK);
	archive_write_free(archive);
	return g_bytes_new_take(buffer, used);
}

static void test_members(void)
{
	g_autoptr(GBytes) archive = million_members();
	g_autoptr(GError) error = NULL;
	AUTO(root) *root = evidence_open(archive, &error);

	g_assert_null(root);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_cmpstr(error->message, ==, "the evidence holds more than 500000 members");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/bounds/console", test_console);
	g_test_add_func("/bounds/disk", test_disk);
	g_test_add_func("/bounds/members", test_members);
	return g_test_run();
}
