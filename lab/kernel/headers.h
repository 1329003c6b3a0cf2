/* SPDX-License-Identifier: GPL-2.0-only */
/* What a tree of Linux sources gives to programs. */
#ifndef KERNEL_HEADERS_H
#define KERNEL_HEADERS_H

#include "kernel/kernel.h"

#include <glib.h>

/*
 * The folder of the headers that @tree has for programs, as `make headers` leaves them; made, or
 * made anew where the tree changed, among its objects: in the cache, or in a tree that is built in
 * place, where git ignores them. NULL: errors are kbuild_open()'s and kbuild_target()'s. Caller
 * frees.
 */
char *kernel_headers(const char *tree, const struct kernel_options *options, GError **error);

/* "6.12" of the tree's Makefile; NULL: it says nothing such. Caller frees. */
char *kernel_tree_series(const char *tree);
/* The same, of that file's text. Pure. */
char *kernel_makefile_series(const char *makefile);

#endif
