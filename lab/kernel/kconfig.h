/* SPDX-License-Identifier: GPL-2.0-only */
/* A config for a tree that has none: tinyconfig, and fragments on top of it. */
#ifndef KERNEL_KCONFIG_H
#define KERNEL_KCONFIG_H

#include "kernel/kbuild.h"

/* Path of the fragment that the others are put on. Caller frees. */
char *kconfig_base(void);

/* The texts of @fragments (paths, NULL-terminated), one after the other. ERROR_INPUT. */
char *kconfig_text(const char *const *fragments, GError **error);

/*
 * Makes the config in the folder of the objects, unless it was made there with these fragments
 * before. ERROR_BUILD: an option that they set did not survive; of the base's options those are
 * excepted that this tree's Kconfig does not know.
 */
bool kconfig_make(const struct kbuild *kbuild, const struct kernel_options *options,
		  GError **error);

/*
 * Of the options that @fragments, one text after the other, set or unset ("# CONFIG_X is not set")
 * the names, without CONFIG_, that are otherwise in @config. Of two lines for one option the later
 * counts. A set: char * -> itself.
 */
GHashTable *kconfig_lost(const char *fragments, const char *config);
/* Takes out of @names what the text of a Kconfig file defines. */
void kconfig_forget_defined(const char *kconfig, GHashTable *names);

#endif
