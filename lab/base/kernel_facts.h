/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known about a kernel: read from its image, its config and the running guest, never
 * assumed. It lies in base/ so that expect/ need not know where kernels come from.
 */
#ifndef BASE_KERNEL_FACTS_H
#define BASE_KERNEL_FACTS_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

/* 6.12.117 -> KERNEL_VERSION_OF(6, 12, 117); patch levels stay below 1024 (6.1.192 is usual). */
#define KERNEL_VERSION_OF(major, minor, patch)                                                     \
	((unsigned)(major) << 20 | (unsigned)(minor) << 10 | (unsigned)(patch))

struct kernel_facts;

/*
 * @release: as uname -r prints it, "6.12.117+deb12-cloud-amd64". ERROR_LAB when it has no version.
 */
struct kernel_facts *kernel_facts_new(const char *release, GError **error);
struct kernel_facts *kernel_facts_ref(struct kernel_facts *facts);
void kernel_facts_unref(struct kernel_facts *facts);
AUTO_DEFINE(kernel_facts, kernel_facts_unref)

/*
 * Reads a config file's text ("CONFIG_SCHED_MC=y", "# CONFIG_X is not set"). Until this was called
 * the config is unknown and kernel_facts_config() answers NULL for every symbol.
 */
void kernel_facts_set_config(struct kernel_facts *facts, const char *config_text);

const char *kernel_facts_release(const struct kernel_facts *facts);
unsigned kernel_facts_version(const struct kernel_facts *facts); /* KERNEL_VERSION_OF() */
bool kernel_facts_config_known(const struct kernel_facts *facts);
/*
 * @symbol without CONFIG_: "y", "m", a number or a quoted string; "n" when not set; NULL unknown.
 */
const char *kernel_facts_config(const struct kernel_facts *facts, const char *symbol);
/*
 * An excerpt that kernel_facts_set_config() reads back: the symbols that topology code depends on;
 * any other is then unknown. NULL while the config is unknown. Caller frees.
 */
char *kernel_facts_config_text(const struct kernel_facts *facts);
/*
 * Is it built in, or unknown? Debian, every distribution and our fragment set what rules ask for.
 */
bool kernel_facts_builtin(const struct kernel_facts *facts, const char *symbol);

#endif
