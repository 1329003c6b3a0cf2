/* SPDX-License-Identifier: GPL-2.0-only */
/* Where topolab's own files lie on this host. Cache and runtime folders are created. */
#ifndef BASE_PATHS_H
#define BASE_PATHS_H

#include <glib.h>

/*
 * Data that ships with topolab: topologies/, kernels/, the agent. The source tree of the running
 * binary when it still lies in one, else share/topolab beside the binary's folder. @sub may be
 * NULL. What the build makes ("agent") is found in the build folder. The path need not exist.
 */
char *paths_data(const char *sub);
/*
 * The names, without @suffix, of the files in @folders (NULL-terminated) that end in it; hidden
 * ones do not count. Sorted, each once. A folder that is not there has none.
 */
char **paths_names(const char *const *folders, const char *suffix);
/*
 * $TOPOLAB_CACHE, else $XDG_CACHE_HOME/topolab, else ~/.cache/topolab, else /var/cache/topolab: the
 * first that can be made and written. Through sudo the caller's own folders are passed over. @sub
 * (may be NULL) is created below it. Errors are ERROR_LAB.
 */
char *paths_cache(const char *sub, GError **error);
/*
 * Roots of running guests: $TOPOLAB_RUNTIME, else /run/topolab for root, $XDG_RUNTIME_DIR/topolab
 * for others, else /tmp/topolab-UID. Ours alone (0700); as root it is 0711, because libvirt then
 * runs QEMU as a user of its own, who has to reach the files below it by name.
 */
char *paths_runtime(GError **error);

#endif
