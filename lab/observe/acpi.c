// SPDX-License-Identifier: GPL-2.0-only
#include "observe/acpi.h"

#include "base/error.h"

#include <string.h>

#define HEADER_LENGTH 36   /* 5.2.6, System Description Table Header */
#define MADT_ENTRIES  44   /* 5.2.12: local APIC address and flags behind the header */
#define SRAT_ENTRIES  48   /* 5.2.16: twelve reserved bytes behind the header */
#define SLIT_MATRIX   44   /* 5.2.17: the number of localities, 8 bytes */
#define DOMAINS_MAX   1024 /* Linux on x86 has at most as many nodes (CONFIG_NODES_SHIFT 10) */
#define ENTRY_ENABLED 1u

struct table {
	const char *signature;
	const guint8 *data;
	gsize length;
	guint8 revision;
};

static guint32 read32(const guint8 *p)
{
	return (guint32)p[0] | (guint32)p[1] << 8 | (guint32)p[2] << 16 | (guint32)p[3] << 24;
}

static guint64 read64(const guint8 *p)
{
	return read32(p) | (guint64)read32(p + 4) << 32;
}

static bool error_table(const struct table *table, const char *what, GError **error)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "the guest's ACPI table '%s' %s",
		    table->signature, what);
	return false;
}

static bool table_open(struct table *table, const char *signature, gsize least, GBytes *bytes,
		       GError **error)
{
	guint8 sum = 0;

	table->signature = signature;
	table->data = g_bytes_get_data(bytes, &table->length);
	if (table->length < least)
		return error_table(table, "is shorter than its fixed part", error);
	if (memcmp(table->data, signature, 4) != 0)
		return error_table(table, "has another signature", error);
	if (read32(table->data + 4) != table->length)
		return error_table(table, "is not as long as its header says", error);
	for (gsize i = 0; i < table->length; i++)
		sum = (guint8)(sum + table->data[i]);
	if (sum != 0)
		return error_table(table, "has a wrong checksum", error);
	table->revision = table->data[8];
	return true;
}

/*
 * Calls @visit for each entry from @start: type, length, then the rest. An entry that is shorter
 * than @visit needs makes it return false.
 */
static bool table_walk(const struct table *table, gsize start,
		       bool (*visit)(const struct table *table, const guint8 *entry, void *data),
		       void *data, GError **error)
{
	for (gsize at = start; at < table->length; at += table->data[at + 1]) {
		const guint8 *entry = table->data + at;

		if (table->length - at < 2 || entry[1] < 2 || entry[1] > table->length - at)
			return error_table(table, "ends inside an entry", error);
		if (!visit(table, entry, data))
			return error_table(table, "has an entry that is malformed or there twice",
					   error);
	}
	return true;
}

/* 5.2.12.2: type 0, 8 bytes, one byte of APIC id. 5.2.12.12: type 9, 16 bytes, four. */
static bool madt_visit(const struct table *table, const guint8 *entry, void *data)
{
	GArray *ids = data;
	guint32 id;

	(void)table;
	if (entry[0] == 0) {
		if (entry[1] != 8)
			return false;
		if (!(read32(entry + 4) & ENTRY_ENABLED))
			return true;
		id = entry[3];
	} else if (entry[0] == 9) {
		if (entry[1] != 16)
			return false;
		if (!(read32(entry + 8) & ENTRY_ENABLED))
			return true;
		id = read32(entry + 4);
	} else {
		return true;
	}
	g_array_append_val(ids, id);
	return true;
}

static int compare_ids(const void *a, const void *b)
{
	const guint32 *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

static bool ids_are_unique(const GArray *ids)
{
	g_autofree guint32 *sorted = g_memdup2(ids->data, ids->len * sizeof(guint32));

	if (ids->len)
		qsort(sorted, ids->len, sizeof(guint32), compare_ids);
	for (guint i = 1; i < ids->len; i++)
		if (sorted[i] == sorted[i - 1])
			return false;
	return true;
}

GArray *acpi_madt_apic_ids(GBytes *bytes, GError **error)
{
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(guint32));
	struct table table;

	if (!table_open(&table, "APIC", MADT_ENTRIES, bytes, error) ||
	    !table_walk(&table, MADT_ENTRIES, madt_visit, ids, error))
		return NULL;
	if (!ids_are_unique(ids)) {
		error_table(&table, "names an APIC id twice", error);
		return NULL;
	}
	return g_steal_pointer(&ids);
}

