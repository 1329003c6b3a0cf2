// SPDX-License-Identifier: GPL-2.0-only
/*
 * The key 'firmware': tables that say the machine in a way of their own, often on purpose in a
 * wrong one. The other keys say what Linux comes to see all the same, and where that does not hang
 * on the kernel's version it is checked here. What it makes of a MADT does.
 */
#include "topo/load_yaml.h"

#include <string.h>

#define FIRST_X2APIC_ID 255
#define MAX_ENTRIES	(4u * TOPO_MAX_CPUS)
/* Of HMAT's entries, 16 bits with 0 and 0xffff reserved, in units of up to 1000 MB/s. */
#define MAX_LATENCY_NS	  65534u
#define MAX_BANDWIDTH_MBS 65534000u
#define MAX_SLIT	  TOPO_MAX_DOMAINS
/* FADT revisions that Linux' ACPICA knows: struct acpi_table_fadt, include/acpi/actbl.h */
#define MIN_FACP_REVISION 3u
#define MAX_FACP_REVISION 6u
/*
 * QEMU's tables then are no more than the 128 KiB that it rounds them up to (420 positions take 62
 * KiB), which emit/facp.c relies on.
 */
#define MAX_FACP_POSITIONS 512u

/* "yes" or "no"; @value stays what it is where the key is not given. */
static bool read_switch(const struct yaml_node *mapping, const char *key, bool *value,
			GError **error)
{
	const struct yaml_node *node = yaml_get(mapping, key);
	const char *text = node ? yaml_text(node, error) : NULL;

	if (!node)
		return true;
	if (!text)
		return false;
	*value = strcmp(text, "yes") == 0;
	return *value || strcmp(text, "no") == 0 || yaml_wrong(node, error, "'yes' or 'no'");
}

/* "0-3,8", ascending, each below @limit; @noun: what is counted. NULL: @error says why. */
static struct cpus *read_list(const struct yaml_node *node, unsigned limit, const char *noun,
			      GError **error)
{
	const char *text = yaml_text(node, error);
	AUTO(cpus) *list = text ? cpus_parse_list(text, NULL) : NULL;
	g_autofree char *canonical = list ? cpus_to_list(list) : NULL;

	if (!text)
		return NULL;
	if (!list || cpus_is_empty(list) || strcmp(canonical, text) != 0) {
		yaml_wrong(node, error, "%s in ascending order, such as 0-3,8", noun);
		return NULL;
	}
	CPUS_FOREACH (i, list) {
		if ((unsigned)i < limit)
			continue;
		yaml_wrong(node, error, "%s below %u", noun, limit);
		return NULL;
	}
	return g_steal_pointer(&list);
}

/* The type of an entry for position @vcpu: what ACPI wants for its APIC id unless it is given. */
static bool read_type(const struct yaml_node *item, const struct topo *topo, unsigned vcpu,
		      bool *x2apic, GError **error)
{
	const struct yaml_node *node = yaml_get(item, "type");
	guint32 apic_id = topo_place(&topo->shape, vcpu).apic_id;
	const char *text;

	*x2apic = apic_id >= FIRST_X2APIC_ID;
	if (!node)
		return true;
	text = yaml_text(node, error);
	if (!text)
		return false;
	if (strcmp(text, "x2apic") != 0 && strcmp(text, "lapic") != 0)
		return yaml_wrong(node, error, "'lapic' or 'x2apic'");
	if (strcmp(text, "lapic") == 0 && *x2apic)
		return yaml_error(node, error,
				  "position %u has the APIC id %u, which an entry of type 'lapic' "
				  "has no room for",
				  vcpu, apic_id);
	*x2apic = strcmp(text, "x2apic") == 0;
	return true;
}

static bool check_length(const struct yaml_node *list, unsigned n, GError **error)
{
	g_autofree char *path = NULL;

	if (n > 0 && n <= MAX_ENTRIES)
		return true;
	path = yaml_path(list);
	return yaml_error(list, error, "%s has %u entries, it must have 1 to %u", path, n,
			  MAX_ENTRIES);
}

static bool read_madt_item(struct topo *topo, const struct yaml_node *item, GError **error)
{
	static const char *const keys[] = {"cpus", "type", "enabled", "online-capable", NULL};
	struct topo_madt_entry entry = {.enabled = true};
	const struct yaml_node *node;
	AUTO(cpus) *vcpus = NULL;

	if (!yaml_check_keys(item, keys, error))
		return false;
	node = yaml_require(item, "cpus", error);
	vcpus = node ? read_list(node, topo_shape_positions(&topo->shape), "positions", error)
		     : NULL;
	if (!vcpus || !read_switch(item, "enabled", &entry.enabled, error) ||
	    !read_switch(item, "online-capable", &entry.online_capable, error))
		return false;
	CPUS_FOREACH (vcpu, vcpus) {
		entry.vcpu = (unsigned)vcpu;
		if (!read_type(item, topo, entry.vcpu, &entry.x2apic, error))
			return false;
		g_array_append_val(topo->firmware.madt, entry);
	}
	return true;
}

