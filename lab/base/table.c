// SPDX-License-Identifier: GPL-2.0-only
#include "base/table.h"

#include "base/terminal.h"

#include <libsmartcols.h>
#include <stdarg.h>
#include <stdio.h>

struct table {
	struct libscols_table *scols;
	unsigned n_columns;
};

static int column_flags(enum table_align align)
{
	switch (align) {
	case TABLE_LEFT:
		return 0;
	case TABLE_RIGHT:
		return SCOLS_FL_RIGHT;
	case TABLE_WRAP:
		return SCOLS_FL_WRAP;
	}
	return 0;
}

struct table *table_new(const struct table_column *columns)
{
	struct table *table = g_new0(struct table, 1);

	table->scols = scols_new_table();
	/* libsmartcols fails only for want of memory, for which GLib ends the process, too. */
	if (!table->scols)
		g_error("out of memory");
	scols_table_enable_ascii(table->scols, !terminal_is_utf8());
	scols_table_set_column_separator(table->scols, "  ");
	for (; columns->name; columns++) {
		scols_table_new_column(table->scols, columns->name, 0.1,
				       column_flags(columns->align));
		table->n_columns++;
	}
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	scols_unref_table(table->scols);
	g_free(table);
}

void table_add(struct table *table, ...)
{
	struct libscols_line *line = scols_table_new_line(table->scols, NULL);
	va_list args;

	va_start(args, table);
	for (unsigned i = 0; i < table->n_columns; i++)
		scols_line_set_data(line, i, va_arg(args, const char *));
	va_end(args);
}

void table_print(struct table *table)
{
	scols_table_set_stream(table->scols, stdout);
	scols_print_table(table->scols);
}
