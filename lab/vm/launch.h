/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VM_LAUNCH_H
#define VM_LAUNCH_H

#include "vm/vm.h"

#include <sys/types.h>

/*
 * Starts a worker with its job. @reports_fd: the end where its reports come out, which does not
 * block and is the caller's to close. 0 on failure.
 */
pid_t launch_worker(const struct vm_spec *spec, int *reports_fd, GError **error);

#endif
