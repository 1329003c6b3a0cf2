// SPDX-License-Identifier: GPL-2.0-only
/*
 * The System Resource Affinity Table, ACPI 6.5 section 5.2.16, as QEMU 10.0 writes it
 * (build_srat(), hw/i386/acpi-build.c) of a machine that breaks nothing on purpose.
 */
#include "emit/table.h"

enum srat_type { SRAT_APIC = 0, SRAT_MEMORY = 1, SRAT_X2APIC = 2 };

#define SRAT_REVISION	   1
#define SRAT_ENABLED	   1
#define SRAT_HOTPLUG	   2
#define SRAT_MEMORY_LENGTH 40

#define MIB	       ((guint64)1 << 20)
#define VGA_HOLE_START (640u << 10)
#define VGA_HOLE_END   (1u << 20)
#define HIGH_MEMORY    ((guint64)1 << 32)
/* From here on QEMU gives memory no less than 2 GiB below 4 GiB to PCI. */
#define LOW_MEMORY_MOST 0xb0000000
#define LOW_MEMORY_LESS 0x80000000

struct range {
	guint64 start, end;
};

guint64 emit_low_memory_end(const struct topo *topo)
{
	guint64 total = 0;

	for (unsigned node = 0; node < topo_n_nodes(topo); node++)
		total += topo_node_memory_mib(topo, node) * MIB;
	return total >= LOW_MEMORY_MOST ? LOW_MEMORY_LESS : total;
}

static void append_cpu(GByteArray *table, const struct topo *topo,
		       const struct topo_srat_entry *entry)
{
	guint32 apic_id = topo_apic_id_of_vcpu(topo, entry->subject);

	emit_number(table, entry->x2apic ? SRAT_X2APIC : SRAT_APIC, 1);
	emit_number(table, entry->x2apic ? 24 : 16, 1);
	if (entry->x2apic) {
		emit_zeros(table, 2);
		emit_number(table, entry->domain, 4);
		emit_number(table, apic_id, 4);
		emit_number(table, entry->enabled ? SRAT_ENABLED : 0, 4);
		emit_zeros(table, 8); /* clock domain, reserved */
		return;
	}
	emit_number(table, entry->domain, 1);
	emit_number(table, apic_id, 1);
	emit_number(table, entry->enabled ? SRAT_ENABLED : 0, 4);
	emit_zeros(table, 8); /* SAPIC EID, the domain's high bytes, clock domain */
}

static void append_range(GByteArray *table, const struct topo_srat_entry *entry, struct range range)
{
	emit_number(table, SRAT_MEMORY, 1);
	emit_number(table, SRAT_MEMORY_LENGTH, 1);
	emit_number(table, entry->domain, 4);
	emit_zeros(table, 2);
	emit_number(table, range.start, 8);
	emit_number(table, range.end - range.start, 8);
	emit_zeros(table, 4);
	emit_number(table,
		    (entry->enabled ? SRAT_ENABLED : 0) | (entry->hotplug ? SRAT_HOTPLUG : 0), 4);
	emit_zeros(table, 8);
}

/* The part of @range within [@start, @end), moved up by @offset. Returns the number of entries. */
static unsigned append_part(GByteArray *table, const struct topo_srat_entry *entry,
			    struct range range, guint64 start, guint64 end, guint64 offset)
{
	struct range part = {MAX(range.start, start), MIN(range.end, end)};

	if (part.start >= part.end)
		return 0;
	part.start += offset;
	part.end += offset;
	append_range(table, entry, part);
	return 1;
}

/* Nodes' memory lies in the order of their numbers, but for the holes of VGA and PCI. */
static unsigned append_memory(GByteArray *table, const struct topo *topo,
			      const struct topo_srat_entry *entry)
{
	guint64 low_end = emit_low_memory_end(topo);
	struct range range = {0, 0};

	for (unsigned node = 0; node <= entry->subject; node++) {
		range.start = range.end;
		range.end += topo_node_memory_mib(topo, node) * MIB;
	}
	return append_part(table, entry, range, 0, VGA_HOLE_START, 0) +
	       append_part(table, entry, range, VGA_HOLE_END, low_end, 0) +
	       append_part(table, entry, range, low_end, G_MAXUINT64, HIGH_MEMORY - low_end);
}

GBytes *emit_srat(const struct topo *topo)
{
	static const struct topo_srat_entry nothing;
	GByteArray *table = emit_table_new(TOPO_TABLE_SRAT, SRAT_REVISION);
	unsigned n, n_memory = 0;
	const struct topo_srat_entry *entries = topo_srat(topo, &n);

	emit_number(table, 1, 4);
	emit_zeros(table, 8);
	for (unsigned i = 0; i < n; i++) {
		if (entries[i].affinity == TOPO_AFFINITY_CPU)
			append_cpu(table, topo, &entries[i]);
		else
			n_memory += append_memory(table, topo, &entries[i]);
	}
	/* QEMU reserves room for both holes, whether they cut a node or not. */
	for (; n_memory < topo_n_nodes(topo) + 2; n_memory++)
		append_range(table, &nothing, (struct range){0, 0});
	return emit_table_finish(table);
}
