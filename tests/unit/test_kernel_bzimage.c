// SPDX-License-Identifier: GPL-2.0-only
/*
 * bzImage headers made by hand (test_kernel.h). Magic numbers of other files are those of
 * Documentation/arch/arm64/booting.rst, Documentation/arch/riscv/boot-image-header.rst, RFC 1952
 * (gzip) and the ELF specification.
 */
#include "kernel/kernel.h"

#include "test_kernel.h"

#include "base/error.h"
#include "base/paths.h"

#include <string.h>

static void assert_release(const guint8 *image, gsize length)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel_facts) *facts = bzimage_facts(image, length, "k", &error);

	g_assert_no_error(error);
	if (!facts)
		return;
	g_assert_cmpstr(kernel_facts_release(facts), ==, RELEASE);
	g_assert_cmpuint(kernel_facts_version(facts), ==, KERNEL_VERSION_OF(6, 12, 117));
	g_assert_false(kernel_facts_config_known(facts));
}

static void assert_refused(const guint8 *image, gsize length, const char *message)
{
	/* Exactly as long as said, so that a sanitizer sees a read beyond. */
	g_autofree guint8 *exact = g_memdup2(image, length);
	g_autoptr(GError) error = NULL;
	AUTO(kernel_facts) *facts = bzimage_facts(exact, length, "k", &error);

	g_assert_null(facts);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_cmpstr(error ? error->message : NULL, ==, message);
}

static void test_good(void)
{
	g_autofree guint8 *image = test_image_new();

	assert_release(image, LENGTH);
	/* A signature or padding behind the code. */
	assert_release(image, LENGTH + 512);
	/* "If this field contains 0, the real value is 4." */
	image[0x1f1] = 0;
	assert_release(image, LENGTH);
	/* The first protocol with xloadflags. */
	image[0x206] = 0x0c;
	assert_release(image, LENGTH);
}

static void test_truncated(void)
{
	g_autofree guint8 *image = test_image_new();

	assert_refused(image, LENGTH - 1,
		       "kernel 'k' is truncated: it has 6655 bytes, its header says 6656");
	assert_refused(image, SETUP,
		       "kernel 'k' is truncated: it has 2560 bytes, its header says 6656");
	assert_refused(image, 0x238,
		       "kernel 'k' is truncated: it has 568 bytes, its header says 6656");
	assert_refused(image, 0x237,
		       "kernel 'k' is not a bzImage: its 567 bytes are fewer than the 568 of a "
		       "boot header");
	assert_refused(image, 0, "kernel 'k' is empty");
	/* syssize is 32 bits wide: 0xffffffff * 16 bytes must not overflow. */
	test_put(image, 0x1f4, "\xff\xff\xff\xff", 4);
	assert_refused(image, LENGTH,
		       "kernel 'k' is truncated: it has 6656 bytes, its header says 68719479280");
	test_put(image, 0x1f4, "\0\0\0\0", 4);
	assert_refused(image, LENGTH,
		       "kernel 'k' is damaged: its header says that it holds no code");
}

static void test_foreign_architecture(void)
{
	g_autofree guint8 *image = test_image_new();
	g_autofree guint8 *other = g_malloc0(4096);

	image[0x236] = 0x3e; /* bit 0 is XLF_KERNEL_64 */
	assert_refused(image, LENGTH,
		       "kernel 'k' is a 32-bit x86 kernel, and topolab runs x86-64 kernels");
	test_put(image, 0x206, "\x0b\x02", 2);
	assert_refused(image, LENGTH,
		       "kernel 'k' speaks boot protocol 2.11, and topolab needs 2.12 (Linux 3.8) "
		       "or newer");
	test_put(other, 0, "MZ", 2);
	test_put(other, 56, "ARM\x64", 4);
	assert_refused(other, 4096, "kernel 'k' is for arm64, and topolab runs x86-64 kernels");
	test_put(other, 56, "RSC\x05", 4);
	assert_refused(other, 4096, "kernel 'k' is for RISC-V, and topolab runs x86-64 kernels");
}

