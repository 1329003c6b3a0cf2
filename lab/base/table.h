/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables on standard output, by libsmartcols: columns as wide as they need to be. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/auto.h"

#include <glib.h>

struct table;

enum table_align {
	TABLE_LEFT,
	TABLE_RIGHT, /* numbers */
	TABLE_WRAP,  /* text that may take several lines where the terminal is narrow */
};

struct table_column {
	const char *name; /* "NAME" */
	enum table_align align;
};

/* @columns ends with an empty row. */
struct table *table_new(const struct table_column *columns);
void table_free(struct table *table);
AUTO_DEFINE(table, table_free)

/* One text per column, copied; NULL is an empty cell. */
void table_add(struct table *table, ...);
void table_print(struct table *table);

#endif
