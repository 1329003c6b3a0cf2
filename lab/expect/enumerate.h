/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The CPUs that a kernel makes of a MADT, and the numbers that it gives them. Firmware that lists
 * them as ACPI wants it leaves nothing to decide; what kernels do with others has changed often.
 */
#ifndef EXPECT_ENUMERATE_H
#define EXPECT_ENUMERATE_H

#include "base/auto.h"
#include "base/cpus.h"
#include "topo/firmware.h"

#include <glib.h>

struct enumerate_input {
	const struct topo_madt_entry *entries;
	unsigned n_entries;
	struct topo_facp facp; /* from 6.3 on firmware knows the flag Online Capable */
	guint32 boot_apic_id;  /* of the CPU that the machine starts on */
	unsigned version;      /* KERNEL_VERSION_OF() */
	/* Linux has a driver for the hypervisor that CPUID names: KVM's, but not TCG's. */
	bool hypervisor_known;
	/*
	 * Positions at which QEMU has a CPU, enabled or not; NULL: at those alone that are enabled.
	 */
	const struct cpus *there;
};

struct enumeration {
	unsigned n_present; /* CPUs 0 to this are there, and are started */
	/*
	 * CPUs from there to this are added by ACPI, whose devices are enumerated when the others
	 * have been started. They are offline.
	 */
	unsigned n_added;
	unsigned n_possible; /* CPUs from there to this may be plugged in */
	/*
	 * n_possible positions (vCPUs) by Linux's CPU number; -1: the kernel gives that number to
	 * the first position that is plugged in, or has nothing that could be.
	 */
	int *position;
};

/*
 * ERROR_UNSUPPORTED for a kernel of which no row is known, unless the MADT is as ACPI wants it, and
 * for CPUs that are added with gaps between their numbers.
 */
struct enumeration *enumerate(const struct enumerate_input *input, GError **error);
void enumeration_free(struct enumeration *enumeration);
AUTO_DEFINE(enumeration, enumeration_free)

/* The same of a machine's own MADT and FACP. */
struct enumeration *enumerate_machine(const struct topo *topo, unsigned version,
				      bool hypervisor_known, GError **error);
/* The machine as the kernel knows it: with the CPUs that are there, under these numbers. New. */
struct topo *enumeration_topo(const struct enumeration *enumeration, const struct topo *topo);

#endif