static bool srat_add_cpu(struct acpi_srat *srat, guint32 apic_id, guint32 domain)
{
	if (domain >= DOMAINS_MAX ||
	    !g_hash_table_insert(srat->node_of_apic_id, GUINT_TO_POINTER(apic_id),
				 GUINT_TO_POINTER(domain)))
		return false;
	cpus_add(srat->nodes, domain);
	return true;
}

/* 5.2.16.1. Before revision 2 of the table a domain has eight bits, the others are reserved. */
static bool srat_visit_apic(const struct table *table, const guint8 *entry, struct acpi_srat *srat)
{
	guint32 domain;

	if (entry[1] != 16)
		return false;
	if (!(read32(entry + 4) & ENTRY_ENABLED))
		return true;
	domain = entry[2];
	if (table->revision >= 2)
		domain |= (guint32)entry[9] << 8 | (guint32)entry[10] << 16 |
			  (guint32)entry[11] << 24;
	return srat_add_cpu(srat, entry[3], domain);
}

/* 5.2.16.3 */
static bool srat_visit_x2apic(const guint8 *entry, struct acpi_srat *srat)
{
	if (entry[1] != 24)
		return false;
	if (!(read32(entry + 12) & ENTRY_ENABLED))
		return true;
	return srat_add_cpu(srat, read32(entry + 8), read32(entry + 4));
}

/* 5.2.16.2 */
static bool srat_visit_memory(const struct table *table, const guint8 *entry,
			      struct acpi_srat *srat)
{
	guint32 domain;

	if (entry[1] != 40)
		return false;
	if (!(read32(entry + 28) & ENTRY_ENABLED) || read64(entry + 16) == 0)
		return true;
	domain = read32(entry + 2);
	if (table->revision < 2)
		domain &= 0xff;
	if (domain >= DOMAINS_MAX)
		return false;
	cpus_add(srat->nodes, domain);
	return true;
}

static bool srat_visit(const struct table *table, const guint8 *entry, void *data)
{
	struct acpi_srat *srat = data;

	switch (entry[0]) {
	case 0:
		return srat_visit_apic(table, entry, srat);
	case 1:
		return srat_visit_memory(table, entry, srat);
	case 2:
		return srat_visit_x2apic(entry, srat);
	default:
		return true;
	}
}

struct acpi_srat *acpi_srat_read(GBytes *bytes, GError **error)
{
	AUTO(acpi_srat) *srat = g_new0(struct acpi_srat, 1);
	struct table table;

	srat->node_of_apic_id = g_hash_table_new(NULL, NULL);
	srat->nodes = cpus_new();
	if (!table_open(&table, "SRAT", SRAT_ENTRIES, bytes, error) ||
	    !table_walk(&table, SRAT_ENTRIES, srat_visit, srat, error))
		return NULL;
	return g_steal_pointer(&srat);
}

void acpi_srat_free(struct acpi_srat *srat)
{
	if (!srat)
		return;
	g_hash_table_unref(srat->node_of_apic_id);
	cpus_unref(srat->nodes);
	g_free(srat);
}

int acpi_srat_node(const struct acpi_srat *srat, guint32 apic_id)
{
	gpointer node;

	if (!g_hash_table_lookup_extended(srat->node_of_apic_id, GUINT_TO_POINTER(apic_id), NULL,
					  &node))
		return -1;
	return (int)GPOINTER_TO_UINT(node);
}

struct acpi_slit *acpi_slit_read(GBytes *bytes, GError **error)
{
	struct acpi_slit *slit;
	struct table table;
	guint64 n;

	if (!table_open(&table, "SLIT", SLIT_MATRIX, bytes, error))
		return NULL;
	n = read64(table.data + HEADER_LENGTH);
	if (n == 0 || n > DOMAINS_MAX || table.length - SLIT_MATRIX != n * n) {
		error_table(&table, "is not as long as its number of localities asks for", error);
		return NULL;
	}
	slit = g_new0(struct acpi_slit, 1);
	slit->n = (unsigned)n;
	slit->distance = g_memdup2(table.data + SLIT_MATRIX, n * n);
	return slit;
}

void acpi_slit_free(struct acpi_slit *slit)
{
	if (!slit)
		return;
	g_free(slit->distance);
	g_free(slit);
}
