// SPDX-License-Identifier: GPL-2.0-only
#include "emit/table.h"

#include "emit/emit.h"

#include <string.h>

/* Offsets in the header, table 5.4. */
#define LENGTH_AT    4
#define CHECKSUM_AT  9
#define OEM_REVISION 2

static GBytes *(*const writers[TOPO_TABLE_COUNT])(const struct topo *topo) = {
	[TOPO_TABLE_MADT] = emit_madt, [TOPO_TABLE_SRAT] = emit_srat, [TOPO_TABLE_SLIT] = emit_slit,
	[TOPO_TABLE_HMAT] = emit_hmat, [TOPO_TABLE_FACP] = emit_facp,
};

GBytes *emit_table(const struct topo *topo, enum topo_table table)
{
	return writers[table](topo);
}

void emit_number(GByteArray *table, guint64 value, unsigned bytes)
{
	guint64 little_endian = GUINT64_TO_LE(value);

	g_byte_array_append(table, (const guint8 *)&little_endian, bytes);
}

void emit_zeros(GByteArray *table, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		emit_number(table, 0, 1);
}

static void append_text(GByteArray *table, const char *text)
{
	g_byte_array_append(table, (const guint8 *)text, (guint)strlen(text));
}

GByteArray *emit_table_new(enum topo_table table, unsigned revision)
{
	GByteArray *bytes = g_byte_array_new();

	append_text(bytes, topo_table_name(table));
	emit_number(bytes, 0, 4); /* length, later */
	emit_number(bytes, revision, 1);
	emit_number(bytes, 0, 1); /* checksum, later */
	append_text(bytes, "BOCHS ");
	append_text(bytes, "BXPC    ");
	emit_number(bytes, OEM_REVISION, 4);
	append_text(bytes, "BXPC");
	emit_number(bytes, 1, 4);
	return bytes;
}

GBytes *emit_table_finish(GByteArray *bytes)
{
	guint32 length = GUINT32_TO_LE(bytes->len);
	guint8 sum = 0;

	memcpy(bytes->data + LENGTH_AT, &length, sizeof(length));
	for (guint i = 0; i < bytes->len; i++)
		sum = (guint8)(sum + bytes->data[i]);
	bytes->data[CHECKSUM_AT] = (guint8)-sum;
	return g_byte_array_free_to_bytes(bytes);
}
