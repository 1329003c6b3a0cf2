// SPDX-License-Identifier: GPL-2.0-only
/*
 * What Linux makes of a file's own SRAT and SLIT must be what its other keys say, so that nothing
 * downstream has to ask which of them was meant. That does not hang on the kernel's version.
 */
#include "topo/load_yaml.h"

static const struct yaml_node *place(const struct yaml_node *root, const char *key)
{
	return yaml_get(yaml_get(root, "firmware"), key);
}

/* A position without a CPU would let Linux wait for it, ten seconds each: do_boot_cpu(). */
static bool check_madt(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	bool boot_cpu = false;

	if (!topo->firmware.own_madt)
		return true;
	for (guint i = 0; i < topo->firmware.madt->len; i++) {
		const struct topo_madt_entry *entry =
			&g_array_index(topo->firmware.madt, struct topo_madt_entry, i);

		if (entry->enabled && topo->vcpu[entry->vcpu].cpu < 0)
			return yaml_error(
				place(root, "madt"), error,
				"'firmware.madt' enables position %u, but no CPU is there",
				entry->vcpu);
		boot_cpu |= entry->enabled && entry->vcpu == 0;
	}
	return boot_cpu || yaml_error(place(root, "madt"), error,
				      "'firmware.madt' does not enable position 0, where the "
				      "machine starts");
}

static bool check_domains(const struct topo *topo, const int node_of_domain[],
			  const struct yaml_node *root, GError **error)
{
	unsigned n = 0;

	for (unsigned domain = 0; domain < TOPO_MAX_DOMAINS; domain++)
		n += node_of_domain[domain] >= 0;
	return n == topo->n_nodes ||
	       yaml_error(place(root, "srat"), error,
			  "'firmware.srat' has %u domains, of which Linux makes nodes, but the "
			  "machine has %u nodes",
			  n, topo->n_nodes);
}

/* numa_meminfo_cover_memory(), arch/x86/mm/numa.c: memory in no node, and it drops the SRAT. */
static bool check_memory(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	AUTO(cpus) *listed = cpus_new();

	for (guint i = 0; i < topo->firmware.srat->len; i++) {
		const struct topo_srat_entry *entry =
			&g_array_index(topo->firmware.srat, struct topo_srat_entry, i);

		if (entry->affinity != TOPO_AFFINITY_MEMORY || !entry->enabled)
			continue;
		if (cpus_has(listed, entry->subject))
			return yaml_error(place(root, "srat"), error,
					  "'firmware.srat' lists the memory of node %u twice",
					  entry->subject);
		cpus_add(listed, entry->subject);
	}
	for (unsigned node = 0; node < topo->n_nodes; node++)
		if (!cpus_has(listed, node))
			return yaml_error(place(root, "srat"), error,
					  "'firmware.srat' does not list the memory of node %u; "
					  "Linux would not use it",
					  node);
	return true;
}

/*
 * srat_detect_node() for a CPU that the SRAT does not name. Intel's keeps what numa_init_array()
 * chose: nodes with memory in turn, by the CPU's number. AMD's takes the number of its last-level
 * cache for one. -1: it hangs on more than that.
 */
static int node_of_omitted(const struct topo *topo, unsigned cpu)
{
	unsigned id = topo->cpu[cpu].apic_id >> topo_apic_shift(&topo->shape, TOPO_LLC);

	if (topo->model.vendor == TOPO_VENDOR_AMD)
		return id < topo->n_nodes ? (int)id : -1;
	return topo->firmware.own_madt ? -1 : (int)(cpu % topo->n_nodes);
}

static bool check_omitted(const struct topo *topo, const int domain_of[],
			  const struct yaml_node *root, GError **error)
{
	for (unsigned cpu = 0; cpu < topo->n_cpus; cpu++) {
		unsigned vcpu = topo->cpu[cpu].vcpu;
		int node = domain_of[vcpu] < 0 ? node_of_omitted(topo, cpu) : -1;

		if (node >= 0 && node != (int)topo->cpu[cpu].node)
			return yaml_error(place(root, "srat"), error,
					  "'firmware.srat' omits position %u, where CPU %u is in "
					  "node %u; Linux puts such a CPU in node %d",
					  vcpu, cpu, topo->cpu[cpu].node, node);
	}
	return true;
}

