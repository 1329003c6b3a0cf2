/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel of some hundred bytes that behaves as a test wants it: a bzImage whose setup code, which
 * firmware starts in real mode, speaks on the serial ports and then stands still, resets, faults or
 * powers off. It costs no more than firmware's second and reads nothing it was given.
 *
 * Entry: Documentation/arch/x86/boot.rst, "Running the kernel": CS is 0x20 paragraphs above DS,
 * which is where the image's first byte lies. Opcodes: Intel SDM volume 2.
 */
#ifndef TESTS_STUB_KERNEL_H
#define TESTS_STUB_KERNEL_H

#include "../unit/test_kernel.h"

#define STUB_CONSOLE 0x3f8 /* COM1 */
#define STUB_CHANNEL 0x2f8 /* COM2, the agent's second choice */

enum {
	STUB_TRAMPOLINE = 0x270, /* behind the header that the loader writes to */
	STUB_TEXT = 0x440,	 /* behind test_image_new()'s release */
	STUB_DATA = 0x800,
	STUB_DATA_END = 0x9e00,	 /* from here on the loader's stack was seen in it (QEMU 10.0) */
	STUB_SETUP = 0x80 * 512, /* the most that setup_sects can say */
};

struct stub {
	guint8 *image;
	gsize length, text, data; /* the last two: where the next byte goes */
};

static inline void stub_code(struct stub *stub, const char *bytes, gsize n)
{
	g_assert_cmpuint(stub->text + n, <=, STUB_DATA);
	memcpy(stub->image + stub->text, bytes, n);
	stub->text += n;
}

static inline void stub_word(struct stub *stub, gsize word)
{
	stub_code(stub, (const char[]){(char)(word & 0xff), (char)(word >> 8 & 0xff)}, 2);
}

static inline gsize stub_put_data(struct stub *stub, const void *bytes, gsize n)
{
	gsize offset = stub->data;

	g_assert_cmpuint(offset + n, <=, STUB_DATA_END);
	memcpy(stub->image + offset, bytes, n);
	stub->data += n;
	return offset;
}

static inline struct stub stub_new(void)
{
	g_autofree guint8 *header = test_image_new();
	struct stub stub = {.length = STUB_SETUP + CODE, .text = STUB_TEXT, .data = STUB_DATA};

	stub.image = g_malloc0(stub.length);
	memcpy(stub.image, header, SETUP);
	stub.image[0x1f1] = STUB_SETUP / 512 - 1;
	/* jmp short to the trampoline, jmp near to the text. */
	test_put(stub.image, 0x200, "\xeb", 1);
	stub.image[0x201] = STUB_TRAMPOLINE - 0x202;
	stub.image[STUB_TRAMPOLINE] = 0xe9;
	stub.image[STUB_TRAMPOLINE + 1] = (STUB_TEXT - STUB_TRAMPOLINE - 3) & 0xff;
	stub.image[STUB_TRAMPOLINE + 2] = (STUB_TEXT - STUB_TRAMPOLINE - 3) >> 8;
	stub_code(&stub, "\xfa\xfc", 2); /* cli; cld */
	return stub;
}

static inline void stub_say_bytes(struct stub *stub, guint16 port, const void *bytes, gsize n)
{
	gsize offset = stub_put_data(stub, bytes, n);

	stub_code(stub, "\xbe", 1); /* mov si, offset */
	stub_word(stub, offset);
	stub_code(stub, "\xb9", 1); /* mov cx, n */
	stub_word(stub, n);
	stub_code(stub, "\xba", 1); /* next: mov dx, line status */
	stub_word(stub, port + 5u);
	stub_code(stub, "\xec\xa8\x20\x74\xfb\xba",
		  6);				/* wait: in al, dx; test al, 0x20; jz wait */
	stub_word(stub, port);			/* mov dx, port */
	stub_code(stub, "\xac\xee\xe2\xf1", 4); /* lodsb; out dx, al; loop next */
}

static inline void stub_say(struct stub *stub, guint16 port, const char *text)
{
	stub_say_bytes(stub, port, text, strlen(text));
}

/* What follows may be any of these; the last of them is the kernel's end. */

static inline void stub_halt(struct stub *stub)
{
	stub_code(stub, "\xfa\xf4\xeb\xfd", 4); /* cli; hlt; jmp to the hlt */
}

static inline void stub_spin(struct stub *stub)
{
	stub_code(stub, "\xeb\xfe", 2);
}

/* Every few milliseconds a dot on the console, without end. */
static inline void stub_dots(struct stub *stub)
{
	/* next: mov dx, COM1; mov al, '.'; out dx, al; mov ecx, 0x400000; wait: loopd wait */
	stub_code(stub, "\xba\xf8\x03\xb0\x2e\xee\x66\xb9\x00\x00\x40\x00\x67\xe2\xfd\xeb\xef", 17);
}

static inline void stub_triple_fault(struct stub *stub)
{
	static const char no_table[6];
	gsize offset = stub_put_data(stub, no_table, sizeof(no_table));

	stub_code(stub, "\x0f\x01\x1e", 3); /* lidt [offset]; int3 */
	stub_word(stub, offset);
	stub_code(stub, "\xcc", 1);
}

static inline void stub_reset(struct stub *stub)
{
	/* ICH9 datasheet, reset control register: mov dx, 0xcf9; mov al, 6; out dx, al */
	stub_code(stub, "\xba\xf9\x0c\xb0\x06\xee", 6);
	stub_halt(stub);
}

static inline void stub_poweroff(struct stub *stub)
{
	/* ACPI, PM1 control at 0x600 + 4: sleep type 0 is S5 in QEMU: mov dx; mov ax; out dx, ax */
	stub_code(stub, "\xba\x04\x06\xb8\x00\x20\xef", 7);
	stub_halt(stub);
}

static inline void stub_write(struct stub *stub, const char *path)
{
	g_assert_true(g_file_set_contents(path, (char *)stub->image, (gssize)stub->length, NULL));
	g_clear_pointer(&stub->image, g_free);
}

#endif
