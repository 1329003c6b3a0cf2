// SPDX-License-Identifier: GPL-2.0-only
/* Which programs a guest without libraries can run: ELF files by hand, offsets as elf(5) has them.
 */
#include "run/scheduler.h"

#include "base/error.h"

#include <glib.h>
#include <string.h>

#define HEADER	64
#define SEGMENT 56
#define LENGTH	(HEADER + 2 * SEGMENT)

/* An x86-64 program with two segments of type 1, PT_LOAD. */
static void elf_make(guint8 *elf)
{
	memset(elf, 0, LENGTH);
	memcpy(elf,
	       "\x7f"
	       "ELF\x02\x01\x01",
	       7);	   /* 64 bits, little endian, version 1 */
	elf[16] = 2;	   /* e_type: ET_EXEC */
	elf[18] = 62;	   /* e_machine: EM_X86_64 */
	elf[32] = HEADER;  /* e_phoff */
	elf[54] = SEGMENT; /* e_phentsize */
	elf[56] = 2;	   /* e_phnum */
	elf[HEADER] = 1;
	elf[HEADER + SEGMENT] = 1;
}

static void assert_refused(const guint8 *elf, gsize length, const char *why)
{
	g_autoptr(GError) error = NULL;

	g_assert_false(scheduler_check(elf, length, "./scx_mine", &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_nonnull(
		strstr(error->message, "the scheduler './scx_mine' cannot run in a guest: "));
	if (!strstr(error->message, why))
		g_test_fail_printf("'%s' does not say '%s'", error->message, why);
}

static void test_check(void)
{
	guint8 elf[LENGTH];
	g_autoptr(GError) error = NULL;

	elf_make(elf);
	g_assert_true(scheduler_check(elf, LENGTH, "s", &error));
	g_assert_no_error(error);
	elf[16] = 3; /* ET_DYN: -static-pie */
	g_assert_true(scheduler_check(elf, LENGTH, "s", NULL));
	elf[HEADER + SEGMENT] = 3; /* PT_INTERP */
	assert_refused(elf, LENGTH, "it needs shared libraries and their loader");
	elf_make(elf);
	elf[18] = 183; /* EM_AARCH64 */
	assert_refused(elf, LENGTH, "it is no ELF program for x86-64");
	elf_make(elf);
	elf[16] = 1; /* ET_REL */
	assert_refused(elf, LENGTH, "it is no ELF program for x86-64");
	assert_refused((const guint8 *)"#!/bin/sh\n", 10, "it is no ELF program");
	assert_refused(elf, 0, "it is no ELF program");
}

/* No header leads outside of the file. */
static void test_bounds(void)
{
	guint8 elf[LENGTH];

	elf_make(elf);
	assert_refused(elf, LENGTH - 1, "its program headers lie outside of it");
	elf[39] = 0xff; /* e_phoff's highest byte */
	assert_refused(elf, LENGTH, "its program headers lie outside of it");
	elf_make(elf);
	elf[56] = 3;
	assert_refused(elf, LENGTH, "its program headers lie outside of it");
	elf_make(elf);
	elf[54] = 1;
	assert_refused(elf, LENGTH, "its program headers lie outside of it");
}

static void test_load(void)
{
	g_autoptr(GError) missing = NULL, loader = NULL;

	g_assert_null(scheduler_load("/nonexistent/scx", &missing));
	g_assert_error(missing, TOPOLAB_ERROR, ERROR_INPUT);
	/* This very program is linked with libraries. */
	g_assert_null(scheduler_load("/proc/self/exe", &loader));
	g_assert_error(loader, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_nonnull(strstr(loader->message, "link it with -static"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/scheduler/check", test_check);
	g_test_add_func("/scheduler/bounds", test_bounds);
	g_test_add_func("/scheduler/load", test_load);
	return g_test_run();
}