static void test_not_a_kernel(void)
{
	g_autofree guint8 *other = g_malloc0(4096);

	assert_refused(other, 4096,
		       "kernel 'k' is not a bzImage: it has no x86 boot header ('HdrS' at 0x202)");
	test_put(other, 0,
		 "\x7f"
		 "ELF",
		 4);
	assert_refused(
		other, 4096,
		"kernel 'k' is an ELF file (a vmlinux?), not the bzImage that is made from it");
	test_put(other, 0, "\x1f\x8b\x08\x00", 4);
	assert_refused(other, 4096, "kernel 'k' is gzip data, not a bzImage");
	assert_refused(other, 3, "kernel 'k' is gzip data, not a bzImage");
	test_put(other, 0, "!<arch>\n", 8);
	assert_refused(other, 4096, "kernel 'k' is an archive (a Debian package?), not a bzImage");
	test_put(other, 0, "text", 4);
	assert_refused(other, 4,
		       "kernel 'k' is not a bzImage: its 4 bytes are fewer than the 568 of a boot "
		       "header");
}

static void test_boot_flag(void)
{
	g_autofree guint8 *image = test_image_new();

	image[0x1ff] = 0;
	assert_refused(image, LENGTH,
		       "kernel 'k' is not a bzImage: it has no x86 boot header ('HdrS' at 0x202)");
}

static void test_release(void)
{
	static const char message[] =
		"kernel 'k' is damaged: its header names no release such as 6.12.117";
	g_autofree guint8 *image = test_image_new();

	test_put(image, 0x20e, "\0\0", 2);
	assert_refused(image, LENGTH, message);
	test_put(image, 0x20e, "\xff\xff", 2); /* beyond the file */
	assert_refused(image, LENGTH, message);
	test_put(image, 0x20e, "\x00\x0f", 2); /* beyond the setup code */
	assert_refused(image, LENGTH, message);
	test_put(image, 0x20e, "\x00\x02", 2);
	test_put(image, 0x400, "Linux", 6);
	assert_refused(image, LENGTH, message);
	test_put(image, 0x400, "6.12\n", 6);
	assert_refused(image, LENGTH, message);
	memset(image + 0x400, '6', SETUP - 0x400); /* no end */
	assert_refused(image, LENGTH, message);
}

/* The kernels that earlier runs fetched; their releases are parts of their packages' names. */
static void test_fetched(void)
{
	g_autofree char *folder = paths_cache("kernels", NULL);
	g_autoptr(GDir) dir = folder ? g_dir_open(folder, 0, NULL) : NULL;
	const char *entry;
	unsigned seen = 0;

	while (dir && (entry = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, entry, "vmlinuz", NULL);
		g_autofree char *data = NULL;
		g_autoptr(GError) error = NULL;
		AUTO(kernel_facts) *facts = NULL;
		gsize length;

		if (!g_str_has_prefix(entry, "linux-") ||
		    !g_file_get_contents(path, &data, &length, NULL))
			continue;
		facts = bzimage_facts((guint8 *)data, length, path, &error);
		g_assert_no_error(error);
		g_assert_nonnull(facts);
		if (facts)
			g_assert_nonnull(strstr(entry, kernel_facts_release(facts)));
		seen++;
	}
	if (!seen)
		g_test_skip("no kernel has been fetched yet");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/bzimage/good", test_good);
	g_test_add_func("/bzimage/truncated", test_truncated);
	g_test_add_func("/bzimage/foreign-architecture", test_foreign_architecture);
	g_test_add_func("/bzimage/not-a-kernel", test_not_a_kernel);
	g_test_add_func("/bzimage/boot-flag", test_boot_flag);
	g_test_add_func("/bzimage/release", test_release);
	g_test_add_func("/bzimage/fetched", test_fetched);
	return g_test_run();
}
