/* SPDX-License-Identifier: GPL-2.0-only */
/* The way out of the guest, and the records that base/records.h describes. */
#ifndef GUEST_CHANNEL_H
#define GUEST_CHANNEL_H

#include <stddef.h>

struct channel {
	int fd;
	const char *name; /* "virtio", "serial", "stdout" */
};

/* The virtio-serial port "topolab.0" when the kernel can drive it, else ttyS1. 0, or -1. */
int channel_open(struct channel *channel);
void channel_hello(struct channel *channel);
void channel_blob(struct channel *channel, const char *name, const void *data, size_t length);
/* @text: why the evidence is missing; one line of plain ASCII. */
void channel_error(struct channel *channel, const char *text);
/* A record: one line of JSON without its newline. */
void channel_line(struct channel *channel, const char *json);
/* Says "bye" and returns when the host has everything. */
void channel_close(struct channel *channel);

#endif