static bool read_madt(struct topo *topo, const struct yaml_node *list, GError **error)
{
	if (!list)
		return true;
	topo->firmware.own_madt = true;
	topo->firmware.madt = g_array_new(FALSE, FALSE, sizeof(struct topo_madt_entry));
	if (!yaml_check_list(list, error))
		return false;
	for (unsigned i = 0; i < yaml_count(list); i++)
		if (!read_madt_item(topo, yaml_item(list, i), error))
			return false;
	return check_length(list, topo->firmware.madt->len, error);
}

static bool read_srat_cpus(struct topo *topo, const struct yaml_node *item,
			   struct topo_srat_entry entry, GError **error)
{
	static const char *const keys[] = {"cpus", "domain", "type", "enabled", NULL};
	AUTO(cpus) *vcpus = NULL;

	if (!yaml_check_keys(item, keys, error))
		return false;
	vcpus = read_list(yaml_get(item, "cpus"), topo_shape_positions(&topo->shape), "positions",
			  error);
	if (!vcpus)
		return false;
	entry.affinity = TOPO_AFFINITY_CPU;
	CPUS_FOREACH (vcpu, vcpus) {
		entry.subject = (unsigned)vcpu;
		if (!read_type(item, topo, entry.subject, &entry.x2apic, error))
			return false;
		g_array_append_val(topo->firmware.srat, entry);
	}
	return true;
}

static bool read_srat_memory(struct topo *topo, const struct yaml_node *item,
			     struct topo_srat_entry entry, GError **error)
{
	static const char *const keys[] = {"memory", "domain", "enabled", "hotplug", NULL};
	AUTO(cpus) *nodes = NULL;

	if (!yaml_check_keys(item, keys, error) ||
	    !read_switch(item, "hotplug", &entry.hotplug, error))
		return false;
	nodes = read_list(yaml_get(item, "memory"), topo->n_nodes, "nodes", error);
	if (!nodes)
		return false;
	entry.affinity = TOPO_AFFINITY_MEMORY;
	CPUS_FOREACH (node, nodes) {
		entry.subject = (unsigned)node;
		g_array_append_val(topo->firmware.srat, entry);
	}
	return true;
}

static bool read_srat_item(struct topo *topo, const struct yaml_node *item, GError **error)
{
	struct topo_srat_entry entry = {.enabled = true, .domain = TOPO_DOMAIN_OF_NODE};
	const struct yaml_node *domain = yaml_get(item, "domain");

	if (domain && !yaml_unsigned(domain, 0, TOPO_MAX_DOMAINS - 1, &entry.domain, error))
		return false;
	if (!read_switch(item, "enabled", &entry.enabled, error))
		return false;
	if (yaml_get(item, "memory"))
		return read_srat_memory(topo, item, entry, error);
	return yaml_require(item, "cpus", error) && read_srat_cpus(topo, item, entry, error);
}

static bool read_srat(struct topo *topo, const struct yaml_node *list, GError **error)
{
	if (!list)
		return true;
	topo->firmware.own_srat = true;
	topo->firmware.srat = g_array_new(FALSE, FALSE, sizeof(struct topo_srat_entry));
	if (!yaml_check_list(list, error))
		return false;
	for (unsigned i = 0; i < yaml_count(list); i++)
		if (!read_srat_item(topo, yaml_item(list, i), error))
			return false;
	return check_length(list, topo->firmware.srat->len, error);
}

/* @rows numbers from @min to @max, @columns in each; NULL: @error says why. */
static unsigned *read_rows(const struct yaml_node *list, unsigned rows, unsigned columns,
			   unsigned min, unsigned max, GError **error)
{
	g_autofree unsigned *values = g_new(unsigned, (gsize)rows *columns);
	g_autofree char *path = yaml_path(list);

	if (!yaml_check_list(list, error))
		return NULL;
	if (yaml_count(list) != rows) {
		yaml_error(list, error, "%s has %u rows, it must have %u", path, yaml_count(list),
			   rows);
		return NULL;
	}
	for (unsigned row = 0; row < rows; row++) {
		const struct yaml_node *item = yaml_item(list, row);

		if (!yaml_check_list(item, error))
			return NULL;
		if (yaml_count(item) != columns) {
			yaml_error(item, error, "row %u of %s has %u numbers, it must have %u", row,
				   path, yaml_count(item), columns);
			return NULL;
		}
		for (unsigned i = 0; i < columns; i++)
			if (!yaml_unsigned(yaml_item(item, i), min, max, &values[row * columns + i],
					   error))
				return NULL;
	}
	return g_steal_pointer(&values);
}

