/* SPDX-License-Identifier: GPL-2.0-only */
/* A worker's way to libvirt. */
#ifndef VM_CONNECT_H
#define VM_CONNECT_H

#include "vm/message.h"

#include <glib.h>
#include <libvirt/libvirt.h>
#include <stdbool.h>

/* Before anything else of libvirt's: it writes to stderr and below the home folder otherwise. */
bool connect_init(const struct worker_job *job, GError **error);
/* The root's own embedded driver, or what the job's URI names. */
virConnectPtr connect_open(const struct worker_job *job, GError **error);
/* MESSAGE_CONNECTED with the versions; caller frees. */
struct message *connect_report(virConnectPtr connection);

/* "libvirt cannot WHAT: " and why. ERROR_LAB. */
void connect_set_error(GError **error, const char *what);

#endif
