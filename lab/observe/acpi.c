// SPDX-License-Identifier: GPL-2.0-only
#include "observe/acpi.h"

#include "base/error.h"

#include <string.h>

#define HEADER_LENGTH  36   /* 5.2.6, System Description Table Header */
#define MADT_ENTRIES   44   /* 5.2.12: local APIC address and flags behind the header */
#define SRAT_ENTRIES   48   /* 5.2.16: twelve reserved bytes behind the header */
#define SLIT_MATRIX    44   /* 5.2.17: the number of localities, 8 bytes */
#define DOMAINS_MAX    1024 /* Linux on x86 has at most as many nodes (CONFIG_NODES_SHIFT 10) */
#define HMAT_ENTRIES   40   /* 5.2.28: four reserved bytes behind the header */
#define FACP_LENGTH    244  /* 5.2.9: as far as ACPI 3 has it */
#define ENTRY_ENABLED  1u
#define MEMORY_HOTPLUG 2u
#define MADT_APIC      0
#define MADT_X2APIC    9

struct table {
	const char *signature;
	const guint8 *data;
	gsize length;
	guint8 revision;
};

static guint16 read16(const guint8 *p)
{
	return (guint16)(p[0] | p[1] << 8);
}

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
			return error_table(table, "has an entry that is malformed", error);
	}
	return true;
}

static bool madt_visit(const struct table *table, const guint8 *entry, void *data)
{
	struct acpi_madt_cpu cpu = {.type = entry[0]};
	GArray *cpus = data;

	(void)table;
	if (cpu.type == MADT_APIC) {
		if (entry[1] != 8)
			return false;
		cpu.uid = entry[2];
		cpu.apic_id = entry[3];
		cpu.flags = read32(entry + 4);
	} else if (cpu.type == MADT_X2APIC) {
		if (entry[1] != 16)
			return false;
		cpu.apic_id = read32(entry + 4);
		cpu.flags = read32(entry + 8);
		cpu.uid = read32(entry + 12);
	} else {
		return true;
	}
	g_array_append_val(cpus, cpu);
	return true;
}

GArray *acpi_madt_read(GBytes *bytes, GError **error)
{
	g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(struct acpi_madt_cpu));
	struct table table;

	if (!table_open(&table, "APIC", MADT_ENTRIES, bytes, error) ||
	    !table_walk(&table, MADT_ENTRIES, madt_visit, cpus, error))
		return NULL;
	return g_steal_pointer(&cpus);
}

static bool srat_add_cpu(struct acpi_srat *srat, struct acpi_srat_cpu cpu)
{
	if (cpu.domain >= DOMAINS_MAX)
		return false;
	g_array_append_val(srat->cpus, cpu);
	if (!cpu.enabled)
		return true;
	g_hash_table_insert(srat->node_of_apic_id, GUINT_TO_POINTER(cpu.apic_id),
			    GUINT_TO_POINTER(cpu.domain));
	cpus_add(srat->nodes, cpu.domain);
	return true;
}

/* 5.2.16.1. Before revision 2 of the table a domain has eight bits, the others are reserved. */
static bool srat_visit_apic(const struct table *table, const guint8 *entry, struct acpi_srat *srat)
{
	struct acpi_srat_cpu cpu = {.type = entry[0]};

	if (entry[1] != 16)
		return false;
	cpu.domain = entry[2];
	cpu.apic_id = entry[3];
	cpu.enabled = read32(entry + 4) & ENTRY_ENABLED;
	if (table->revision >= 2)
		cpu.domain |= (guint32)entry[9] << 8 | (guint32)entry[10] << 16 |
			      (guint32)entry[11] << 24;
	return srat_add_cpu(srat, cpu);
}

/* 5.2.16.3 */
static bool srat_visit_x2apic(const guint8 *entry, struct acpi_srat *srat)
{
	struct acpi_srat_cpu cpu = {.type = entry[0]};

	if (entry[1] != 24)
		return false;
	cpu.domain = read32(entry + 4);
	cpu.apic_id = read32(entry + 8);
	cpu.enabled = read32(entry + 12) & ENTRY_ENABLED;
	return srat_add_cpu(srat, cpu);
}

/* 5.2.16.2 */
static bool srat_visit_memory(const struct table *table, const guint8 *entry,
			      struct acpi_srat *srat)
{
	struct acpi_srat_range range;

	if (entry[1] != 40)
		return false;
	range = (struct acpi_srat_range){
		.domain = read32(entry + 2),
		.start = read64(entry + 8),
		.length = read64(entry + 16),
		.enabled = read32(entry + 28) & ENTRY_ENABLED,
		.hotplug = read32(entry + 28) & MEMORY_HOTPLUG,
	};
	if (table->revision < 2)
		range.domain &= 0xff;
	if (range.domain >= DOMAINS_MAX)
		return false;
	g_array_append_val(srat->memory, range);
	if (range.enabled && range.length)
		cpus_add(srat->nodes, range.domain);
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

