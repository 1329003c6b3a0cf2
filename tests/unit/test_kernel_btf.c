// SPDX-License-Identifier: GPL-2.0-only
/*
 * The types in a bzImage: images made by hand around an ELF file that is written field by field as
 * elf(5) has it, packed as arch/x86/boot/compressed/Makefile packs it: with the size behind it, but
 * for gzip.
 */
#include "kernel/btf.h"

#include "test_kernel.h"

#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>
#include <elf.h>

static const char names[] = "\0.BTF\0.shstrtab\0.text";
static const char types[] = "\x9f\xeb\x01 the types of a kernel";

/* Its sections: none, @section, and their names. */
static GByteArray *elf_new(unsigned name)
{
	GByteArray *elf = g_byte_array_new();
	const Elf64_Shdr sections[] = {
		{0},
		{.sh_name = name,
		 .sh_type = SHT_PROGBITS,
		 .sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr),
		 .sh_size = sizeof(types)},
		{.sh_name = 6,
		 .sh_type = SHT_STRTAB,
		 .sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr) + sizeof(types),
		 .sh_size = sizeof(names)},
	};
	const Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(header),
		.e_ehsize = sizeof(header),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = G_N_ELEMENTS(sections),
		.e_shstrndx = 2,
	};

	g_byte_array_append(elf, (const guint8 *)&header, sizeof(header));
	g_byte_array_append(elf, (const guint8 *)sections, sizeof(sections));
	g_byte_array_append(elf, (const guint8 *)types, sizeof(types));
	g_byte_array_append(elf, (const guint8 *)names, sizeof(names));
	return elf;
}

static la_ssize_t append(struct archive *archive, void *packed, const void *data, size_t length)
{
	(void)archive;
	g_byte_array_append(packed, data, (guint)length);
	return (la_ssize_t)length;
}

static GByteArray *pack(const GByteArray *elf, int (*filter)(struct archive *), const char *tail)
{
	GByteArray *packed = g_byte_array_new();
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();

	g_assert_cmpint(archive_write_set_format_raw(archive), ==, ARCHIVE_OK);
	g_assert_cmpint(filter(archive), ==, ARCHIVE_OK);
	archive_write_set_bytes_in_last_block(archive, 1);
	g_assert_cmpint(archive_write_open(archive, packed, NULL, append, NULL), ==, ARCHIVE_OK);
	archive_entry_set_filetype(entry, AE_IFREG);
	g_assert_cmpint(archive_write_header(archive, entry), ==, ARCHIVE_OK);
	g_assert_cmpint(archive_write_data(archive, elf->data, elf->len), ==, elf->len);
	archive_write_close(archive);
	archive_write_free(archive);
	archive_entry_free(entry);
	g_byte_array_append(packed, (const guint8 *)tail, (guint)strlen(tail));
	return packed;
}

/* An image whose payload begins 16 bytes into its code. */
static GBytes *image_of(const GByteArray *payload)
{
	guint8 *image = test_image_new();

	g_assert_cmpuint(payload->len, <=, CODE - 16);
	test_put(image, 0x248, "\x10\0\0\0", 4);
	image[0x24c] = (guint8)payload->len;
	image[0x24d] = (guint8)(payload->len >> 8);
	test_put(image, SETUP + 16, (const char *)payload->data, payload->len);
	return g_bytes_new_take(image, LENGTH);
}

static GBytes *btf_of(GBytes *image, GError **error)
{
	gsize length;
	const guint8 *data = g_bytes_get_data(image, &length);

	return bzimage_btf(data, length, "k", error);
}

static void assert_found(int (*filter)(struct archive *), const char *tail)
{
	g_autoptr(GByteArray) elf = elf_new(1);
	g_autoptr(GByteArray) payload = pack(elf, filter, tail);
	g_autoptr(GBytes) image = image_of(payload);
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) btf = btf_of(image, &error);

	g_assert_no_error(error);
	if (btf)
		g_assert_cmpmem(g_bytes_get_data(btf, NULL), g_bytes_get_size(btf), types,
				sizeof(types));
}

static void test_good(void)
{
	assert_found(archive_write_add_filter_zstd, "size");
	assert_found(archive_write_add_filter_lz4, "size");
	assert_found(archive_write_add_filter_xz, "size");
	assert_found(archive_write_add_filter_bzip2, "size");
	assert_found(archive_write_add_filter_lzma, "size");
	assert_found(archive_write_add_filter_gzip, "");
}

static void assert_lacks(GBytes *image, const char *why)
{
	g_autofree char *message =
		g_strconcat("the types of kernel 'k' are not to be had: ", why, NULL);
	g_autoptr(GError) error = NULL;

	g_assert_null(btf_of(image, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED);
	g_assert_cmpstr(error ? error->message : NULL, ==, message);
}

static void test_lacking(void)
{
	/* ".text" */
	g_autoptr(GByteArray) elf = elf_new(16);
	g_autoptr(GByteArray) whole = pack(elf, archive_write_add_filter_zstd, "size");
	g_autoptr(GByteArray) cut = pack(elf, archive_write_add_filter_zstd, "size");
	g_autoptr(GByteArray) other = g_byte_array_new();
	g_autoptr(GBytes) without = image_of(whole);
	g_autoptr(GBytes) short_one = image_of((g_byte_array_set_size(cut, 60), cut));
	g_autoptr(GBytes) foreign = NULL;

	g_byte_array_append(other, (const guint8 *)"no ELF, not packed either", 25);
	foreign = image_of(other);
	assert_lacks(without, "its vmlinux is no ELF file with a section .BTF");
	assert_lacks(short_one, "its vmlinux cannot be unpacked");
	assert_lacks(foreign, "its vmlinux is no ELF file with a section .BTF");
}

static void assert_nowhere(const char *offset, const char *size)
{
	guint8 *image = test_image_new();
	g_autoptr(GBytes) bytes = g_bytes_new_take(image, LENGTH);

	test_put(image, 0x248, offset, 4);
	test_put(image, 0x24c, size, 4);
	assert_lacks(bytes, "its header does not say where its vmlinux lies");
}

/* Where it says, nothing is, or not as much. */
static void test_outside(void)
{
	assert_nowhere("\0\0\0\0", "\0\0\0\0");
	assert_nowhere("\x10\0\0\0", "\xf1\x0f\0\0"); /* 0xff0 are left of 0x1000 */
	assert_nowhere("\0\x10\0\0", "\1\0\0\0");
	assert_nowhere("\xff\xff\xff\xff", "\xff\xff\xff\xff");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/kernel-btf/good", test_good);
	g_test_add_func("/kernel-btf/lacking", test_lacking);
	g_test_add_func("/kernel-btf/outside", test_outside);
	return g_test_run();
}
