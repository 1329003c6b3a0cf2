/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Debian packages of suites that this system need not use, through apt and its signature checks: a
 * private apt root in the cache with its own sources, lists and caches. The system's is not touched
 * and nothing is installed.
 */
#ifndef KERNEL_APT_H
#define KERNEL_APT_H

#include "base/auto.h"
#include "kernel/kernel.h"

struct apt;

/* How long the newest is taken for the newest, and when to ask again after a failure. */
#define APT_LOOK_AGAIN_SECONDS	(24 * 3600)
#define APT_RETRY_AFTER_SECONDS 3600

/* Has this host what fetching takes: apt, dpkg-deb, Debian's keys? */
bool apt_check_host(GError **error);

/*
 * @suites: blank separated, "bookworm-security bookworm-backports". Waits for another run that
 * uses the same root, and holds its lock until apt_close().
 */
struct apt *apt_open(const char *suites, const struct kernel_options *options, GError **error);
void apt_close(struct apt *apt);
AUTO_DEFINE(apt, apt_close)

/* Fetches the suites' package lists. Nothing that is unsigned or badly signed is accepted. */
bool apt_update(struct apt *apt, GError **error);

struct apt_package {
	char *name, *version;
};
void apt_package_clear(struct apt_package *package);

/* The package with the highest version among those whose name matches the glob. */
bool apt_newest(struct apt *apt, const char *glob, struct apt_package *package, GError **error);

/*
 * Of @names (one a line, as apt-cache pkgnames prints) those that would match @glob if its version
 * were another, for a message; NULL: none.
 */
char *apt_similar(const char *names, const char *glob);

/* Downloads one package and unpacks it (dpkg-deb -x) into @folder, which is created. */
bool apt_unpack(struct apt *apt, const char *name, const char *version, const char *folder,
		GError **error);

#endif
