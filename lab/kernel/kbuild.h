/* SPDX-License-Identifier: GPL-2.0-only */
/* Linux's own build system, as a user would call it. */
#ifndef KERNEL_KBUILD_H
#define KERNEL_KBUILD_H

#include "base/auto.h"
#include "kernel/kernel.h"

#include <glib.h>
#include <stdbool.h>

struct kbuild {
	char *tree; /* the sources; absolute */
	char *out;  /* where the objects lie: the tree itself or a folder in the cache; absolute */
	char *log;  /* all that make prints, in the cache */
	int lock;   /* of whoever builds into that folder */
	char **fragments; /* paths of the files that the config is made of; NULL: in place */
};

/* Does a Linux tree begin here? */
bool kbuild_is_tree(const char *folder);
/* The same; false is ERROR_INPUT. */
bool kbuild_check_tree(const char *folder, GError **error);

/*
 * A tree that is configured (it has a .config) is built where it lies, and there must be no
 * @fragments (paths, NULL-terminated); another one in a folder of the cache, configured with them
 * on top of the base. Waits for another topolab that builds the same.
 */
struct kbuild *kbuild_open(const char *tree, const char *const *fragments,
			   const struct kernel_options *options, GError **error);
void kbuild_free(struct kbuild *kbuild);
AUTO_DEFINE(kbuild, kbuild_free)

/*
 * Makes bzImage, and before that, if there is none, the config. What make did before is not done
 * again. ERROR_BUILD with the compiler's first error when the tree does not build; ERROR_LAB when
 * make is missing or a signal ended it.
 */
bool kbuild_make(const struct kbuild *kbuild, const struct kernel_options *options, GError **error);

/* One target of make's, its output appended to the log; errors as above. */
bool kbuild_target(const struct kbuild *kbuild, const char *target,
		   const struct kernel_options *options, GError **error);

/* Below the folder of the objects. Caller frees. */
char *kbuild_image(const struct kbuild *kbuild);
char *kbuild_config(const struct kbuild *kbuild);
char *kbuild_vmlinux(const struct kbuild *kbuild); /* NULL: there is none */

/* The line in make's output that says what is wrong; NULL: none does. Caller frees. */
char *kbuild_first_error(const char *log);
/*
 * The compiler of @command, the text of an .o.cmd file: "gcc", "ccache gcc", "clang". A tree that
 * is built with another one is built anew. NULL: it is none. Caller frees.
 */
char *kbuild_compiler(const char *command);

#endif
