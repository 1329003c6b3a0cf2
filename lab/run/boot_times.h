/* SPDX-License-Identifier: GPL-2.0-only */
/* How long jobs take, as far as it was recorded: topologies/boot-times.txt, which says how. */
#ifndef RUN_BOOT_TIMES_H
#define RUN_BOOT_TIMES_H

#include "base/auto.h"

#include <glib.h>

struct boot_times;

/*
 * Pure. A line is "MACHINE SECONDS", blank, or begins with '#'. @file is for messages; an error is
 * ERROR_INPUT, "file:line: sentence".
 */
struct boot_times *boot_times_parse(const char *text, const char *file, GError **error);
/* The file that ships with topolab. */
struct boot_times *boot_times_load(GError **error);
void boot_times_free(struct boot_times *times);
AUTO_DEFINE(boot_times, boot_times_free)

/* Seconds for the machine @name with @cpus CPUs; what was not recorded follows from the latter. */
double boot_times_seconds(const struct boot_times *times, const char *name, unsigned cpus);

#endif
