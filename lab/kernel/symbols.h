/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel's vmlinux: what its addresses are called. By libdw. */
#ifndef KERNEL_SYMBOLS_H
#define KERNEL_SYMBOLS_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

struct symbols;

/* ERROR_INPUT: no ELF file with a symbol table. */
struct symbols *symbols_open(const char *vmlinux, GError **error);
void symbols_free(struct symbols *symbols);
AUTO_DEFINE(symbols, symbols_free)

/* "Linux version 6.12.117 (me@here) (gcc ...) #1 SMP ...", as it prints it; NULL: not found. */
const char *symbols_banner(const struct symbols *symbols);
/*
 * How far from its link addresses the kernel runs, by where the handler of exception 0 is: KASLR
 * moves all of it together, by a multiple of 2 MiB and less than 1 GiB. False: that address fits
 * no handler of this vmlinux.
 */
bool symbols_slide(const struct symbols *symbols, guint64 handler, guint64 *slide);

/* "native_halt+0xe" of a link address; NULL: none of its functions. Caller frees. */
char *symbols_name(const struct symbols *symbols, guint64 address);
/* "kernel/sched/core.c:1234"; NULL: without debug information. Caller frees. */
char *symbols_source(const struct symbols *symbols, guint64 address);

/*
 * The link address of "NAME+0xOFFSET/0xSIZE", which is how a kernel prints it. False: no function
 * has that name and length, or several have, as static ones may.
 */
bool symbols_address(const struct symbols *symbols, const char *name, guint64 offset, guint64 size,
		     guint64 *address);

/*
 * The vmlinux that lies where one of @image is to be expected: at the top of the tree that built
 * it, beside it, or where distributions put those of @release (/usr/lib/debug). NULL: none does.
 */
char *symbols_find(const char *image, const char *release);

#endif
