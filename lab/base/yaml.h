/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A strict reader for the small YAML files that ship with topolab or that users write: topologies
 * and kernels. libfyaml splits the text; what a scalar means is decided here and never guessed, so
 * "010", "2 3" and "1e3" are errors and not numbers. Anchors, aliases, tags, duplicate keys and a
 * second document are errors.
 *
 * Every error is ERROR_INPUT and reads "file:line:column: sentence", line and column from 1. A
 * node's own name in such a sentence is its path: 'cpu.family', 'distances[1][0]'.
 */
#ifndef BASE_YAML_H
#define BASE_YAML_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

#define YAML_MAX_BYTES (1u << 20)
#define YAML_MAX_DEPTH 16  /* lists and mappings inside each other */
#define YAML_MAX_KEYS  256 /* of one mapping */

enum yaml_type { YAML_SCALAR, YAML_LIST, YAML_MAPPING };

struct yaml;
struct yaml_node; /* owned by its document */

/* Pure. @file is only for messages. */
struct yaml *yaml_parse(const char *text, gsize length, const char *file, GError **error);
void yaml_free(struct yaml *yaml);
AUTO_DEFINE(yaml, yaml_free)
const struct yaml_node *yaml_root(const struct yaml *yaml);

enum yaml_type yaml_type(const struct yaml_node *node);
unsigned yaml_line(const struct yaml_node *node);
/* Sets @error to "file:line:column: " and the sentence, at @node's place. Always false. */
bool yaml_error(const struct yaml_node *node, GError **error, const char *format, ...)
	G_GNUC_PRINTF(3, 4);
/* "PATH must be FORMAT, not 'VALUE'" at the scalar @node; a long value is cut. Always false. */
bool yaml_wrong(const struct yaml_node *node, GError **error, const char *format, ...)
	G_GNUC_PRINTF(3, 4);
/* For messages: "'cpu.family'" with its quotes, "the file" for the root. The caller frees it. */
char *yaml_path(const struct yaml_node *node);

/* Is it a mapping, and is each of its keys one of @allowed (NULL-terminated)? */
bool yaml_check_keys(const struct yaml_node *node, const char *const *allowed, GError **error);
/* Is it a list? */
bool yaml_check_list(const struct yaml_node *node, GError **error);

/* The value of @key, or NULL when there is none or @node is no mapping. */
const struct yaml_node *yaml_get(const struct yaml_node *node, const char *key);
/* The same; no such key is an error. */
const struct yaml_node *yaml_require(const struct yaml_node *node, const char *key, GError **error);

/* Elements of a list or values of a mapping, in the file's order; a scalar has none. */
unsigned yaml_count(const struct yaml_node *node);
const struct yaml_node *yaml_item(const struct yaml_node *node, unsigned i);
/* Key number @i of a mapping: its text, and the node to point at. */
const char *yaml_key(const struct yaml_node *node, unsigned i);
const struct yaml_node *yaml_key_node(const struct yaml_node *node, unsigned i);

/* Plain decimal digits without sign, leading zero, quotes or unit, within [@min, @max]. */
bool yaml_unsigned(const struct yaml_node *node, unsigned min, unsigned max, unsigned *value,
		   GError **error);
/* "256M" or "4G" (binary units), in MiB; within [@min, @max] MiB. */
bool yaml_size_mib(const struct yaml_node *node, unsigned min, unsigned max, unsigned *mib,
		   GError **error);
/* A scalar in any style, not empty. Owned by the document. NULL on error. */
const char *yaml_text(const struct yaml_node *node, GError **error);
/* Lower case letters, digits, '-', '.', beginning with a letter or digit; at most 64. */
const char *yaml_name(const struct yaml_node *node, GError **error);

/* @text in double quotes, as YAML reads it. Caller frees. */
char *yaml_quoted(const char *text);
/* Appends the node in one line, as YAML that reads back the same. */
void yaml_write(const struct yaml_node *node, GString *text);

#endif
