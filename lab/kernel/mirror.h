/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which Debian mirror to ask: $TOPOLAB_MIRROR, else the one this system uses for its own suite,
 * read from its sources. A system that is not Debian has none to read, and must name one.
 */
#ifndef KERNEL_MIRROR_H
#define KERNEL_MIRROR_H

#include "base/root.h"

#include <glib.h>

enum mirror_form {
	MIRROR_DEB822,	 /* *.sources: stanzas of "Field: value" */
	MIRROR_ONE_LINE, /* *.list: "deb [options] URI SUITE COMPONENT..." */
};

/*
 * The first URI from which @text, a sources file, takes Debian's own binary packages of @suite.
 * Disabled entries, source packages, CD-ROMs, other vendors' archives (those without component
 * "main", or whose URI does not end in "/debian...") do not count. NULL: none. Pure.
 */
char *mirror_parse(const char *text, enum mirror_form form, const char *suite);

/* ".../debian" -> ".../debian-security"; NULL when @uri does not end in "debian". Pure. */
char *mirror_security_of(const char *uri);

/*
 * The URI for @suite ("trixie-backports", "bookworm-security"). @root: the system's files, of which
 * etc/os-release, etc/apt/sources.list and etc/apt/sources.list.d/ are read. ERROR_INPUT: a
 * malformed $TOPOLAB_MIRROR; ERROR_LAB: no mirror is named anywhere.
 */
char *mirror_find(struct root *root, const char *suite, GError **error);

#endif
