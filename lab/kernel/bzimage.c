// SPDX-License-Identifier: GPL-2.0-only
/* The header of an x86 kernel image; offsets are those of Documentation/arch/x86/boot.rst. */
#include "kernel/kernel.h"

#include "base/error.h"

#include <string.h>

enum {
	SETUP_SECTS = 0x1f1,	/* u8: sectors of setup code behind the first one; 0 means 4 */
	SYSSIZE = 0x1f4,	/* u32: protected-mode code, in paragraphs of 16 bytes */
	BOOT_FLAG = 0x1fe,	/* u16: 0xaa55 */
	HEADER = 0x202,		/* "HdrS" */
	VERSION = 0x206,	/* u16: protocol version, 0x020c is 2.12 */
	KERNEL_VERSION = 0x20e, /* u16: the release string's place, counted from 0x200 */
	XLOADFLAGS = 0x236,	/* u16: since 2.12 */
	HEADER_END = 0x238,
	PAYLOAD_OFFSET = 0x248, /* u32: the compressed vmlinux, in the protected-mode code */
	PAYLOAD_LENGTH = 0x24c, /* u32 */
	PAYLOAD_END = 0x250,
	SECTOR = 512,
	PARAGRAPH = 16,
};

#define XLF_KERNEL_64	 0x0001
#define PROTOCOL_MINIMUM 0x020c /* Linux 3.8: the first with xloadflags */
#define RELEASE_MAX	 128	/* uname's fields hold 64 */

/* What people hand over instead. @text follows "is". */
static const struct magic {
	unsigned offset, length;
	const char *bytes, *text;
} magics[] = {
	{0, 4, "\177ELF", "an ELF file (a vmlinux?), not the bzImage that is made from it"},
	{0x38, 4, "ARM\x64", "for arm64, and topolab runs x86-64 kernels"},
	{0x38, 4, "RSC\x05", "for RISC-V, and topolab runs x86-64 kernels"},
	{0x24, 4, "\x18\x28\x6f\x01", "for 32-bit Arm, and topolab runs x86-64 kernels"},
	{4, 4, "zimg", "an EFI zboot image, which x86 does not use"},
	{0, 2, "\x1f\x8b", "gzip data, not a bzImage"},
	{0, 6, "\xfd\x37zXZ\0", "xz data, not a bzImage"},
	{0, 4, "\x28\xb5\x2f\xfd", "zstd data, not a bzImage"},
	{0, 8, "!<arch>\n", "an archive (a Debian package?), not a bzImage"},
};

static guint16 read16(const guint8 *data, gsize offset)
{
	return (guint16)(data[offset] | data[offset + 1] << 8);
}

static guint32 read32(const guint8 *data, gsize offset)
{
	return read16(data, offset) | (guint32)read16(data, offset + 2) << 16;
}

static bool is_bzimage(const guint8 *data, gsize length)
{
	return length >= HEADER_END && memcmp(data + HEADER, "HdrS", 4) == 0 &&
	       read16(data, BOOT_FLAG) == 0xaa55;
}

static void set_foreign_error(const guint8 *data, gsize length, const char *path, GError **error)
{
	if (length == 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "kernel '%s' is empty", path);
		return;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(magics); i++) {
		const struct magic *magic = &magics[i];

		if (length < magic->offset + magic->length ||
		    memcmp(data + magic->offset, magic->bytes, magic->length) != 0)
			continue;
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "kernel '%s' is %s", path,
			    magic->text);
		return;
	}
	if (length < HEADER_END)
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "kernel '%s' is not a bzImage: its %" G_GSIZE_FORMAT
			    " bytes are fewer than the %u of a boot header",
			    path, length, HEADER_END);
	else
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "kernel '%s' is not a bzImage: it has no x86 boot header ('HdrS' at "
			    "0x202)",
			    path);
}

static gsize setup_length(const guint8 *data)
{
	return (1 + (gsize)(data[SETUP_SECTS] ? data[SETUP_SECTS] : 4)) * SECTOR;
}

/* Anything behind the code (a signature, padding) is allowed. */
static bool check_length(const guint8 *data, gsize length, gsize setup, const char *path,
			 GError **error)
{
	guint64 code = (guint64)read32(data, SYSSIZE) * PARAGRAPH;

	if (code == 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "kernel '%s' is damaged: its header says that it holds no code", path);
		return false;
	}
	if (length < setup + code) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "kernel '%s' is truncated: it has %" G_GSIZE_FORMAT
			    " bytes, its header says %" G_GUINT64_FORMAT,
			    path, length, setup + code);
		return false;
	}
	return true;
}

static bool check_protocol(const guint8 *data, const char *path, GError **error)
{
	unsigned version = read16(data, VERSION);

	if (version < PROTOCOL_MINIMUM) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "kernel '%s' speaks boot protocol %u.%02u, and topolab needs 2.12 "
			    "(Linux 3.8) or newer",
			    path, version >> 8, version & 0xff);
		return false;
	}
	if (!(read16(data, XLOADFLAGS) & XLF_KERNEL_64)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "kernel '%s' is a 32-bit x86 kernel, and topolab runs x86-64 kernels",
			    path);
		return false;
	}
	return true;
}

/* "6.12.117+deb12-cloud-amd64 (builder@host) #1 SMP ...": the first word. NULL when malformed. */
static char *read_release(const guint8 *data, gsize setup)
{
	gsize start = 0x200 + (gsize)read16(data, KERNEL_VERSION), end = start;

	if (start == 0x200)
		return NULL;
	while (end < setup && end - start <= RELEASE_MAX && data[end] > ' ' && data[end] < 0x7f)
		end++;
	if (end >= setup || end == start || (data[end] != ' ' && data[end] != '\0'))
		return NULL;
	return g_strndup((const char *)data + start, end - start);
}

struct kernel_facts *bzimage_facts(const guint8 *data, gsize length, const char *path,
				   GError **error)
{
	g_autofree char *release = NULL;
	g_autoptr(GError) cause = NULL;
	struct kernel_facts *facts = NULL;
	gsize setup;

	if (!is_bzimage(data, length)) {
		set_foreign_error(data, length, path, error);
		return NULL;
	}
	setup = setup_length(data);
	if (!check_protocol(data, path, error) || !check_length(data, length, setup, path, error))
		return NULL;
	release = read_release(data, setup);
	if (release)
		facts = kernel_facts_new(release, &cause);
	if (!facts)
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "kernel '%s' is damaged: its header names no release such as 6.12.117",
			    path);
	return facts;
}

bool bzimage_payload(const guint8 *data, gsize length, gsize *offset, gsize *size)
{
	if (length < PAYLOAD_END || !is_bzimage(data, length))
		return false;
	*offset = setup_length(data) + read32(data, PAYLOAD_OFFSET);
	*size = read32(data, PAYLOAD_LENGTH);
	return *size > 0 && *offset < length && *size <= length - *offset;
}
