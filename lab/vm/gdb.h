/* SPDX-License-Identifier: GPL-2.0-only */
/* QEMU's gdbstub, for a guest that is frozen until gdb lets it run. */
#ifndef VM_GDB_H
#define VM_GDB_H

#include <glib.h>
#include <libvirt/libvirt.h>
#include <stdbool.h>

/*
 * Makes QEMU listen on @port of 127.0.0.1, or, when it is 0, on the socket VM_GDB_SOCKET in @root.
 * The listening socket is ours: QEMU, another user maybe, gets its descriptor.
 */
bool gdb_listen(virDomainPtr domain, const char *root, unsigned port, GError **error);

#endif
