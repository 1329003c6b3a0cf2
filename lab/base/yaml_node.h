/* SPDX-License-Identifier: GPL-2.0-only */
/* What yaml.c builds and yaml_node.c reads; nobody else includes this. */
#ifndef BASE_YAML_NODE_H
#define BASE_YAML_NODE_H

#include "base/yaml.h"

struct yaml_node {
	const struct yaml *yaml;
	struct yaml_node *parent; /* NULL: the root, or a key */
	enum yaml_type type;
	unsigned line, column; /* from 1 */
	char *text;	       /* of a scalar */
	bool plain;	       /* a scalar without quotes */
	GPtrArray *keys;       /* of a mapping: struct yaml_node *, beside @items */
	GPtrArray *items;      /* of a list or mapping: struct yaml_node * */
};

struct yaml {
	char *file;
	struct yaml_node *root;
};

void yaml_set_error(const char *file, unsigned line, unsigned column, const char *text,
		    GError **error);

#endif
