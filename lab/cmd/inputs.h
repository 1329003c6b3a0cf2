/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine and a kernel for it, as the commands take them that look at one of each. */
#ifndef CMD_INPUTS_H
#define CMD_INPUTS_H

#include "kernel/kernel.h"
#include "topo/topo.h"

#include <glib.h>
#include <stdbool.h>

struct inputs_settings {
	const char *kernel; /* NULL: KERNEL_DEFAULT */
	bool offline;
	bool no_build;
};

enum { INPUTS_KEY_KERNEL = 'k', INPUTS_KEY_OFFLINE = 0x1000, INPUTS_KEY_NO_BUILD };

/* Rows of a command's options, and what takes their values; false for a key of somebody else. */
#define INPUTS_OPTIONS                                                                             \
	{.name = "kernel",                                                                         \
	 .key = INPUTS_KEY_KERNEL,                                                                 \
	 .arg = "K",                                                                               \
	 .doc = "For this kernel, a name from kernels/, a bzImage or a tree by path "              \
		"(default " KERNEL_DEFAULT ")"},                                                   \
		{.name = "no-build",                                                               \
		 .key = INPUTS_KEY_NO_BUILD,                                                       \
		 .doc = "Of a kernel's tree take the bzImage that is there"},                      \
	{                                                                                          \
		.name = "offline", .key = INPUTS_KEY_OFFLINE,                                      \
		.doc = "Fetch nothing: the kernel comes from the cache"                            \
	}
bool inputs_option(int key, const char *value, struct inputs_settings *settings);

struct inputs {
	struct topo *topo;
	struct kernel *kernel;
};

/* The machine alone: a name on $TOPOLAB_PATH or a file. */
struct topo *inputs_topology(const char *which, GError **error);
/* What has to be fetched is said on stderr. */
struct inputs *inputs_load(const char *topology, const struct inputs_settings *settings,
			   GError **error);
void inputs_free(struct inputs *inputs);
AUTO_DEFINE(inputs, inputs_free)

#endif
