// SPDX-License-Identifier: GPL-2.0-only
/*
 * The Heterogeneous Memory Attribute Table, ACPI 6.5 section 5.2.28: each node's memory with the
 * CPUs beside it, then what every node with CPUs gets from every memory.
 */
#include "emit/table.h"

#define HMAT_REVISION	   2
#define HMAT_PROXIMITY	   0 /* 5.2.28.3 */
#define HMAT_LOCALITY	   1 /* 5.2.28.4 */
#define INITIATOR_VALID	   1
#define ACCESS_LATENCY	   0
#define ACCESS_BANDWIDTH   3
#define MAX_ENTRY	   65534
#define PICOSECONDS_PER_NS 1000

/* Memory without CPUs beside it has none attached: Linux then looks for the best ones. */
static void append_proximity(GByteArray *table, const struct topo *topo, unsigned node)
{
	bool has_cpus = !cpus_is_empty(topo_node_cpus(topo, node));

	emit_number(table, HMAT_PROXIMITY, 2);
	emit_zeros(table, 2);
	emit_number(table, 40, 4);
	emit_number(table, has_cpus ? INITIATOR_VALID : 0, 2);
	emit_zeros(table, 2);
	emit_number(table, has_cpus ? topo_domain_of_node(topo, node) : 0, 4);
	emit_number(table, topo_domain_of_node(topo, node), 4);
	emit_zeros(table, 20);
}

static void append_locality(GByteArray *table, const struct topo *topo, unsigned type,
			    const unsigned *values, unsigned divisor, unsigned unit)
{
	const struct topo_hmat *hmat = topo_hmat(topo);
	unsigned n = hmat->n_initiators * hmat->n_targets;

	emit_number(table, HMAT_LOCALITY, 2);
	emit_zeros(table, 2);
	emit_number(table, 32 + 4 * (hmat->n_initiators + hmat->n_targets) + 2 * n, 4);
	emit_number(table, 0, 1); /* of memory, not of a cache in front of it */
	emit_number(table, type, 1);
	emit_zeros(table, 2);
	emit_number(table, hmat->n_initiators, 4);
	emit_number(table, hmat->n_targets, 4);
	emit_zeros(table, 4);
	emit_number(table, unit, 8);
	for (unsigned node = 0; node < hmat->n_initiators; node++)
		emit_number(table, topo_domain_of_node(topo, node), 4);
	for (unsigned node = 0; node < hmat->n_targets; node++)
		emit_number(table, topo_domain_of_node(topo, node), 4);
	for (unsigned i = 0; i < n; i++)
		emit_number(table, values[i] / divisor, 2);
}

/* The smallest power of ten in which the largest bandwidth fits 16 bits; the loader saw to it. */
static unsigned bandwidth_unit(const struct topo_hmat *hmat)
{
	unsigned most = 0, unit = 1;

	for (unsigned i = 0; i < hmat->n_initiators * hmat->n_targets; i++)
		most = MAX(most, hmat->bandwidth[i]);
	while (most / unit > MAX_ENTRY)
		unit *= 10;
	return unit;
}

GBytes *emit_hmat(const struct topo *topo)
{
	const struct topo_hmat *hmat = topo_hmat(topo);
	GByteArray *table;
	unsigned unit;

	if (!hmat)
		return NULL;
	table = emit_table_new(TOPO_TABLE_HMAT, HMAT_REVISION);
	emit_zeros(table, 4);
	for (unsigned node = 0; node < hmat->n_targets; node++)
		append_proximity(table, topo, node);
	append_locality(table, topo, ACCESS_LATENCY, hmat->latency, 1, PICOSECONDS_PER_NS);
	unit = bandwidth_unit(hmat);
	append_locality(table, topo, ACCESS_BANDWIDTH, hmat->bandwidth, unit, unit);
	return emit_table_finish(table);
}
