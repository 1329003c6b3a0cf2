/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QEMU's monitor, through libvirt. Each call waits for QEMU, for ever if that is wedged. When one
 * fails, @problem receives a sentence that the caller frees.
 */
#ifndef VM_MONITOR_H
#define VM_MONITOR_H

#include <libvirt/libvirt.h>
#include <stdbool.h>

/* The answer to a command for people, "info registers -a"; NULL: none. Caller frees. */
char *monitor_ask(virDomainPtr domain, const char *command, char **problem);
/* A command of QMP, as JSON, whose answer is of no interest. */
bool monitor_execute(virDomainPtr domain, const char *command, char **problem);
/* QEMU knows our descriptor by @name until a command takes it; it has no quotes in it. */
bool monitor_lend(virDomainPtr domain, const char *name, int fd, char **problem);

#endif