/* Any square of bytes, or "none". */
static bool read_slit(struct topo *topo, const struct yaml_node *node, GError **error)
{
	struct topo_firmware *firmware = &topo->firmware;
	g_autofree unsigned *values = NULL;
	unsigned n;

	if (!node)
		return true;
	firmware->own_slit = true;
	if (yaml_type(node) == YAML_SCALAR) {
		const char *text = yaml_text(node, error);

		return text && (strcmp(text, "none") == 0 ||
				yaml_wrong(node, error, "'none' or a list of rows"));
	}
	n = yaml_count(node);
	if (n == 0 || n > MAX_SLIT)
		return yaml_error(node, error, "'firmware.slit' has %u rows, it must have 1 to %d",
				  n, MAX_SLIT);
	values = read_rows(node, n, n, 0, 255, error);
	if (!values)
		return false;
	firmware->n_slit = n;
	firmware->slit = g_new(guint8, (gsize)n * n);
	for (unsigned i = 0; i < n * n; i++)
		firmware->slit[i] = (guint8)values[i];
	return true;
}

/* HMAT gives a matrix one unit, and 16 bits to each number of such units. */
static bool check_bandwidth(const struct topo_hmat *hmat, const struct yaml_node *node,
			    GError **error)
{
	unsigned n = hmat->n_initiators * hmat->n_targets, most = 0, unit = 1;

	for (unsigned i = 0; i < n; i++)
		most = MAX(most, hmat->bandwidth[i]);
	while (most / unit > 65534)
		unit *= 10;
	for (unsigned i = 0; i < n; i++)
		if (hmat->bandwidth[i] % unit)
			return yaml_error(node, error,
					  "'firmware.hmat.bandwidth' has %u, but beside %u all its "
					  "numbers must be multiples of %u",
					  hmat->bandwidth[i], most, unit);
	return true;
}

static bool read_hmat(struct topo *topo, const struct yaml_node *node, GError **error)
{
	static const char *const keys[] = {"latency", "bandwidth", NULL};
	const struct yaml_node *latency, *bandwidth;
	struct topo_hmat *hmat;

	if (!node)
		return true;
	if (!yaml_check_keys(node, keys, error))
		return false;
	latency = yaml_require(node, "latency", error);
	bandwidth = latency ? yaml_require(node, "bandwidth", error) : NULL;
	if (!bandwidth)
		return false;
	hmat = topo->firmware.hmat = g_new0(struct topo_hmat, 1);
	hmat->n_initiators = topo->n_nodes - topo->n_memory_nodes;
	hmat->n_targets = topo->n_nodes;
	hmat->latency =
		read_rows(latency, hmat->n_initiators, hmat->n_targets, 1, MAX_LATENCY_NS, error);
	if (!hmat->latency)
		return false;
	hmat->bandwidth = read_rows(bandwidth, hmat->n_initiators, hmat->n_targets, 1,
				    MAX_BANDWIDTH_MBS, error);
	return hmat->bandwidth && check_bandwidth(hmat, bandwidth, error);
}

static bool read_facp(struct topo *topo, const struct yaml_node *node, GError **error)
{
	static const char *const keys[] = {"revision", "minor", NULL};
	unsigned positions = topo_shape_positions(&topo->shape);
	struct topo_facp *facp = &topo->firmware.facp;
	const struct yaml_node *revision, *minor;

	if (!node)
		return true;
	topo->firmware.own_facp = true;
	if (!yaml_check_keys(node, keys, error))
		return false;
	revision = yaml_require(node, "revision", error);
	minor = revision ? yaml_require(node, "minor", error) : NULL;
	if (!minor ||
	    !yaml_unsigned(revision, MIN_FACP_REVISION, MAX_FACP_REVISION, &facp->revision,
			   error) ||
	    !yaml_unsigned(minor, 0, 15, &facp->minor, error))
		return false;
	return positions <= MAX_FACP_POSITIONS ||
	       yaml_error(node, error,
			  "'firmware.facp' is for machines of at most %u positions, not %u",
			  MAX_FACP_POSITIONS, positions);
}

static bool read_faults(struct topo *topo, const struct yaml_node *list, GError **error)
{
	if (list && !yaml_check_list(list, error))
		return false;
	for (unsigned i = 0; list && i < yaml_count(list); i++) {
		const char *text = yaml_text(yaml_item(list, i), error);
		enum topo_fault fault;

		if (!text)
			return false;
		if (!topo_fault_from_name(text, &fault))
			return yaml_wrong(yaml_item(list, i), error, "'%s' or '%s'",
					  topo_fault_name(TOPO_FAULT_L3_OVER_NODES),
					  topo_fault_name(TOPO_FAULT_CORE_OVER_NODES));
		topo->firmware.faults |= 1u << fault;
	}
	return true;
}

bool topo_read_firmware(struct topo *topo, const struct yaml_node *root, GError **error)
{
	static const char *const keys[] = {"faults", "madt", "srat", "slit", "hmat", "facp", NULL};
	const struct yaml_node *firmware = yaml_get(root, "firmware");

	if (!firmware)
		return true;
	return yaml_check_keys(firmware, keys, error) &&
	       read_faults(topo, yaml_get(firmware, "faults"), error) &&
	       read_madt(topo, yaml_get(firmware, "madt"), error) &&
	       read_srat(topo, yaml_get(firmware, "srat"), error) &&
	       read_slit(topo, yaml_get(firmware, "slit"), error) &&
	       read_hmat(topo, yaml_get(firmware, "hmat"), error) &&
	       read_facp(topo, yaml_get(firmware, "facp"), error);
}
