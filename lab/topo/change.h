/* SPDX-License-Identifier: GPL-2.0-only */
/* A machine that is another one but for a few keys of its file. Pure. */
#ifndef TOPO_CHANGE_H
#define TOPO_CHANGE_H

#include "base/yaml.h"

/*
 * The text of a topology file: @base, the other machine's, with the values of the mapping @changes
 * in place of its own; 'cpu' is changed key by key. What is changed refers to @reference.
 * The machine is called @name and is no mini. ERROR_INPUT when @base is not YAML. Caller frees.
 */
char *topo_change(const char *base, const struct yaml_node *changes, const char *name,
		  const char *title, const char *reference, GError **error);

#endif