/* set_apicid_to_node(): of several entries for one id the last one counts. */
static bool check_cpu_nodes(const struct topo *topo, const int node_of_domain[],
			    const struct yaml_node *root, GError **error)
{
	g_autofree int *domain_of = g_new(int, topo->n_vcpus);

	for (unsigned vcpu = 0; vcpu < topo->n_vcpus; vcpu++)
		domain_of[vcpu] = -1;
	for (guint i = 0; i < topo->firmware.srat->len; i++) {
		const struct topo_srat_entry *entry =
			&g_array_index(topo->firmware.srat, struct topo_srat_entry, i);

		if (entry->affinity == TOPO_AFFINITY_CPU && entry->enabled)
			domain_of[entry->subject] = (int)entry->domain;
	}
	for (unsigned cpu = 0; cpu < topo->n_cpus; cpu++) {
		int domain = domain_of[topo->cpu[cpu].vcpu];

		if (domain < 0 || node_of_domain[domain] == (int)topo->cpu[cpu].node)
			continue;
		return yaml_error(
			place(root, "srat"), error,
			"'firmware.srat' has position %u in domain %d, which Linux makes "
			"node %d of, but CPU %u there is in node %u: it counts domains as "
			"the SRAT lists them, those of CPUs first",
			topo->cpu[cpu].vcpu, domain, node_of_domain[domain], cpu,
			topo->cpu[cpu].node);
	}
	return check_omitted(topo, domain_of, root, error);
}

static bool check_srat(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	int node_of_domain[TOPO_MAX_DOMAINS];

	if (!topo->firmware.own_srat)
		return true;
	topo_number_domains(topo->firmware.srat, node_of_domain);
	return check_domains(topo, node_of_domain, root, error) &&
	       check_memory(topo, root, error) &&
	       check_cpu_nodes(topo, node_of_domain, root, error);
}

/* slit_valid(), drivers/acpi/numa/srat.c: one such number, and Linux drops the table. */
static bool slit_is_used(const struct topo_firmware *firmware)
{
	for (unsigned from = 0; from < firmware->n_slit; from++) {
		for (unsigned to = 0; to < firmware->n_slit; to++) {
			unsigned distance = firmware->slit[from * firmware->n_slit + to];

			if (from == to ? distance != TOPO_LOCAL_DISTANCE
				       : distance <= TOPO_LOCAL_DISTANCE)
				return false;
		}
	}
	return firmware->n_slit > 0;
}

/* numa_set_distance(), and numa_alloc_distance() for the rest. */
static unsigned distance_to_linux(const struct topo *topo, unsigned from, unsigned to)
{
	const struct topo_firmware *firmware = &topo->firmware;
	unsigned row = firmware->domain[from], column = firmware->domain[to];

	if (slit_is_used(firmware) && row < firmware->n_slit && column < firmware->n_slit)
		return firmware->slit[row * firmware->n_slit + column];
	return from == to ? TOPO_LOCAL_DISTANCE : TOPO_DEFAULT_DISTANCE;
}

static bool check_slit(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	if (!topo->firmware.own_slit)
		return true;
	for (unsigned from = 0; from < topo->n_nodes; from++) {
		for (unsigned to = 0; to < topo->n_nodes; to++) {
			unsigned said = topo->distance[from * topo->n_nodes + to];
			unsigned seen = distance_to_linux(topo, from, to);

			if (seen == said)
				continue;
			return yaml_error(
				place(root, "slit"), error,
				"'firmware.slit' lets Linux take the distance from node %u to node "
				"%u to be %u, but 'distances' says %u%s",
				from, to, seen, said,
				topo->firmware.n_slit && !slit_is_used(&topo->firmware)
					? ": it drops a table with a diagonal other than 10 or "
					  "another number below 11"
					: "");
		}
	}
	return true;
}

bool topo_validate_firmware(const struct topo *topo, const struct yaml_node *root, GError **error)
{
	return check_madt(topo, root, error) && check_srat(topo, root, error) &&
	       check_slit(topo, root, error);
}
