/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The reader of the guest's ACPI tables, ACPI 6.5 chapter 5. It shares nothing with the writer of
 * emit/, so that an error in one cannot hide in the other. Pure; tables are not trusted.
 */
#ifndef OBSERVE_ACPI_H
#define OBSERVE_ACPI_H

#include "base/auto.h"
#include "base/cpus.h"

#include <glib.h>

/* MADT: APIC ids of the enabled CPUs, guint32, in the table's order. Caller unrefs. */
GArray *acpi_madt_apic_ids(GBytes *table, GError **error);

struct acpi_srat {
	GHashTable *node_of_apic_id; /* GUINT_TO_POINTER(APIC id) -> GUINT_TO_POINTER(node) */
	struct cpus *nodes;	     /* proximity domains with an enabled CPU or memory */
};

struct acpi_srat *acpi_srat_read(GBytes *table, GError **error);
void acpi_srat_free(struct acpi_srat *srat);
AUTO_DEFINE(acpi_srat, acpi_srat_free)
/* -1 when the table does not name @apic_id. */
int acpi_srat_node(const struct acpi_srat *srat, guint32 apic_id);

struct acpi_slit {
	unsigned n;
	guint8 *distance; /* n * n, row = from */
};

struct acpi_slit *acpi_slit_read(GBytes *table, GError **error);
void acpi_slit_free(struct acpi_slit *slit);
AUTO_DEFINE(acpi_slit, acpi_slit_free)

#endif
