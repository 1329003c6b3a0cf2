// SPDX-License-Identifier: GPL-2.0-only
/* The initramfs is read back with libarchive's reader, part by part, as the kernel would. */
#include "image/initramfs.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

static const guint8 gzip_magic[] = {0x1f, 0x8b};

/* Members of one archive, "path mode size device mtime uid.gid nlink", and its files' bytes. */
static char *listing(const guint8 *data, gsize length, GByteArray *contents)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;
	GString *text = g_string_new(NULL);

	archive_read_support_format_cpio(archive);
	archive_read_support_filter_gzip(archive);
	g_assert_cmpint(archive_read_open_memory(archive, data, length), ==, ARCHIVE_OK);
	while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
		gsize size = (gsize)archive_entry_size(entry);
		g_autofree guint8 *bytes = g_malloc0(size + 1);

		g_string_append_printf(
			text, "%s %o %zu %u:%u %ld %ld.%ld %u\n", archive_entry_pathname(entry),
			archive_entry_mode(entry), size, major(archive_entry_rdev(entry)),
			minor(archive_entry_rdev(entry)), (long)archive_entry_mtime(entry),
			(long)archive_entry_uid(entry), (long)archive_entry_gid(entry),
			archive_entry_nlink(entry));
		g_assert_cmpint(archive_read_data(archive, bytes, size), ==, (gssize)size);
		g_byte_array_append(contents, bytes, (guint)size);
	}
	g_assert_null(archive_error_string(archive));
	archive_read_free(archive);
	return g_string_free(text, FALSE);
}

/* Where the gzip part starts: the first multiple of 512 with gzip's magic (RFC 1952). */
static gsize gzip_offset(const guint8 *data, gsize length)
{
	for (gsize i = 0; i + 2 <= length; i += 512)
		if (memcmp(data + i, gzip_magic, 2) == 0)
			return i;
	return length;
}

static GBytes *agent_bytes(void)
{
	guint8 *bytes = g_malloc(100001);

	for (guint i = 0; i < 100001; i++)
		bytes[i] = (guint8)(i * 7 + i / 251);
	return g_bytes_new_take(bytes, 100001);
}

static void test_with_tables(void)
{
	g_autoptr(GBytes) agent = agent_bytes();
	g_autoptr(GBytes) apic = g_bytes_new_static("APIC table", 10);
	g_autoptr(GBytes) srat = g_bytes_new_static("SRAT tables", 11);
	const struct initramfs_table tables[] = {{"APIC", apic}, {"SRAT", srat}};
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) image = initramfs_build(agent, tables, 2, &error);
	g_autoptr(GByteArray) early = g_byte_array_new(), late = g_byte_array_new();
	g_autofree char *early_list = NULL, *late_list = NULL;
	const guint8 *data;
	gsize length, offset;

	g_assert_no_error(error);
	data = g_bytes_get_data(image, &length);
	offset = gzip_offset(data, length);
	g_assert_cmpmem(data, 6, "070701", 6); /* newc magic, initramfs buffer format */
	g_assert_cmpuint(offset, >, 0);
	g_assert_cmpuint(offset, <, length);
	early_list = listing(data, offset, early);
	g_assert_cmpstr(early_list, ==,
			"kernel/firmware/acpi/APIC.aml 100644 10 0:0 0 0.0 1\n"
			"kernel/firmware/acpi/SRAT.aml 100644 11 0:0 0 0.0 1\n");
	g_assert_cmpmem(early->data, early->len, "APIC tableSRAT tables", 21);
	late_list = listing(data + offset, length - offset, late);
	g_assert_cmpstr(late_list, ==,
			"dev 40755 0 0:0 0 0.0 1\n"
			"dev/console 20600 0 5:1 0 0.0 1\n"
			"proc 40755 0 0:0 0 0.0 1\n"
			"sys 40755 0 0:0 0 0.0 1\n"
			"init 100755 100001 0:0 0 0.0 1\n");
	g_assert_cmpmem(late->data, late->len, g_bytes_get_data(agent, NULL), 100001);
}

/* Nothing but zeros may lie between the two archives, or the kernel stops reading. */
static void test_padding(void)
{
	g_autoptr(GBytes) agent = agent_bytes();
	g_autoptr(GBytes) apic = g_bytes_new_static("x", 1);
	const struct initramfs_table tables[] = {{"APIC", apic}};
	g_autoptr(GBytes) image = initramfs_build(agent, tables, 1, NULL);
	gsize length, offset;
	const guint8 *data = g_bytes_get_data(image, &length);
	const char *trailer = "TRAILER!!!";
	const guint8 *end = memmem(data, length, trailer, strlen(trailer));

	offset = gzip_offset(data, length);
	g_assert_nonnull(end);
	g_assert_cmpuint(offset % 512, ==, 0);
	for (const guint8 *byte = end + strlen(trailer); byte < data + offset; byte++)
		g_assert_cmpuint(*byte, ==, 0);
}

static void test_without_tables(void)
{
	g_autoptr(GBytes) agent = agent_bytes();
	g_autoptr(GBytes) image = initramfs_build(agent, NULL, 0, NULL);

	g_assert_nonnull(image);
	g_assert_cmpmem(g_bytes_get_data(image, NULL), 2, gzip_magic, 2);
	/* RFC 1952: bytes 4 to 7 are the time stamp. */
	g_assert_cmpmem((const guint8 *)g_bytes_get_data(image, NULL) + 4, 4, "\0\0\0\0", 4);
}

static void test_deterministic(void)
{
	g_autoptr(GBytes) agent = agent_bytes();
	g_autoptr(GBytes) apic = g_bytes_new_static("APIC", 4);
	const struct initramfs_table tables[] = {{"APIC", apic}};
	g_autoptr(GBytes) first = initramfs_build(agent, tables, 1, NULL);
	g_autoptr(GBytes) second = NULL;

	g_usleep(1100 * 1000); /* a time stamp of seconds would differ */
	second = initramfs_build(agent, tables, 1, NULL);
	g_assert_true(g_bytes_equal(first, second));
}

/* More files come as one more archive; what was there stays as it is. */
static void test_add(void)
{
	g_autoptr(GBytes) agent = agent_bytes();
	g_autoptr(GBytes) tool = g_bytes_new_static("tool", 4);
	const struct initramfs_file files[] = {
		{.path = "bin", .mode = S_IFDIR | 0755},
		{.path = "bin/tool", .mode = S_IFREG | 0755, .bytes = tool},
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) image = initramfs_build(agent, NULL, 0, NULL);
	g_autoptr(GBytes) more = initramfs_add(image, files, 2, &error);
	g_autoptr(GByteArray) contents = g_byte_array_new();
	g_autofree char *list = NULL;
	gsize length, offset = g_bytes_get_size(image);
	const guint8 *data;

	g_assert_no_error(error);
	data = g_bytes_get_data(more, &length);
	g_assert_cmpmem(data, offset, g_bytes_get_data(image, NULL), offset);
	g_assert_cmpuint(offset % 4, ==, 0);
	list = listing(data + offset, length - offset, contents);
	g_assert_cmpstr(list, ==,
			"bin 40755 0 0:0 0 0.0 1\n"
			"bin/tool 100755 4 0:0 0 0.0 1\n");
	g_assert_cmpmem(contents->data, contents->len, "tool", 4);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/initramfs/with-tables", test_with_tables);
	g_test_add_func("/initramfs/padding", test_padding);
	g_test_add_func("/initramfs/without-tables", test_without_tables);
	g_test_add_func("/initramfs/add", test_add);
	g_test_add_func("/initramfs/deterministic", test_deterministic);
	return g_test_run();
}
