// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/btf.h"

#include "kernel/kernel.h"

#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

/* Of a vmlinux as it lies in a bzImage, without debug information; Debian's 7.3 has 62 MB. */
#define VMLINUX_MAX (512u << 20)
#define SECTION	    ".BTF"
/* arch/x86/boot/compressed/Makefile, if_changed,xz_with_size: the length in front of which it ends.
 */
#define SIZE_BYTES 4

static void reader_release(struct archive **reader)
{
	archive_read_free(*reader);
}

#define READER __attribute__((cleanup(reader_release))) struct archive

static bool fail(GError **error, const char *path, const char *why)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
		    "the types of kernel '%s' are not to be had: %s", path, why);
	return false;
}

/*
 * Those that libarchive was built with and needs no other program for. LZO is none of them, and a
 * payload that is not compressed passes as it is.
 */
static bool reader_prepare(struct archive *reader)
{
	return archive_read_support_filter_zstd(reader) == ARCHIVE_OK &&
	       archive_read_support_filter_lz4(reader) == ARCHIVE_OK &&
	       archive_read_support_filter_gzip(reader) == ARCHIVE_OK &&
	       archive_read_support_filter_xz(reader) == ARCHIVE_OK &&
	       archive_read_support_filter_lzma(reader) == ARCHIVE_OK &&
	       archive_read_support_filter_bzip2(reader) == ARCHIVE_OK &&
	       archive_read_support_format_raw(reader) == ARCHIVE_OK;
}

static bool read_all(struct archive *reader, GByteArray *vmlinux)
{
	static const gsize step = 1 << 20;

	for (;;) {
		guint before = vmlinux->len;
		la_ssize_t n;

		if (before > VMLINUX_MAX)
			return false;
		g_byte_array_set_size(vmlinux, before + (guint)step);
		n = archive_read_data(reader, vmlinux->data + before, step);
		g_byte_array_set_size(vmlinux, before + (guint)MAX(n, 0));
		if (n <= 0)
			return n == 0;
	}
}

static bool unpack(const guint8 *data, gsize length, GByteArray *vmlinux)
{
	static const guint8 gzip[] = {0x1f, 0x8b};
	READER *reader = archive_read_new();
	struct archive_entry *entry;

	/* gzip's own last bytes are the size. */
	if (length > SIZE_BYTES && memcmp(data, gzip, sizeof(gzip)) != 0)
		length -= SIZE_BYTES;
	return reader_prepare(reader) &&
	       archive_read_open_memory(reader, data, length) == ARCHIVE_OK &&
	       archive_read_next_header(reader, &entry) == ARCHIVE_OK && read_all(reader, vmlinux);
}

static GBytes *section_bytes(Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);

	return data && data->d_buf && data->d_size ? g_bytes_new(data->d_buf, data->d_size) : NULL;
}

/* NULL: it is no ELF file, or has no such section. */
static GBytes *find_section(GByteArray *vmlinux, const char *name)
{
	Elf_Scn *section = NULL;
	GBytes *bytes = NULL;
	size_t names;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)vmlinux->data, vmlinux->len);
	if (!elf)
		return NULL;
	if (elf_kind(elf) == ELF_K_ELF && elf_getshdrstrndx(elf, &names) == 0)
		while (!bytes && (section = elf_nextscn(elf, section))) {
			GElf_Shdr header;

			if (gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
			    g_strcmp0(elf_strptr(elf, names, header.sh_name), name) == 0)
				bytes = section_bytes(section);
		}
	elf_end(elf);
	return bytes;
}

GBytes *bzimage_btf(const guint8 *data, gsize length, const char *path, GError **error)
{
	g_autoptr(GByteArray) vmlinux = g_byte_array_new();
	gsize offset, size;
	GBytes *btf;

	if (!bzimage_payload(data, length, &offset, &size)) {
		fail(error, path, "its header does not say where its vmlinux lies");
		return NULL;
	}
	if (!unpack(data + offset, size, vmlinux)) {
		fail(error, path, "its vmlinux cannot be unpacked");
		return NULL;
	}
	btf = find_section(vmlinux, SECTION);
	if (!btf)
		fail(error, path, "its vmlinux is no ELF file with a section " SECTION);
	return btf;
}

GBytes *kernel_btf(const char *path, GError **error)
{
	g_autoptr(GError) cause = NULL;
	g_autofree char *data = NULL;
	gsize length;

	if (g_file_get_contents(path, &data, &length, &cause))
		return bzimage_btf((const guint8 *)data, length, path, error);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "cannot read kernel '%s': %s", path,
		    cause->message);
	return NULL;
}
