/* SPDX-License-Identifier: GPL-2.0-only */
/* A config for a tree that has none: tinyconfig, and kernels/lab.config on top of it. */
#ifndef KERNEL_KCONFIG_H
#define KERNEL_KCONFIG_H

#include "kernel/kbuild.h"

/*
 * Makes the config in the folder of the objects, unless it was made there with this fragment
 * before. ERROR_BUILD: an option of the fragment, one that this tree's Kconfig knows, did not
 * survive.
 */
bool kconfig_make(const struct kbuild *kbuild, const struct kernel_options *options,
		  GError **error);

/*
 * Of the options that @fragment sets the names, without CONFIG_, that have another value in
 * @config. A set: char * -> itself.
 */
GHashTable *kconfig_lost(const char *fragment, const char *config);
/* Takes out of @names what the text of a Kconfig file defines. */
void kconfig_forget_defined(const char *kconfig, GHashTable *names);

#endif
