// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Multiple APIC Description Table, ACPI 6.5 section 5.2.12. Linux numbers the CPUs in the order
 * of its entries. Everything but those of CPUs is as in QEMU's own table, which it replaces.
 */
#include "emit/table.h"

/* Table 5.21, Interrupt Controller Structure types. */
enum madt_type {
	MADT_LOCAL_APIC = 0,
	MADT_IO_APIC = 1,
	MADT_OVERRIDE = 2,
	MADT_LOCAL_APIC_NMI = 4,
	MADT_LOCAL_X2APIC = 9,
	MADT_LOCAL_X2APIC_NMI = 10,
};

#define MADT_REVISION	    3
#define MADT_PCAT_COMPAT    1 /* flags: 8259s are there too */
#define MADT_CPU_ENABLED    1 /* table 5.23 */
#define MADT_ONLINE_CAPABLE 2
#define MADT_ALL_CPUS	    0xffffffff
#define LOCAL_APIC_BASE	    0xfee00000
#define IO_APIC_BASE	    0xfec00000

/* MPS INTI flags, table 5.25: polarity in bits 0-1, trigger mode in bits 2-3. */
#define INTI_OF_THE_BUS 0x0
#define INTI_HIGH_LEVEL 0xd

static void append_entry(GByteArray *table, enum madt_type type, unsigned length)
{
	emit_number(table, type, 1);
	emit_number(table, length, 1);
}

/* The UID is the one that the DSDT's device of this vCPU has, so it stays with its APIC id. */
static void append_cpu(GByteArray *table, const struct topo_madt_entry *entry)
{
	unsigned flags = (entry->enabled ? MADT_CPU_ENABLED : 0) |
			 (entry->online_capable ? MADT_ONLINE_CAPABLE : 0);

	if (!entry->x2apic) {
		append_entry(table, MADT_LOCAL_APIC, 8);
		emit_number(table, entry->vcpu, 1);
		emit_number(table, entry->apic_id, 1);
		emit_number(table, flags, 4);
		return;
	}
	append_entry(table, MADT_LOCAL_X2APIC, 16);
	emit_number(table, 0, 2);
	emit_number(table, entry->apic_id, 4);
	emit_number(table, flags, 4);
	emit_number(table, entry->vcpu, 4);
}

static void append_io_apic(GByteArray *table)
{
	append_entry(table, MADT_IO_APIC, 12);
	emit_number(table, 0, 1); /* id */
	emit_number(table, 0, 1);
	emit_number(table, IO_APIC_BASE, 4);
	emit_number(table, 0, 4); /* its first global interrupt */
}

static void append_override(GByteArray *table, unsigned source, unsigned interrupt, unsigned flags)
{
	append_entry(table, MADT_OVERRIDE, 10);
	emit_number(table, 0, 1); /* ISA */
	emit_number(table, source, 1);
	emit_number(table, interrupt, 4);
	emit_number(table, flags, 2);
}

/* The NMI arrives at LINT1 of every CPU. */
static void append_nmi(GByteArray *table, enum madt_type type)
{
	bool wide = type == MADT_LOCAL_X2APIC_NMI;

	append_entry(table, type, wide ? 12 : 6);
	if (wide) {
		emit_number(table, INTI_OF_THE_BUS, 2);
		emit_number(table, MADT_ALL_CPUS, 4);
		emit_number(table, 1, 1);
		emit_number(table, 0, 3);
		return;
	}
	emit_number(table, MADT_ALL_CPUS, 1);
	emit_number(table, INTI_OF_THE_BUS, 2);
	emit_number(table, 1, 1);
}

GBytes *emit_madt(const struct topo *topo)
{
	static const unsigned char level_interrupts[] = {5, 9, 10, 11}; /* PCI links and the SCI */
	GByteArray *table = emit_table_new(TOPO_TABLE_MADT, MADT_REVISION);
	unsigned n;
	const struct topo_madt_entry *entries = topo_madt(topo, &n);
	bool has_x2apic_entries = false;

	emit_number(table, LOCAL_APIC_BASE, 4);
	emit_number(table, MADT_PCAT_COMPAT, 4);
	for (unsigned i = 0; i < n; i++) {
		append_cpu(table, &entries[i]);
		has_x2apic_entries |= entries[i].x2apic;
	}
	append_io_apic(table);
	append_override(table, 0, 2, INTI_OF_THE_BUS); /* the timer */
	for (unsigned i = 0; i < G_N_ELEMENTS(level_interrupts); i++)
		append_override(table, level_interrupts[i], level_interrupts[i], INTI_HIGH_LEVEL);
	append_nmi(table, MADT_LOCAL_APIC_NMI);
	if (has_x2apic_entries)
		append_nmi(table, MADT_LOCAL_X2APIC_NMI);
	return emit_table_finish(table);
}
