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
#include <stdbool.h>

/* 5.2.12.2 (type 0) and 5.2.12.12 (type 9) */
struct acpi_madt_cpu {
	unsigned type;
	guint32 apic_id, uid;
	guint32 flags; /* 1: enabled, 2: online capable */
};

#define ACPI_MADT_ENABLED 1u

/* The MADT's processors, struct acpi_madt_cpu, in the table's order. Caller unrefs. */
GArray *acpi_madt_read(GBytes *table, GError **error);

/* 5.2.16.1 (type 0) and 5.2.16.3 (type 2) */
struct acpi_srat_cpu {
	unsigned type;
	guint32 apic_id, domain;
	bool enabled;
};

/* 5.2.16.2 */
struct acpi_srat_range {
	guint32 domain;
	guint64 start, length;
	bool enabled, hotplug;
};

struct acpi_srat {
	GArray *cpus;		     /* struct acpi_srat_cpu, in the table's order */
	GArray *memory;		     /* struct acpi_srat_range, in the table's order */
	GHashTable *node_of_apic_id; /* GUINT_TO_POINTER(APIC id) -> GUINT_TO_POINTER(node) */
	struct cpus *nodes;	     /* proximity domains with an enabled CPU or memory */
};

/* Of several entries for one APIC id the last one counts for node_of_apic_id, as for Linux. */
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

/* One System Locality Latency and Bandwidth Information structure, 5.2.28.4. */
struct acpi_locality {
	unsigned hierarchy;	      /* 0: memory */
	unsigned type;		      /* 0: access latency, 3: access bandwidth, ... */
	guint64 unit;		      /* ps or MB/s, of revision 2 */
	GArray *initiators, *targets; /* guint32, proximity domains */
	GArray *entries;	      /* guint16, row = initiator; 0xffff: cannot be reached */
};

/* Memory Proximity Domain Attributes, 5.2.28.3. */
struct acpi_attachment {
	guint32 memory;
	gint64 initiator; /* -1: none is said to be attached */
};

struct acpi_hmat {
	GArray *attachments;   /* struct acpi_attachment */
	GPtrArray *localities; /* struct acpi_locality * */
};

/* ERROR_LAB for a revision other than 2 as well, whose units differ. */
struct acpi_hmat *acpi_hmat_read(GBytes *table, GError **error);
void acpi_hmat_free(struct acpi_hmat *hmat);
AUTO_DEFINE(acpi_hmat, acpi_hmat_free)

struct acpi_facp {
	unsigned revision, minor;
	guint64 dsdt;
};

bool acpi_facp_read(GBytes *table, struct acpi_facp *facp, GError **error);

#endif
