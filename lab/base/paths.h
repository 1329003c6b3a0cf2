/* SPDX-License-Identifier: GPL-2.0-only */
/* Where topolab's own files lie on this host. Cache and runtime folders are created. */
#ifndef BASE_PATHS_H
#define BASE_PATHS_H

#include <glib.h>

/*
 * Data that ships with topolab: topologies/, kernels/, the agent. The source tree of the running
 * binary when it still lies in one, else PREFIX/share/topolab. @sub may be NULL.
 */
char *paths_data(const char *sub);
/* $TOPOLAB_CACHE, else $XDG_CACHE_HOME/topolab, else ~/.cache/topolab, else /var/cache/topolab. */
char *paths_cache(const char *sub, GError **error);
/* Roots of running guests: $XDG_RUNTIME_DIR/topolab, /run/topolab for root, /tmp/topolab-UID. */
char *paths_runtime(GError **error);

#endif
