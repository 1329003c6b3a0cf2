/* SPDX-License-Identifier: GPL-2.0-only */
/* The devices by which a running guest speaks, from its live domain XML. */
#ifndef VM_DEVICE_H
#define VM_DEVICE_H

#include "base/auto.h"

#include <glib.h>

enum device_kind { DEVICE_SERIAL, DEVICE_CHANNEL };

struct device {
	enum device_kind kind;
	char *name;   /* what libvirt opens it by: a serial port's alias, a channel's target name */
	char *socket; /* path of its Unix socket; NULL: it has none */
};

/* Serial port @port; NULL when the guest has none. */
struct device *device_find_serial(const char *xml, unsigned port);
/* The virtio-serial port of that name; NULL when the guest has none. */
struct device *device_find_channel(const char *xml, const char *name);
void device_free(struct device *device);
AUTO_DEFINE(device, device_free)

#endif
