/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine model: what a topology file means. Immutable once it has been loaded and validated;
 * every later stage reads it through these functions.
 *
 * CPU numbers are Linux's (the order of the MADT), unless the file's firmware says otherwise
 * (topo/firmware.h). Ids of packages, LLCs, cores and nodes are
 * machine-wide and dense, in the order of the APIC ids.
 */
#ifndef TOPO_TOPO_H
#define TOPO_TOPO_H

#include "base/auto.h"
#include "base/cpus.h"

#include <glib.h>
#include <stdbool.h>

enum topo_vendor { TOPO_VENDOR_AMD, TOPO_VENDOR_INTEL, TOPO_VENDOR_COUNT };
/* The CPUID vendor string: "AuthenticAMD", "GenuineIntel". */
const char *topo_vendor_name(enum topo_vendor vendor);
bool topo_vendor_from_name(const char *name, enum topo_vendor *vendor);

/* How firmware numbers the CPUs. */
enum topo_numbering {
	TOPO_NUMBERING_THREADS_LAST,	 /* all first threads, then all second ones: servers */
	TOPO_NUMBERING_THREADS_ADJACENT, /* siblings are 2n and 2n+1: QEMU's own order */
	TOPO_NUMBERING_EXPLICIT,	 /* as the file lists them */
	TOPO_NUMBERING_COUNT,
};
const char *topo_numbering_name(enum topo_numbering numbering);
bool topo_numbering_from_name(const char *name, enum topo_numbering *numbering);

/* Sharing levels of the hardware, from the inside out; they know nothing of NUMA. */
enum topo_level {
	TOPO_CORE,
	TOPO_L2, /* CPUs with a common L2 */
	TOPO_LLC,
	TOPO_PACKAGE,
	TOPO_LEVEL_COUNT,
};
const char *topo_level_name(enum topo_level level);
bool topo_level_from_name(const char *name, enum topo_level *level);

/* What a processor may lack that its kind has, in CPUID. */
enum topo_lack {
	TOPO_LACK_TOPOEXT, /* AMD's leaves 0x8000001d and 0x8000001e: who shares which cache */
	/*
	 * In AMD's leaf 0x80000006 or Intel's leaf 4. With TOPOEXT QEMU still describes one in
	 * 0x8000001d, for all CPUs of a package.
	 */
	TOPO_LACK_L3,
	TOPO_LACK_COUNT,
};
const char *topo_lack_name(enum topo_lack lack); /* "topoext", "l3" */
bool topo_lack_from_name(const char *name, enum topo_lack *lack);

/* The processor's identity, from CPUID leaves 0 and 1. */
struct topo_cpu_model {
	enum topo_vendor vendor;
	unsigned family, model, stepping;
	unsigned lacks; /* 1 << enum topo_lack */
};

bool topo_cpu_model_lacks(const struct topo_cpu_model *model, enum topo_lack lack);
/* Is there a leaf that tells of its L3? */
bool topo_cpu_model_tells_llc(const struct topo_cpu_model *model);
/* "topoext, l3" for @lacks of a model; "" for nothing. Caller frees. */
char *topo_lacks_text(unsigned lacks);

/*
 * Linux takes these CPUs to share an L3 when their APIC ids >> 3 are equal, whatever CPUID says of
 * who shares it: cacheinfo_amd_init_llc_id(), arch/x86/kernel/cpu/cacheinfo.c.
 */
bool topo_cpu_model_fixes_llc(const struct topo_cpu_model *model);

struct topo_cpu {
	unsigned package, llc, core; /* machine-wide ids */
	unsigned thread;	     /* within the core */
	unsigned node;
	guint32 apic_id;
	/*
	 * QEMU's vCPU index: the rank among all positions that the APIC id has room for, and the
	 * ACPI processor UID of the DSDT.
	 */
	unsigned vcpu;
};

struct topo;

void topo_unref(struct topo *topo);
struct topo *topo_ref(struct topo *topo);
AUTO_DEFINE(topo, topo_unref)

const char *topo_name(const struct topo *topo);
const char *topo_title(const struct topo *topo);
const char *topo_mini_of(const struct topo *topo); /* the full machine's name, or NULL */
/* Where the number of @key ("packages", "distances", ...) comes from; NULL when not stated. */
const char *topo_reference(const struct topo *topo, const char *key);
/* The file's own text, so that a result can carry the machine it was judged against. */
const char *topo_text(const struct topo *topo);
const struct topo_cpu_model *topo_cpu_model(const struct topo *topo);
enum topo_numbering topo_numbering(const struct topo *topo);
/* Extra words for the kernel command line, blank separated; "" when there are none. */
const char *topo_boot_arguments(const struct topo *topo);

unsigned topo_n_cpus(const struct topo *topo);
const struct topo_cpu *topo_cpu(const struct topo *topo, unsigned cpu);

/*
 * QEMU's vCPUs are the positions that the APIC id has room for, in the order of the ids. At some of
 * them there may be no CPU.
 */
unsigned topo_n_vcpus(const struct topo *topo);
/* Linux's number of the CPU at position @vcpu, -1 when it is empty. */
int topo_cpu_of_vcpu(const struct topo *topo, unsigned vcpu);
/* The node under which firmware lists the position; an empty one, too, is under some CPU's node. */
unsigned topo_node_of_vcpu(const struct topo *topo, unsigned vcpu);
guint32 topo_apic_id_of_vcpu(const struct topo *topo, unsigned vcpu);
/* The positions, as QEMU's -smp wants them. */
unsigned topo_n_packages(const struct topo *topo);
unsigned topo_llcs_per_package(const struct topo *topo);
unsigned topo_core_slots_per_llc(const struct topo *topo);
unsigned topo_cores_per_l2(const struct topo *topo);
unsigned topo_threads_per_core(const struct topo *topo);
/* The core's number within its package as the APIC id has it, gaps and all. */
unsigned topo_core_id(const struct topo *topo, unsigned cpu);
/* 0: the nodes are not slices of the packages. */
unsigned topo_nodes_per_package(const struct topo *topo);

/*
 * The same machine to a kernel that has only some of its CPUs, or numbers them otherwise: its CPU i
 * is @order[i], all of which exist. The last @n_added come when the others have been started. New.
 */
struct topo *topo_renumbered(const struct topo *topo, const int *order, unsigned n,
			     unsigned n_added);
/* 0 for a machine that was not renumbered. */
unsigned topo_n_added(const struct topo *topo);

/*
 * The CPUs that share @level with @cpu; owned by the model. Where there is no L3 a package's CPUs
 * are the LLC's.
 */
struct cpus *topo_mask(const struct topo *topo, enum topo_level level, unsigned cpu);
struct cpus *topo_all_cpus(const struct topo *topo);

/* Nodes with CPUs, then those with memory alone. */
unsigned topo_n_nodes(const struct topo *topo);
struct cpus *topo_node_cpus(const struct topo *topo, unsigned node);
unsigned topo_node_memory_mib(const struct topo *topo, unsigned node);
unsigned topo_memory_mib(const struct topo *topo); /* of all nodes together */
/* As in the SLIT: row @from, column @to; need not be symmetric. */
unsigned topo_distance(const struct topo *topo, unsigned from, unsigned to);

#endif
