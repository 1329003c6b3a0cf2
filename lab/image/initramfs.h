/* SPDX-License-Identifier: GPL-2.0-only */
/* The default guest: an initramfs with the agent as /init, ACPI overrides in front of it. */
#ifndef IMAGE_INITRAMFS_H
#define IMAGE_INITRAMFS_H

#include <glib.h>

struct initramfs_table {
	const char *signature; /* "APIC": becomes kernel/firmware/acpi/APIC.aml */
	GBytes *bytes;
};

/*
 * An uncompressed cpio of the ACPI tables (ACPI table upgrade reads no other), padded, then a
 * gzipped cpio with /init. @agent: the agent's static binary.
 */
GBytes *initramfs_build(GBytes *agent, const struct initramfs_table *tables, guint n_tables,
			GError **error);

struct initramfs_file {
	const char *path; /* "bin/busybox"; its folder comes before it */
	unsigned mode;	  /* of stat(2), with the type: S_IFREG | 0755 */
	GBytes *bytes;	  /* NULL: none */
};

/* @initramfs with more files: the kernel unpacks every archive that it finds. */
GBytes *initramfs_add(GBytes *initramfs, const struct initramfs_file *files, guint n_files,
		      GError **error);

#endif
