/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bzImage made by hand. Offsets and meanings are typed from the tables of
 * Documentation/arch/x86/boot.rst ("The Real-Mode Kernel Header").
 */
#ifndef TESTS_TEST_KERNEL_H
#define TESTS_TEST_KERNEL_H

#include <glib.h>
#include <string.h>

#define RELEASE "6.12.117+deb12-cloud-amd64"
#define SETUP	(5 * 512) /* the boot sector and 4 sectors of setup code */
#define CODE	4096
#define LENGTH	(SETUP + CODE)

static inline void test_put(guint8 *image, gsize offset, const char *bytes, gsize n)
{
	memcpy(image + offset, bytes, n);
}

/* A small, right image of protocol 2.15, as Linux since 5.8 has it. */
static inline guint8 *test_image_new(void)
{
	guint8 *image = g_malloc0(LENGTH + 512);

	test_put(image, 0x1f1, "\x04", 1);	       /* setup_sects */
	test_put(image, 0x1f4, "\x00\x01\x00\x00", 4); /* syssize: 0x100 paragraphs of 16 bytes */
	test_put(image, 0x1fe, "\x55\xaa", 2);	       /* boot_flag */
	test_put(image, 0x202, "HdrS", 4);	       /* header */
	test_put(image, 0x206, "\x0f\x02", 2);	       /* version 2.15 */
	test_put(image, 0x20e, "\x00\x02", 2);	       /* kernel_version: 0x400 less 0x200 */
	test_put(image, 0x236, "\x3f\x00", 2);	       /* xloadflags: XLF_KERNEL_64 and others */
	test_put(image, 0x400, RELEASE " (a@b) #1 SMP", 40); /* up to and with the NUL */
	return image;
}

#endif
