/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of struct topo, for those who make and check it; nobody outside topo/ includes this.
 */
#ifndef TOPO_MODEL_H
#define TOPO_MODEL_H

#include "topo/firmware.h"
#include "topo/topo.h"

/* As many CPUs as KVM gives one guest: KVM_MAX_VCPUS in arch/x86/include/asm/kvm_host.h. */
#define TOPO_MAX_CPUS 1024
/* KVM_MAX_VCPU_IDS, in the same file. */
#define TOPO_MAX_APIC_IDS 4096
/* MAX_NODES in QEMU's include/sysemu/numa.h; Debian's kernels have room for 1024 (NODES_SHIFT). */
#define TOPO_MAX_NODES 128

/* Proximity domains of a SRAT before revision 2, which QEMU's is, have eight bits. */
#define TOPO_MAX_DOMAINS 256
/* In an entry of a file that gives no domain, until the nodes of all positions are known. */
#define TOPO_DOMAIN_OF_NODE G_MAXUINT

/* ACPI 6.5 section 5.2.17: 10 is a node's distance to itself, 255 means unreachable. */
#define TOPO_LOCAL_DISTANCE 10
#define TOPO_MAX_DISTANCE   254
/* What Linux takes where no SLIT says otherwise: REMOTE_DISTANCE, include/linux/topology.h */
#define TOPO_DEFAULT_DISTANCE 20

/* The positions that the APIC id has room for, and what a regular machine has in them. */
struct topo_shape {
	unsigned packages;
	unsigned llcs;	     /* per package */
	unsigned core_slots; /* per LLC */
	unsigned threads;    /* per core */
	unsigned cores;	     /* per LLC; the slots after these are empty */
	unsigned l2_cores;   /* per L2: a power of two, so that it shows in no APIC id */
	unsigned nodes;	     /* per package; 0: the file has a row for each CPU */
};

/* A position is a vCPU of QEMU's, whether a CPU is there or not. */
struct topo_position {
	guint32 apic_id;
	int cpu;       /* Linux's number; -1: empty */
	unsigned node; /* an empty one has that of the position before it */
};

/* The tables; what the file does not say topo_build_firmware() makes of the machine. */
struct topo_firmware {
	bool own_madt, own_srat, own_slit, own_facp; /* the file says them */
	GArray *madt;				     /* struct topo_madt_entry */
	GArray *srat;				     /* struct topo_srat_entry */
	unsigned *domain;			     /* n_nodes */
	unsigned n_slit;			     /* 0: there is none */
	guint8 *slit;				     /* n_slit squared */
	struct topo_hmat *hmat;			     /* NULL: none */
	struct topo_facp facp;
	unsigned faults; /* 1 << enum topo_fault */
};

struct topo {
	char *name, *title, *text, *boot_arguments;
	char *mini_of;		/* NULL: a machine of its own */
	char **keeps;		/* names of keeps.c; NULL: not a mini */
	GHashTable *references; /* char * -> char * */
	struct topo_cpu_model model;
	enum topo_numbering numbering;
	struct topo_shape shape;

	unsigned n_nodes;	   /* the nodes without CPUs are the last ones */
	unsigned n_memory_nodes;   /* of them without CPUs */
	unsigned *node_memory_mib; /* n_nodes */
	unsigned *distance;	   /* n_nodes squared, row = from */

	/* What topo_build() makes of the above. */
	unsigned n_cpus;
	unsigned n_added;     /* the last of them, which are not there at first */
	struct topo_cpu *cpu; /* n_cpus */
	unsigned n_vcpus;
	struct topo_position *vcpu;	       /* n_vcpus, in the order of the APIC ids */
	struct cpus **node_cpus;	       /* n_nodes */
	struct cpus **masks[TOPO_LEVEL_COUNT]; /* n_cpus each; CPUs with equal masks share one */
	struct cpus *all;
	struct topo_firmware firmware;
};

struct topo *topo_new(void);

/* Frees what follows from the CPUs: masks and sets, which are then to be built anew. */
void topo_clear_sets(struct topo *topo);

/* Lowest bit of the level's field in an APIC id: CPUs that share @level differ only below it. */
unsigned topo_apic_shift(const struct topo_shape *shape, enum topo_level level);

/* Place @vcpu with the ids within their parents: package, LLC, core, thread, APIC id. */
struct topo_cpu topo_place(const struct topo_shape *shape, unsigned vcpu);

/* How many positions there are. */
unsigned topo_shape_positions(const struct topo_shape *shape);

/* Fills in the second half from the first; the shape must have been checked. */
void topo_build(struct topo *topo);
/* The tables of a machine that is built otherwise. */
void topo_build_firmware(struct topo *topo);
void topo_clear_firmware(struct topo_firmware *firmware);

/*
 * The node that Linux makes of each domain of the SRAT, for domains below TOPO_MAX_DOMAINS; -1: the
 * SRAT does not have it. acpi_map_pxm_to_node() counts them as acpi_numa_init() meets them: first
 * the CPUs, then memory.
 */
void topo_number_domains(const GArray *srat, int node_of_domain[]);

#endif
