/* SPDX-License-Identifier: GPL-2.0-only */
/* Small machines for the tests of emit/, loaded as a file would be. */
#ifndef TESTS_EMIT_MACHINE_H
#define TESTS_EMIT_MACHINE_H

#include "topo/load.h"

#include <string.h>

struct machine {
	const char *cpu; /* "vendor: AuthenticAMD, family: 25, ..." */
	unsigned packages, llcs, cores, threads, nodes; /* each within the one before it */
	const char *distances;				/* YAML */
	const char *numbering;
	const char *boot; /* YAML list; NULL: none */
	/* Further keys, each with a reference; "memory_only_nodes: 1\n". NULL: none. */
	const char *more, *more_references;
};

#define MACHINE_MILAN  "vendor: AuthenticAMD, family: 25, model: 1, stepping: 1"
#define MACHINE_NAPLES "vendor: AuthenticAMD, family: 23, model: 1, stepping: 2"
#define MACHINE_SPR    "vendor: GenuineIntel, family: 6, model: 143, stepping: 8"
#define MACHINE_MEMORY 384 /* MiB per node */

static inline struct topo *machine_load(const struct machine *machine)
{
	g_autofree char *boot =
		machine->boot ? g_strdup_printf("boot: %s\n", machine->boot) : g_strdup("");
	g_autofree char *text = g_strdup_printf(
		"name: machine\ntitle: a machine\ncpu: {%s}\npackages: %u\nl3_per_package: %u\n"
		"cores_per_l3: %u\nthreads_per_core: %u\nnodes_per_package: %u\n"
		"memory_per_node: %uM\ndistances: %s\nnumbering: %s\n%s%s"
		"reference: {cpu: x, packages: x, l3_per_package: x, cores_per_l3: x, "
		"threads_per_core: x, nodes_per_package: x, memory_per_node: x, distances: x, "
		"numbering: x%s}\n",
		machine->cpu, machine->packages, machine->llcs, machine->cores, machine->threads,
		machine->nodes, MACHINE_MEMORY, machine->distances, machine->numbering, boot,
		machine->more ?: "", machine->more_references ?: "");
	g_autoptr(GError) error = NULL;
	struct topo *topo = topo_load_text(text, strlen(text), "machine.yaml", &error);

	if (!topo)
		g_error("%s", error->message);
	return topo;
}

/*
 * 2 packages x 3 L3 x 1 of 8 cores x 2 threads. By hand: thread 1 bit, core 3, L3 2, so package
 * << 6 | L3 << 4 | core << 1 | thread; 16 positions in an L3, 48 in a package, 96 in all.
 */
#define MACHINE_SPARSE                                                                             \
	{                                                                                          \
		.cpu = MACHINE_MILAN, .packages = 2, .llcs = 3, .cores = 1, .threads = 2,          \
		.nodes = 1, .distances = "{other-package: 32}", .numbering = "threads-last",       \
		.more = "core_slots_per_l3: 8\n", .more_references = ", core_slots_per_l3: x",     \
	}

/* 2 packages x 8 L3 x 8 cores x 2 threads, four nodes per package: 256 CPUs, APIC ids 0-255. */
#define MACHINE_NPS4                                                                               \
	{                                                                                          \
		.cpu = MACHINE_MILAN, .packages = 2, .llcs = 8, .cores = 8, .threads = 2,          \
		.nodes = 4, .distances = "{same-package: 12, other-package: 32}",                  \
		.numbering = "threads-last",                                                       \
	}

#endif
