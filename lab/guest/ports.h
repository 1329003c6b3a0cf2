/* SPDX-License-Identifier: GPL-2.0-only */
/* The devices that lead out of the guest. */
#ifndef GUEST_PORTS_H
#define GUEST_PORTS_H

/*
 * The virtio-serial port of that name, when the kernel can drive it; -1. @mode: of open(2). No host
 * need have opened the other end yet.
 */
int port_open(const char *name, int mode);
/* The second serial port, ttyS1, raw; -1 when the machine or the kernel has none. */
int serial_open(int mode);

#endif
