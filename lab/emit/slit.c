// SPDX-License-Identifier: GPL-2.0-only
/* The System Locality Information Table, ACPI 6.5 section 5.2.17. */
#include "emit/table.h"

#define SLIT_REVISION 1

GBytes *emit_slit(const struct topo *topo)
{
	unsigned n;
	const guint8 *distances = topo_slit(topo, &n);
	GByteArray *table;

	if (!n)
		return NULL;
	table = emit_table_new(TOPO_TABLE_SLIT, SLIT_REVISION);
	emit_number(table, n, 8);
	g_byte_array_append(table, distances, n * n);
	return emit_table_finish(table);
}