	srat->cpus = g_array_new(FALSE, FALSE, sizeof(struct acpi_srat_cpu));
	srat->memory = g_array_new(FALSE, FALSE, sizeof(struct acpi_srat_range));
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
	g_array_unref(srat->cpus);
	g_array_unref(srat->memory);
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

static void locality_free(gpointer data)
{
	struct acpi_locality *locality = data;

	g_array_unref(locality->initiators);
	g_array_unref(locality->targets);
	g_array_unref(locality->entries);
	g_free(locality);
}

static GArray *read_domains(const guint8 *p, guint32 n)
{
	GArray *domains = g_array_new(FALSE, FALSE, sizeof(guint32));

	for (guint32 i = 0; i < n; i++) {
		guint32 domain = read32(p + 4 * (gsize)i);

		g_array_append_val(domains, domain);
	}
	return domains;
}

/* 5.2.28.4 */
static bool hmat_add_locality(struct acpi_hmat *hmat, const guint8 *entry, guint32 length)
{
	guint32 n_initiators, n_targets;
	struct acpi_locality *locality;
	const guint8 *entries;

	if (length < 32)
		return false;
	n_initiators = read32(entry + 12);
	n_targets = read32(entry + 16);
	if (n_initiators > DOMAINS_MAX || n_targets > DOMAINS_MAX ||
	    length != 32 + 4 * (n_initiators + n_targets) + 2 * n_initiators * n_targets)
		return false;
	locality = g_new0(struct acpi_locality, 1);
	locality->hierarchy = entry[8] & 0xf;
	locality->type = entry[9];
	locality->unit = read64(entry + 24);
	locality->initiators = read_domains(entry + 32, n_initiators);
	locality->targets = read_domains(entry + 32 + 4 * n_initiators, n_targets);
	locality->entries = g_array_new(FALSE, FALSE, sizeof(guint16));
	entries = entry + 32 + 4 * (n_initiators + n_targets);
	for (guint32 i = 0; i < n_initiators * n_targets; i++) {
		guint16 value = read16(entries + 2 * (gsize)i);

		g_array_append_val(locality->entries, value);
	}
	g_ptr_array_add(hmat->localities, locality);
	return true;
}

/* 5.2.28.3 */
static bool hmat_add_attachment(struct acpi_hmat *hmat, const guint8 *entry, guint32 length)
{
	struct acpi_attachment attachment;

	if (length != 40)
		return false;
	attachment.memory = read32(entry + 16);
	attachment.initiator = read16(entry + 8) & 1 ? (gint64)read32(entry + 12) : -1;
	g_array_append_val(hmat->attachments, attachment);
	return true;
}

/* Its entries have 16 bits of type and 32 of length. */
static bool hmat_walk(const struct table *table, struct acpi_hmat *hmat, GError **error)
{
	guint32 length;

	for (gsize at = HMAT_ENTRIES; at < table->length; at += length) {
		const guint8 *entry = table->data + at;
		bool read = true;

		length = table->length - at < 8 ? 0 : read32(entry + 4);
		if (length < 8 || length > table->length - at)
			return error_table(table, "ends inside an entry", error);
		if (read16(entry) == 0)
			read = hmat_add_attachment(hmat, entry, length);
		else if (read16(entry) == 1)
			read = hmat_add_locality(hmat, entry, length);
		if (!read)
			return error_table(table, "has an entry that is malformed", error);
	}
	return true;
}

struct acpi_hmat *acpi_hmat_read(GBytes *bytes, GError **error)
{
	AUTO(acpi_hmat) *hmat = g_new0(struct acpi_hmat, 1);
	struct table table;

	hmat->attachments = g_array_new(FALSE, FALSE, sizeof(struct acpi_attachment));
	hmat->localities = g_ptr_array_new_with_free_func(locality_free);
	if (!table_open(&table, "HMAT", HMAT_ENTRIES, bytes, error))
		return NULL;
	if (table.revision != 2) {
		error_table(&table, "has a revision other than 2", error);
		return NULL;
	}
	return hmat_walk(&table, hmat, error) ? g_steal_pointer(&hmat) : NULL;
}

void acpi_hmat_free(struct acpi_hmat *hmat)
{
	if (!hmat)
		return;
	g_array_unref(hmat->attachments);
	g_ptr_array_unref(hmat->localities);
	g_free(hmat);
}

bool acpi_facp_read(GBytes *bytes, struct acpi_facp *facp, GError **error)
{
	struct table table;
	guint64 wide;

	if (!table_open(&table, "FACP", FACP_LENGTH, bytes, error))
		return false;
	wide = read64(table.data + 140);
	*facp = (struct acpi_facp){
		.revision = table.revision,
		.minor = table.data[131] & 0xf,
		.dsdt = wide ? wide : read32(table.data + 40),
	};
	return true;
}
