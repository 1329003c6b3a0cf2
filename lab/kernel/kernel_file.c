// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/kernel_file.h"

#include "base/error.h"
#include "base/yaml.h"

#include <string.h>

static const struct kernel_source *source_named(const char *kind)
{
	for (unsigned i = 0; kernel_source_table[i]; i++)
		if (strcmp(kernel_source_table[i]->kind, kind) == 0)
			return kernel_source_table[i];
	return NULL;
}

static char *source_kinds(void)
{
	GString *kinds = g_string_new(NULL);

	for (unsigned i = 0; kernel_source_table[i]; i++)
		g_string_append_printf(kinds, "%s'%s'", i ? ", " : "",
				       kernel_source_table[i]->kind);
	return g_string_free(kinds, FALSE);
}

static const struct kernel_field *field_named(const struct kernel_source *source, const char *name)
{
	for (const struct kernel_field *field = source->fields; field->name; field++)
		if (strcmp(field->name, name) == 0)
			return field;
	return NULL;
}

/* What is relative is relative to the kernel file's folder. */
static char *resolve_path(const char *path, const char *folder)
{
	return g_path_is_absolute(path) ? g_strdup(path) : g_build_filename(folder, path, NULL);
}

static char *resolve_paths(const char *value, const char *folder)
{
	g_auto(GStrv) words = g_strsplit(value, " ", -1);
	GString *paths = g_string_new(NULL);

	for (unsigned i = 0; words[i]; i++) {
		g_autofree char *path = resolve_path(words[i], folder);

		if (*words[i])
			g_string_append_printf(paths, "%s%s", paths->len ? "\n" : "", path);
	}
	return g_string_free(paths, FALSE);
}

static char *field_value(const struct kernel_field *field, const char *value, const char *from)
{
	g_autofree char *folder = g_path_get_dirname(from);

	switch (field->kind) {
	case FIELD_PATH:
		return resolve_path(value, folder);
	case FIELD_PATHS:
		return resolve_paths(value, folder);
	case FIELD_TEXT:
		break;
	}
	return g_strdup(value);
}

static bool read_fields(struct kernel_file *file, const struct yaml_node *node, const char *from,
			GError **error)
{
	const struct kernel_source *source = file->source;

	if (yaml_type(node) != YAML_MAPPING)
		return yaml_error(node, error, "'%s' is not a mapping", source->kind);
	for (unsigned i = 0; i < yaml_count(node); i++) {
		const char *key = yaml_key(node, i), *value;
		const struct kernel_field *field = field_named(source, key);

		if (!field)
			return yaml_error(yaml_key_node(node, i), error,
					  "a kernel from '%s' has no field '%s'", source->kind,
					  key);
		value = yaml_text(yaml_item(node, i), error);
		if (!value)
			return false;
		if (field->valid && !field->valid(value))
			return yaml_error(yaml_item(node, i), error,
					  "'%s.%s' is '%s', which is not %s", source->kind, key,
					  value, field->form);
		g_hash_table_insert(file->fields, g_strdup(key), field_value(field, value, from));
	}
	for (const struct kernel_field *field = source->fields; field->name; field++)
		if (field->required && !kernel_field(file->fields, field->name))
			return yaml_error(node, error, "a kernel from '%s' needs the field '%s'",
					  source->kind, field->name);
	return true;
}

static bool read_key(struct kernel_file *file, const struct yaml_node *root, unsigned i,
		     const char *from, GError **error)
{
	const char *key = yaml_key(root, i);
	const struct kernel_source *source = source_named(key);

	if (strcmp(key, "title") == 0) {
		file->title = g_strdup(yaml_text(yaml_item(root, i), error));
		return file->title;
	}
	if (!source) {
		g_autofree char *kinds = source_kinds();

		return yaml_error(yaml_key_node(root, i), error,
				  "'%s' is neither 'title' nor a source of kernels (%s)", key,
				  kinds);
	}
	if (file->source)
		return yaml_error(yaml_key_node(root, i), error,
				  "a kernel comes from one source, and '%s' stands beside '%s'",
				  key, file->source->kind);
	file->source = source;
	return read_fields(file, yaml_item(root, i), from, error);
}

static bool read_file(struct kernel_file *file, const struct yaml_node *root, const char *from,
		      GError **error)
{
	if (yaml_type(root) != YAML_MAPPING)
		return yaml_error(root, error, "a kernel file is a mapping");
	for (unsigned i = 0; i < yaml_count(root); i++)
		if (!read_key(file, root, i, from, error))
			return false;
	if (!file->title)
		return yaml_error(root, error, "the kernel has no 'title'");
	if (!file->source) {
		g_autofree char *kinds = source_kinds();

		return yaml_error(root, error, "the kernel has no source (%s)", kinds);
	}
	return true;
}

struct kernel_file *kernel_file_parse(const char *text, gsize length, const char *name,
				      GError **error)
{
	AUTO(yaml) *yaml = yaml_parse(text, length, name, error);
	AUTO(kernel_file) *file = NULL;

	if (!yaml)
		return NULL;
	file = g_new0(struct kernel_file, 1);
	file->fields = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	if (!read_file(file, yaml_root(yaml), name, error))
		return NULL;
	return g_steal_pointer(&file);
}

struct kernel_file *kernel_file_load(const char *path, GError **error)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) cause = NULL;
	gsize length;

	if (!g_file_get_contents(path, &text, &length, &cause)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "cannot read kernel file '%s': %s",
			    path, cause->message);
		return NULL;
	}
	return kernel_file_parse(text, length, path, error);
}

void kernel_file_free(struct kernel_file *file)
{
	if (!file)
		return;
	g_free(file->title);
	g_hash_table_unref(file->fields);
	g_free(file);
}

const char *kernel_field(GHashTable *fields, const char *name)
{
	return g_hash_table_lookup(fields, name);
}
