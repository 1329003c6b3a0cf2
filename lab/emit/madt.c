// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Multiple APIC Description Table, ACPI 6.5 section 5.2.12. Linux numbers the CPUs in the order
 * of its entries. Everything but that order is as in QEMU's own table, which it replaces.
 */
#include "emit/emit.h"

#include <string.h>

/* Table 5.21, Interrupt Controller Structure types. */
enum madt_type {
	MADT_LOCAL_APIC = 0,
	MADT_IO_APIC = 1,
	MADT_OVERRIDE = 2,
	MADT_LOCAL_APIC_NMI = 4,
	MADT_LOCAL_X2APIC = 9,
	MADT_LOCAL_X2APIC_NMI = 10,
};

#define MADT_REVISION	 3
#define MADT_LENGTH_AT	 4 /* in the header, table 5.4 */
#define MADT_CHECKSUM_AT 9
#define MADT_PCAT_COMPAT 1 /* flags: 8259s are there too */
#define MADT_CPU_ENABLED 1
#define MADT_ALL_CPUS	 0xffffffff
#define FIRST_X2APIC_ID	 255 /* 5.2.12.12: below, type 0 is to be used */
#define LOCAL_APIC_BASE	 0xfee00000
#define IO_APIC_BASE	 0xfec00000
/* QEMU's own table has revision 1; acpi_table_initrd_override() wants a higher one. */
#define OEM_REVISION 2

/* MPS INTI flags, table 5.25: polarity in bits 0-1, trigger mode in bits 2-3. */
#define INTI_OF_THE_BUS 0x0
#define INTI_HIGH_LEVEL 0xd

static void append_number(GByteArray *table, guint64 value, unsigned bytes)
{
	guint64 little_endian = GUINT64_TO_LE(value);

	g_byte_array_append(table, (const guint8 *)&little_endian, bytes);
}

static void append_text(GByteArray *table, const char *text)
{
	g_byte_array_append(table, (const guint8 *)text, (guint)strlen(text));
}

static void append_entry(GByteArray *table, enum madt_type type, unsigned length)
{
	append_number(table, type, 1);
	append_number(table, length, 1);
}

static void append_header(GByteArray *table)
{
	append_text(table, "APIC");
	append_number(table, 0, 4); /* length, later */
	append_number(table, MADT_REVISION, 1);
	append_number(table, 0, 1); /* checksum, later */
	/* The kernel matches signature, OEM id and table id, so these are QEMU's. */
	append_text(table, "BOCHS ");
	append_text(table, "BXPC    ");
	append_number(table, OEM_REVISION, 4);
	append_text(table, "BXPC");
	append_number(table, 1, 4);
	append_number(table, LOCAL_APIC_BASE, 4);
	append_number(table, MADT_PCAT_COMPAT, 4);
}

/* The UID is the one that the DSDT's device of this vCPU has, so it stays with its APIC id. */
static void append_cpu(GByteArray *table, const struct topo_cpu *cpu)
{
	if (cpu->apic_id < FIRST_X2APIC_ID) {
		append_entry(table, MADT_LOCAL_APIC, 8);
		append_number(table, cpu->vcpu, 1);
		append_number(table, cpu->apic_id, 1);
		append_number(table, MADT_CPU_ENABLED, 4);
		return;
	}
	append_entry(table, MADT_LOCAL_X2APIC, 16);
	append_number(table, 0, 2);
	append_number(table, cpu->apic_id, 4);
	append_number(table, MADT_CPU_ENABLED, 4);
	append_number(table, cpu->vcpu, 4);
}

static void append_io_apic(GByteArray *table)
{
	append_entry(table, MADT_IO_APIC, 12);
	append_number(table, 0, 1); /* id */
	append_number(table, 0, 1);
	append_number(table, IO_APIC_BASE, 4);
	append_number(table, 0, 4); /* its first global interrupt */
}

static void append_override(GByteArray *table, unsigned source, unsigned interrupt, unsigned flags)
{
	append_entry(table, MADT_OVERRIDE, 10);
	append_number(table, 0, 1); /* ISA */
	append_number(table, source, 1);
	append_number(table, interrupt, 4);
	append_number(table, flags, 2);
}

/* The NMI arrives at LINT1 of every CPU. */
static void append_nmi(GByteArray *table, enum madt_type type)
{
	bool wide = type == MADT_LOCAL_X2APIC_NMI;

	append_entry(table, type, wide ? 12 : 6);
	if (wide) {
		append_number(table, INTI_OF_THE_BUS, 2);
		append_number(table, MADT_ALL_CPUS, 4);
		append_number(table, 1, 1);
		append_number(table, 0, 3);
		return;
	}
	append_number(table, MADT_ALL_CPUS, 1);
	append_number(table, INTI_OF_THE_BUS, 2);
	append_number(table, 1, 1);
}

static void finish_header(GByteArray *table)
{
	guint32 length = GUINT32_TO_LE(table->len);
	guint8 sum = 0;

	memcpy(table->data + MADT_LENGTH_AT, &length, sizeof(length));
	for (guint i = 0; i < table->len; i++)
		sum = (guint8)(sum + table->data[i]);
	table->data[MADT_CHECKSUM_AT] = (guint8)-sum;
}

bool emit_needs_madt(const struct topo *topo)
{
	return topo_needs_madt(topo);
}

GBytes *emit_madt(const struct topo *topo)
{
	static const unsigned char level_interrupts[] = {5, 9, 10, 11}; /* PCI links and the SCI */
	GByteArray *table = g_byte_array_new();
	bool has_x2apic_entries = false;

	append_header(table);
	for (unsigned cpu = 0; cpu < topo_n_cpus(topo); cpu++) {
		append_cpu(table, topo_cpu(topo, cpu));
		has_x2apic_entries |= topo_cpu(topo, cpu)->apic_id >= FIRST_X2APIC_ID;
	}
	append_io_apic(table);
	append_override(table, 0, 2, INTI_OF_THE_BUS); /* the timer */
	for (unsigned i = 0; i < G_N_ELEMENTS(level_interrupts); i++)
		append_override(table, level_interrupts[i], level_interrupts[i], INTI_HIGH_LEVEL);
	append_nmi(table, MADT_LOCAL_APIC_NMI);
	if (has_x2apic_entries)
		append_nmi(table, MADT_LOCAL_X2APIC_NMI);
	finish_header(table);
	return g_byte_array_free_to_bytes(table);
}
