/* SPDX-License-Identifier: GPL-2.0-only */
/* Debian's packages of a kernel's sources: linux-source-6.12 and its like. */
#ifndef KERNEL_DEB_SOURCE_H
#define KERNEL_DEB_SOURCE_H

#include "kernel/sources.h"

/* One version of one package; it is unpacked from the archive. */
struct sources_origin *deb_source_origin(const char *suites, const char *package,
					 const char *version);

/* A package's name, without a '*'. */
bool deb_is_package(const char *value);
/* Blank separated suites. */
bool deb_is_suites(const char *value);

/* What each source that is Debian's archive has. */
#define DEB_SUITES_FIELD                                                                           \
	{                                                                                          \
		.name = "suites",                                                                  \
		.help = "suites of Debian; the highest version in any of them is taken",           \
		.required = true, .valid = deb_is_suites,                                          \
		.form = "a list of suites such as 'bookworm-security bookworm-backports'",         \
	}

#endif
