// SPDX-License-Identifier: GPL-2.0-only
#include "topo/change.h"

#include <string.h>

/* Of the file itself, not of the machine. */
static bool is_of_the_file(const char *key)
{
	static const char *const keys[] = {"name",	"title", "mini-of", "keeps",
					   "reference", "of",	 NULL};

	return g_strv_contains(keys, key);
}

/* Boot arguments belong to the machine and need no reference. */
static bool needs_reference(const char *key)
{
	return !is_of_the_file(key) && strcmp(key, "boot") != 0;
}

/* The processor is changed key by key: what is not said of it stays. */
static void write_merged(GString *text, const struct yaml_node *base,
			 const struct yaml_node *change)
{
	const char *comma = "";

	g_string_append_c(text, '{');
	for (unsigned i = 0; i < yaml_count(base); i++, comma = ", ") {
		const char *key = yaml_key(base, i);

		g_string_append_printf(text, "%s%s: ", comma, key);
		yaml_write(yaml_get(change, key) ?: yaml_item(base, i), text);
	}
	for (unsigned i = 0; i < yaml_count(change); i++) {
		const char *key = yaml_key(change, i);

		if (yaml_get(base, key))
			continue;
		g_string_append_printf(text, "%s%s: ", comma, key);
		yaml_write(yaml_item(change, i), text);
		comma = ", ";
	}
	g_string_append_c(text, '}');
}

static void write_pair(GString *text, const char *key, const struct yaml_node *base,
		       const struct yaml_node *change)
{
	g_string_append_printf(text, "%s: ", key);
	if (base && change && strcmp(key, "cpu") == 0 && yaml_type(base) == YAML_MAPPING &&
	    yaml_type(change) == YAML_MAPPING)
		write_merged(text, base, change);
	else
		yaml_write(change ?: base, text);
	g_string_append_c(text, '\n');
}

/* Quoted, since it may hold anything. */
static void write_text(GString *text, const char *key, const char *value)
{
	g_autofree char *quoted = yaml_quoted(value);

	g_string_append_printf(text, "%s: %s\n", key, quoted);
}

static void write_reference(GString *text, const struct yaml_node *references, const char *key,
			    bool changed, const char *reference)
{
	const struct yaml_node *own = changed ? NULL : yaml_get(references, key);

	if (!needs_reference(key))
		return;
	if (own) {
		g_string_append_printf(text, "  %s: ", key);
		yaml_write(own, text);
		g_string_append_c(text, '\n');
	} else {
		g_string_append(text, "  ");
		write_text(text, key, reference);
	}
}

static void write_references(GString *text, const struct yaml_node *root,
			     const struct yaml_node *changes, const char *reference)
{
	const struct yaml_node *references = yaml_get(root, "reference");

	g_string_append(text, "reference:\n");
	for (unsigned i = 0; i < yaml_count(root); i++)
		write_reference(text, references, yaml_key(root, i),
				yaml_get(changes, yaml_key(root, i)), reference);
	for (unsigned i = 0; i < yaml_count(changes); i++)
		if (!yaml_get(root, yaml_key(changes, i)))
			write_reference(text, references, yaml_key(changes, i), true, reference);
}

char *topo_change(const char *base, const struct yaml_node *changes, const char *name,
		  const char *title, const char *reference, GError **error)
{
	AUTO(yaml) *yaml = yaml_parse(base, strlen(base), name, error);
	const struct yaml_node *root;
	GString *text;

	if (!yaml)
		return NULL;
	root = yaml_root(yaml);
	text = g_string_new("# SPDX-License-Identifier: GPL-2.0-only\n");
	write_text(text, "name", name);
	write_text(text, "title", title);
	write_references(text, root, changes, reference);
	for (unsigned i = 0; i < yaml_count(root); i++) {
		if (is_of_the_file(yaml_key(root, i)))
			continue;
		write_pair(text, yaml_key(root, i), yaml_item(root, i),
			   yaml_get(changes, yaml_key(root, i)));
	}
	for (unsigned i = 0; i < yaml_count(changes); i++) {
		if (yaml_get(root, yaml_key(changes, i)) || is_of_the_file(yaml_key(changes, i)))
			continue;
		write_pair(text, yaml_key(changes, i), NULL, yaml_item(changes, i));
	}
	return g_string_free(text, FALSE);
}
