/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef CMD_VERSION_H
#define CMD_VERSION_H

/*
 * What `topolab --version` prints: topolab's own version, then a line for each library with the
 * version that it was built with and, where that differs, the one that it runs with. Caller frees.
 */
char *version_text(void);

#endif
