/* SPDX-License-Identifier: GPL-2.0-only */
/* The types of a kernel, as it describes them to BPF programs (Documentation/bpf/btf.rst). */
#ifndef KERNEL_BTF_H
#define KERNEL_BTF_H

#include <glib.h>

/*
 * The section .BTF of the vmlinux that the bzImage @path holds: what a guest has in
 * /sys/kernel/btf/vmlinux. ERROR_UNSUPPORTED: it holds none, or is packed in a way that we do not
 * know; ERROR_INPUT: it cannot be read.
 */
GBytes *kernel_btf(const char *path, GError **error);
/* The same, of that file's bytes. Pure; @path is only for messages. */
GBytes *bzimage_btf(const guint8 *data, gsize length, const char *path, GError **error);

#endif
