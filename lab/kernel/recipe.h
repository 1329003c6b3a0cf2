/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernels that are built here from sources that topolab unpacks: sources, fragments, patches. */
#ifndef KERNEL_RECIPE_H
#define KERNEL_RECIPE_H

#include "kernel/sources.h"

/* What each source of sources has beside fields of its own. */
#define RECIPE_FIELDS                                                                              \
	{.name = "fragments",                                                                      \
	 .help = "config fragments on top of lab.config, paths from this file on",                 \
	 .kind = FIELD_PATHS},                                                                     \
	{                                                                                          \
		.name = "patches",                                                                 \
		.help = "patches, or folders with a file 'series' that lists some, likewise",      \
		.kind = FIELD_PATHS,                                                               \
	}

/*
 * Fills @kernel with what @origin's sources make with the fragments and patches of @fields: from
 * the cache, where it lies under the sum of all that goes into it, or by building it. ERROR_BUILD
 * when a patch does not apply, an option does not survive or the compiler refuses; else the
 * origin's errors.
 */
bool recipe_fetch(const struct sources_origin *origin, GHashTable *fields,
		  const struct kernel_options *options, struct kernel *kernel, GError **error);

/* The sources with the patches of @fields on them. */
struct sources *recipe_sources(const struct sources_origin *origin, GHashTable *fields,
			       const struct kernel_options *options, GError **error);

/* Is that kernel in the cache? A look, without checksums. */
bool recipe_present(const struct sources_origin *origin, GHashTable *fields);

/*
 * Paths of the patches in @list, which is lines of paths; of folders what their series files name.
 * NULL: ERROR_INPUT. Caller frees.
 */
char **recipe_patches(const char *list, GError **error);

#endif
