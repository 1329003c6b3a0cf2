/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Topology files. Every error is ERROR_INPUT and reads "file:line:column: sentence"; a model that
 * comes back has passed the validator, so nothing downstream needs to doubt it.
 */
#ifndef TOPO_LOAD_H
#define TOPO_LOAD_H

#include "topo/topo.h"

/* Parses and validates @text (pure). @file is only for messages. */
struct topo *topo_load_text(const char *text, gsize length, const char *file, GError **error);
struct topo *topo_load_file(const char *path, GError **error);

/*
 * A name looked up as NAME.yaml in the folders of @path (topo_search_path()), or a file when it
 * holds a '/' or ends in ".yaml". An unknown name's error lists the names that exist.
 */
struct topo *topo_find(const char *name, const char *const *path, GError **error);
/* Sorted names of every topology on @path. */
char **topo_list(const char *const *path);
/*
 * $TOPOLAB_PATH (colon separated), the source tree's topologies/, PREFIX/share/topolab/topologies.
 */
char **topo_search_path(void);

#endif
