/* SPDX-License-Identifier: GPL-2.0-only */
/* What the writers of ACPI tables share: ACPI 6.5 section 5.2.6, and the order of bytes. */
#ifndef EMIT_TABLE_H
#define EMIT_TABLE_H

#include "topo/firmware.h"

#include <glib.h>

/*
 * A table with its header. Linux replaces a table by one of equal signature, OEM id and table id
 * with a higher OEM revision (acpi_table_initrd_override()): the ids are QEMU's, whose revision
 * is 1.
 */
GByteArray *emit_table_new(enum topo_table table, unsigned revision);
/* Fills in length and checksum; takes @bytes over. */
GBytes *emit_table_finish(GByteArray *bytes);

/* @value in @bytes bytes, the lowest first. */
void emit_number(GByteArray *table, guint64 value, unsigned bytes);
void emit_zeros(GByteArray *table, unsigned bytes);

GBytes *emit_madt(const struct topo *topo);
GBytes *emit_srat(const struct topo *topo);
GBytes *emit_slit(const struct topo *topo); /* NULL: there is none */
GBytes *emit_hmat(const struct topo *topo); /* NULL: there is none */
GBytes *emit_facp(const struct topo *topo);

/*
 * QEMU's q35: memory below 4 GiB ends here, the rest starts at 4 GiB. hw/i386/pc_q35.c,
 * pc_q35_init()
 */
guint64 emit_low_memory_end(const struct topo *topo);

#endif
