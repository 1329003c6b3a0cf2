// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Fixed ACPI Description Table, ACPI 6.5 table 5.9, of QEMU 10.0's q35 without SMM: Linux reads
 * from its version which MADT flags firmware knows (acpi_parse_madt(),
 * arch/x86/kernel/acpi/boot.c).
 *
 * It holds the addresses of DSDT and FACS, which no override can ask for. QEMU's tables are the
 * first that SeaBIOS allocates, one block of 128 KiB at the end of the memory below 4 GiB, with the
 * FACS at its start and the DSDT behind that. Were it ever elsewhere, Linux would find no DSDT
 * there and say so.
 */
#include "emit/table.h"

#define TABLES_SIZE (128u << 10)
#define FACS_SIZE   64

/* Lengths by revision: 5 has the sleep registers, 6 the hypervisor's name. */
#define SINCE_SLEEP_REGISTERS 5
#define SINCE_HYPERVISOR      6

#define PORT_EVENTS  0x600 /* ICH9's power management block */
#define PORT_CONTROL 0x604
#define PORT_TIMER   0x608
#define PORT_GPE0    0x620
#define PORT_RESET   0xcf9

#define SPACE_IO 1 /* table 5.1, Generic Address Structure */

#define SCI_INTERRUPT	 9
#define NO_C_STATE	 0xfff
#define CENTURY_REGISTER 0x32
#define BOOT_8042	 2
#define RESET_VALUE	 0xf
/* WBINVD, C1, SLP_BUTTON, RTC_S4, RESET_REG_SUP, USE_PLATFORM_CLOCK */
#define FLAGS		      0x84a5
#define FLAG_APIC_CLUSTER     (1u << 18)
#define MAX_LOGICAL_FLAT_CPUS 8

static void append_register(GByteArray *table, unsigned port, unsigned bits)
{
	emit_number(table, port ? SPACE_IO : 0, 1);
	emit_number(table, bits, 1);
	emit_zeros(table, 2);
	emit_number(table, port, 8);
}

static void append_ports(GByteArray *table)
{
	emit_number(table, PORT_EVENTS, 4);
	emit_zeros(table, 4);
	emit_number(table, PORT_CONTROL, 4);
	emit_zeros(table, 8);
	emit_number(table, PORT_TIMER, 4);
	emit_number(table, PORT_GPE0, 4);
	emit_zeros(table, 4);
	emit_number(table, 4, 1); /* lengths of these, in bytes */
	emit_number(table, 2, 1);
	emit_number(table, 0, 1);
	emit_number(table, 4, 1);
	emit_number(table, 16, 1);
	emit_zeros(table, 3);
}

static void append_registers(GByteArray *table)
{
	append_register(table, PORT_EVENTS, 32);
	append_register(table, 0, 0);
	append_register(table, PORT_CONTROL, 16);
	append_register(table, 0, 0);
	append_register(table, 0, 0);
	append_register(table, PORT_TIMER, 32);
	append_register(table, PORT_GPE0, 128);
	append_register(table, 0, 0);
}

GBytes *emit_facp(const struct topo *topo)
{
	struct topo_facp facp = topo_facp(topo);
	GByteArray *table = emit_table_new(TOPO_TABLE_FACP, facp.revision);
	guint64 facs = emit_low_memory_end(topo) - TABLES_SIZE, dsdt = facs + FACS_SIZE;
	unsigned flags =
		FLAGS | (topo_n_vcpus(topo) > MAX_LOGICAL_FLAT_CPUS ? FLAG_APIC_CLUSTER : 0);

	emit_number(table, facs, 4);
	emit_number(table, dsdt, 4);
	emit_number(table, 1, 1); /* ACPI 1's interrupt model: APIC */
	emit_number(table, 0, 1); /* power profile: unspecified */
	emit_number(table, SCI_INTERRUPT, 2);
	emit_zeros(table, 8); /* no SMI command: without SMM the machine is in ACPI mode */
	append_ports(table);
	emit_number(table, NO_C_STATE, 2);
	emit_number(table, NO_C_STATE, 2);
	emit_zeros(table, 8);
	emit_number(table, CENTURY_REGISTER, 1);
	emit_number(table, BOOT_8042, 2);
	emit_zeros(table, 1);
	emit_number(table, flags, 4);
	append_register(table, PORT_RESET, 8);
	emit_number(table, RESET_VALUE, 1);
	emit_zeros(table, 2); /* ARM's boot flags */
	emit_number(table, facp.minor, 1);
	emit_zeros(table, 8); /* the FACS by its 32-bit address */
	emit_number(table, dsdt, 8);
	append_registers(table);
	if (facp.revision >= SINCE_SLEEP_REGISTERS) {
		append_register(table, 0, 0);
		append_register(table, 0, 0);
	}
	if (facp.revision >= SINCE_HYPERVISOR)
		emit_zeros(table, 8);
	return emit_table_finish(table);
}
