/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef KERNEL_VERSION_H
#define KERNEL_VERSION_H

/* The order of Debian package versions (Debian Policy 5.6.12): <0, 0 or >0. */
int deb_version_compare(const char *a, const char *b);

#endif
