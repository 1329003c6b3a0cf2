/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine that topolab itself runs on. */
#ifndef BASE_HOST_H
#define BASE_HOST_H

#include "base/root.h"

/* topolab is for Linux on x86-64. @system and @machine: as uname(2) has them. */
bool host_check_system(const char *system, const char *machine, GError **error);
/*
 * Are /proc, /sys and /dev there, which a chroot or a container may lack? QEMU and libvirt need all
 * three, and libvirt without /sys only says that something went wrong. @root: "/". ERROR_LAB.
 */
bool host_check_mounts(struct root *root, GError **error);

/* The first CPU's model name in /proc/cpuinfo, or "unknown CPU". @root: "/". Caller frees. */
char *host_cpu_model(struct root *root);
/*
 * How fast the TSC counts, in kHz, rounded to MHz so that two measurements agree; takes 20 ms. 0:
 * its speed may change. @root: "/".
 */
unsigned host_tsc_khz(struct root *root);
/*
 * Bytes of memory that a process can still get: what the kernel calls available, or what is left of
 * this process's memory control groups (version 2) where that is less. 0: unknown.
 */
guint64 host_memory_available(struct root *root);

#endif
