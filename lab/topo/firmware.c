// SPDX-License-Identifier: GPL-2.0-only
/* The tables' contents: as the file says, else as they follow from the machine. */
#include "topo/model.h"

#include "base/names.h"

#include <string.h>

/* ACPI 6.5, 5.2.12.12: type 0 is to be used for smaller ids. */
#define FIRST_X2APIC_ID 255

ENUM_NAMES(topo_table, TOPO_TABLE_COUNT, [TOPO_TABLE_MADT] = "APIC", [TOPO_TABLE_SRAT] = "SRAT",
	   [TOPO_TABLE_SLIT] = "SLIT", [TOPO_TABLE_HMAT] = "HMAT", [TOPO_TABLE_FACP] = "FACP")

ENUM_NAMES(topo_fault, TOPO_FAULT_COUNT, [TOPO_FAULT_L3_OVER_NODES] = "l3-over-nodes",
	   [TOPO_FAULT_CORE_OVER_NODES] = "core-over-nodes")

/* The CPUs in the order of Linux's numbers, empty positions left out. */
static GArray *madt_of_machine(const struct topo *topo)
{
	GArray *madt = g_array_new(FALSE, FALSE, sizeof(struct topo_madt_entry));

	for (unsigned cpu = 0; cpu < topo->n_cpus; cpu++) {
		struct topo_madt_entry entry = {
			.vcpu = topo->cpu[cpu].vcpu,
			.apic_id = topo->cpu[cpu].apic_id,
			.x2apic = topo->cpu[cpu].apic_id >= FIRST_X2APIC_ID,
			.enabled = true,
		};

		g_array_append_val(madt, entry);
	}
	return madt;
}

/* QEMU's build_srat(), hw/i386/acpi-build.c: every position, then the memory of every node. */
static GArray *srat_of_machine(const struct topo *topo)
{
	GArray *srat = g_array_new(FALSE, FALSE, sizeof(struct topo_srat_entry));

	for (unsigned vcpu = 0; vcpu < topo->n_vcpus; vcpu++) {
		struct topo_srat_entry entry = {
			.affinity = TOPO_AFFINITY_CPU,
			.subject = vcpu,
			.domain = topo->vcpu[vcpu].node,
			.x2apic = topo->vcpu[vcpu].apic_id >= FIRST_X2APIC_ID,
			.enabled = true,
		};

		g_array_append_val(srat, entry);
	}
	for (unsigned node = 0; node < topo->n_nodes; node++) {
		struct topo_srat_entry entry = {
			.affinity = TOPO_AFFINITY_MEMORY,
			.subject = node,
			.domain = node,
			.enabled = true,
		};

		g_array_append_val(srat, entry);
	}
	return srat;
}

void topo_number_domains(const GArray *srat, int node_of_domain[])
{
	int next = 0;

	for (unsigned domain = 0; domain < TOPO_MAX_DOMAINS; domain++)
		node_of_domain[domain] = -1;
	for (int affinity = TOPO_AFFINITY_CPU; affinity <= TOPO_AFFINITY_MEMORY; affinity++) {
		for (guint i = 0; i < srat->len; i++) {
			const struct topo_srat_entry *entry =
				&g_array_index(srat, struct topo_srat_entry, i);

			if ((int)entry->affinity == affinity && entry->enabled &&
			    node_of_domain[entry->domain] < 0)
				node_of_domain[entry->domain] = next++;
		}
	}
}

/* Entries of a file that gives no domain have their node's number. */
static void fill_domains(struct topo *topo)
{
	for (guint i = 0; i < topo->firmware.srat->len; i++) {
		struct topo_srat_entry *entry =
			&g_array_index(topo->firmware.srat, struct topo_srat_entry, i);

		if (entry->domain == TOPO_DOMAIN_OF_NODE)
			entry->domain = entry->affinity == TOPO_AFFINITY_CPU
						? topo->vcpu[entry->subject].node
						: entry->subject;
	}
}

static void build_domains(struct topo *topo)
{
	int node_of_domain[TOPO_MAX_DOMAINS];

	topo->firmware.domain = g_new0(unsigned, topo->n_nodes);
	topo_number_domains(topo->firmware.srat, node_of_domain);
	for (unsigned domain = 0; domain < TOPO_MAX_DOMAINS; domain++) {
		int node = node_of_domain[domain];

		if (node >= 0 && (unsigned)node < topo->n_nodes)
			topo->firmware.domain[node] = domain;
	}
}

/* The nodes' distances under their domains' numbers; a number between them that is none's is far.
 */
