/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What firmware tells Linux of the machine: the ACPI tables that come from a topology file, entry
 * by entry. They follow from the machine, but where the file's key 'firmware' says otherwise.
 */
#ifndef TOPO_FIRMWARE_H
#define TOPO_FIRMWARE_H

#include "topo/topo.h"

enum topo_table {
	TOPO_TABLE_MADT,
	TOPO_TABLE_SRAT,
	TOPO_TABLE_SLIT,
	TOPO_TABLE_HMAT,
	TOPO_TABLE_FACP,
	TOPO_TABLE_COUNT,
};
/* The signature: "APIC", "SRAT", "SLIT", "HMAT", "FACP". */
const char *topo_table_name(enum topo_table table);
bool topo_table_from_name(const char *name, enum topo_table *table);

/*
 * Must the guest be given this table by us? QEMU's own lists every position in the order of the
 * APIC ids, each in its node; another numbering, empty positions, which Linux would take for CPUs
 * to be plugged in, and whatever the key 'firmware' says need another one.
 */
bool topo_replaces_table(const struct topo *topo, enum topo_table table);
/* Has QEMU one of its own, which ours takes the place of? */
bool topo_emulator_has_table(const struct topo *topo, enum topo_table table);

/* ACPI 6.5, 5.2.12.2 and 5.2.12.12 */
struct topo_madt_entry {
	unsigned vcpu; /* the position, and the processor UID */
	guint32 apic_id;
	bool x2apic; /* type 9, else type 0 */
	bool enabled, online_capable;
};

/* The processors that the MADT lists, in its order. Owned by the model. */
const struct topo_madt_entry *topo_madt(const struct topo *topo, unsigned *n);

enum topo_affinity { TOPO_AFFINITY_CPU, TOPO_AFFINITY_MEMORY };

/* ACPI 6.5, 5.2.16 */
struct topo_srat_entry {
	enum topo_affinity affinity;
	unsigned subject; /* the position of a CPU, or the node whose memory it is */
	unsigned domain;
	bool x2apic; /* of a CPU: type 2, else type 0 */
	bool enabled;
	bool hotplug; /* of memory */
};

/* The CPUs and the nodes' memory that the SRAT lists, in its order. Owned by the model. */
const struct topo_srat_entry *topo_srat(const struct topo *topo, unsigned *n);

/* The proximity domain by which firmware speaks of a node. */
unsigned topo_domain_of_node(const struct topo *topo, unsigned node);

/* The SLIT: @n times @n distances, row = from, by domains. NULL: there is none. */
const guint8 *topo_slit(const struct topo *topo, unsigned *n);

/*
 * The HMAT: what the CPUs of a node get from the memory of another. Nodes with CPUs are initiators,
 * all nodes are targets; row = initiator.
 */
struct topo_hmat {
	unsigned n_initiators, n_targets;
	unsigned *latency;   /* ns */
	unsigned *bandwidth; /* MB/s */
};

/* NULL: the machine has none. */
const struct topo_hmat *topo_hmat(const struct topo *topo);

/* QEMU's FACP says that it is one of ACPI 3, and is 244 bytes long. */
#define TOPO_FACP_REVISION 3

struct topo_facp {
	unsigned revision, minor;
};

/* The ACPI version that the FACP claims. */
struct topo_facp topo_facp(const struct topo *topo);

/* Where a machine breaks, on purpose, what Linux takes to hold of hardware. */
enum topo_fault {
	TOPO_FAULT_L3_OVER_NODES,   /* an L3 is in several nodes and Linux warns of that */
	TOPO_FAULT_CORE_OVER_NODES, /* the threads of a core are in several nodes */
	TOPO_FAULT_COUNT,
};
const char *topo_fault_name(enum topo_fault fault);
bool topo_fault_from_name(const char *name, enum topo_fault *fault);
bool topo_has_fault(const struct topo *topo, enum topo_fault fault);

#endif
