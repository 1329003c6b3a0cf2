/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a guest sends on one device, taken by the worker without ever blocking. A device whose Unix
 * socket lies on this host is read directly: what QEMU had written can still be read when it is
 * gone. Anything else goes through a libvirt stream, which libvirt closes together with the guest.
 */
#ifndef VM_FEED_H
#define VM_FEED_H

#include "vm/device.h"

#include <glib.h>
#include <libvirt/libvirt.h>
#include <stdbool.h>

/* A file that must not grow beyond a bound. */
struct output {
	char *path;
	int fd;
	guint64 bytes, limit;
};

bool output_open(struct output *output, const char *folder, const char *name, guint64 limit,
		 GError **error);
/* Everything up to the bound is written. */
enum output_result {
	OUTPUT_WRITTEN,
	OUTPUT_FULL,   /* the bound was passed */
	OUTPUT_FAILED, /* errno says why */
};
enum output_result output_append(struct output *output, const guint8 *data, gsize length);
void output_close(struct output *output);

struct feed;

/* @data is called from the default main context. */
struct feed *feed_open(virConnectPtr connection, virDomainPtr domain, const struct device *device,
		       void (*data)(struct feed *, const guint8 *, gsize, void *), void *user,
		       GError **error);
/* Takes what is left once the guest is gone; at most for @limit_usec. */
void feed_drain(struct feed *feed, gint64 limit_usec);
/* Types a key; false: it was not taken. */
bool feed_send(struct feed *feed, char key);
void feed_close(struct feed *feed); /* takes NULL */

#endif