static void build_slit(struct topo *topo)
{
	struct topo_firmware *firmware = &topo->firmware;
	unsigned n = 0;

	for (unsigned node = 0; node < topo->n_nodes; node++)
		n = MAX(n, firmware->domain[node] + 1);
	firmware->n_slit = n;
	firmware->slit = g_malloc((gsize)n * n);
	memset(firmware->slit, TOPO_DEFAULT_DISTANCE, (gsize)n * n);
	for (unsigned domain = 0; domain < n; domain++)
		firmware->slit[domain * n + domain] = TOPO_LOCAL_DISTANCE;
	for (unsigned from = 0; from < topo->n_nodes; from++)
		for (unsigned to = 0; to < topo->n_nodes; to++)
			firmware->slit[firmware->domain[from] * n + firmware->domain[to]] =
				(guint8)topo->distance[from * topo->n_nodes + to];
}

void topo_build_firmware(struct topo *topo)
{
	struct topo_firmware *firmware = &topo->firmware;

	if (!firmware->own_madt)
		firmware->madt = madt_of_machine(topo);
	for (guint i = 0; i < firmware->madt->len; i++) {
		struct topo_madt_entry *entry =
			&g_array_index(firmware->madt, struct topo_madt_entry, i);

		entry->apic_id = topo->vcpu[entry->vcpu].apic_id;
	}
	if (!firmware->own_srat)
		firmware->srat = srat_of_machine(topo);
	fill_domains(topo);
	build_domains(topo);
	/* QEMU writes none for a single node. */
	if (!firmware->own_slit && topo->n_nodes > 1)
		build_slit(topo);
	if (!firmware->own_facp)
		firmware->facp.revision = TOPO_FACP_REVISION;
}

void topo_clear_firmware(struct topo_firmware *firmware)
{
	g_clear_pointer(&firmware->madt, g_array_unref);
	g_clear_pointer(&firmware->srat, g_array_unref);
	g_free(firmware->domain);
	g_free(firmware->slit);
	if (firmware->hmat) {
		g_free(firmware->hmat->latency);
		g_free(firmware->hmat->bandwidth);
		g_free(firmware->hmat);
	}
}

static bool replaces_madt(const struct topo *topo)
{
	if (topo->firmware.own_madt)
		return true;
	for (unsigned vcpu = 0; vcpu < topo->n_vcpus; vcpu++)
		if (topo->vcpu[vcpu].cpu != (int)vcpu)
			return true;
	return false;
}

bool topo_replaces_table(const struct topo *topo, enum topo_table table)
{
	const struct topo_firmware *firmware = &topo->firmware;

	switch (table) {
	case TOPO_TABLE_MADT:
		return replaces_madt(topo);
	case TOPO_TABLE_SRAT:
		return firmware->own_srat;
	case TOPO_TABLE_SLIT:
		/* QEMU's own goes by the nodes' numbers. */
		return firmware->n_slit && (firmware->own_slit || firmware->own_srat);
	case TOPO_TABLE_HMAT:
		return firmware->hmat != NULL;
	case TOPO_TABLE_FACP:
		return firmware->own_facp;
	case TOPO_TABLE_COUNT:
		break;
	}
	g_assert_not_reached();
}

/* libvirt does not pass distances on that are all what QEMU and Linux take without them. */
static bool has_distances(const struct topo *topo)
{
	for (unsigned from = 0; from < topo->n_nodes; from++)
		for (unsigned to = 0; to < topo->n_nodes; to++)
			if (from != to &&
			    topo->distance[from * topo->n_nodes + to] != TOPO_DEFAULT_DISTANCE)
				return true;
	return false;
}

bool topo_emulator_has_table(const struct topo *topo, enum topo_table table)
{
	if (table == TOPO_TABLE_SLIT)
		return has_distances(topo);
	return table != TOPO_TABLE_HMAT;
}

const struct topo_madt_entry *topo_madt(const struct topo *topo, unsigned *n)
{
	*n = topo->firmware.madt->len;
	return &g_array_index(topo->firmware.madt, struct topo_madt_entry, 0);
}

const struct topo_srat_entry *topo_srat(const struct topo *topo, unsigned *n)
{
	*n = topo->firmware.srat->len;
	return &g_array_index(topo->firmware.srat, struct topo_srat_entry, 0);
}

unsigned topo_domain_of_node(const struct topo *topo, unsigned node)
{
	g_assert(node < topo->n_nodes);
	return topo->firmware.domain[node];
}

const guint8 *topo_slit(const struct topo *topo, unsigned *n)
{
	*n = topo->firmware.n_slit;
	return topo->firmware.slit;
}

const struct topo_hmat *topo_hmat(const struct topo *topo)
{
	return topo->firmware.hmat;
}

struct topo_facp topo_facp(const struct topo *topo)
{
	return topo->firmware.facp;
}

bool topo_has_fault(const struct topo *topo, enum topo_fault fault)
{
	return topo->firmware.faults & 1u << fault;
}
