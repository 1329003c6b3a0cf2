/* SPDX-License-Identifier: GPL-2.0-only */
/* The agent of a guest that stays up: runs the commands that the host sends. */
#ifndef GUEST_SERVE_H
#define GUEST_SERVE_H

/* Was the guest made to stay? */
int serve_is_wanted(void);
/*
 * The port for commands, beside the evidence's @channel ("virtio" or "serial"); -1: none. A serial
 * port is opened again while it is still open, so that nothing the host sends early is lost.
 */
int serve_open(const char *channel);
/* Does not return unless the host breaks the protocol. */
void serve(int fd);

#endif
