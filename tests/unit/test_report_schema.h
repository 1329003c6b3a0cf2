/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * As much of JSON Schema 2020-12 as lab/report/result.schema.json uses: type, enum, required,
 * properties, items. Any other keyword that restricts something is an error, so that the schema
 * cannot promise what nobody checks.
 */
#ifndef TEST_REPORT_SCHEMA_H
#define TEST_REPORT_SCHEMA_H

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <string.h>

static inline bool schema_type_is(const json_t *value, const char *type)
{
	static const struct {
		const char *name;
		json_type types[2];
	} rows[] = {
		{"object", {JSON_OBJECT, JSON_OBJECT}}, {"array", {JSON_ARRAY, JSON_ARRAY}},
		{"string", {JSON_STRING, JSON_STRING}}, {"integer", {JSON_INTEGER, JSON_INTEGER}},
		{"number", {JSON_INTEGER, JSON_REAL}},	{"boolean", {JSON_TRUE, JSON_FALSE}},
		{"null", {JSON_NULL, JSON_NULL}},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++)
		if (strcmp(rows[i].name, type) == 0)
			return json_typeof(value) == rows[i].types[0] ||
			       json_typeof(value) == rows[i].types[1];
	return false;
}

static inline bool schema_type_matches(const json_t *value, const json_t *type)
{
	if (json_is_string(type))
		return schema_type_is(value, json_string_value(type));
	for (size_t i = 0; i < json_array_size(type); i++)
		if (schema_type_is(value, json_string_value(json_array_get(type, i))))
			return true;
	return false;
}

static inline bool schema_enum_matches(const json_t *value, const json_t *values)
{
	for (size_t i = 0; i < json_array_size(values); i++)
		if (json_equal(value, json_array_get(values, i)))
			return true;
	return false;
}

/* NULL: valid; else a sentence. @where grows into a path. */
static inline char *schema_check(const json_t *schema, const json_t *value, const char *where);

static inline char *schema_check_object(const json_t *schema, const json_t *value,
					const char *where)
{
	json_t *properties = json_object_get(schema, "properties"), *property;
	const json_t *required = json_object_get(schema, "required");
	const char *key;

	for (size_t i = 0; i < json_array_size(required); i++) {
		const char *name = json_string_value(json_array_get(required, i));

		if (!json_object_get(value, name))
			return g_strdup_printf("%s lacks '%s'", where, name);
	}
	json_object_foreach (properties, key, property) {
		const json_t *member = json_object_get(value, key);
		g_autofree char *path = g_strdup_printf("%s.%s", where, key);
		char *problem = member ? schema_check(property, member, path) : NULL;

		if (problem)
			return problem;
	}
	return NULL;
}

static inline char *schema_check_items(const json_t *items, const json_t *value, const char *where)
{
	for (size_t i = 0; items && i < json_array_size(value); i++) {
		g_autofree char *path = g_strdup_printf("%s[%zu]", where, i);
		char *problem = schema_check(items, json_array_get(value, i), path);

		if (problem)
			return problem;
	}
	return NULL;
}

static inline char *schema_check(const json_t *schema, const json_t *value, const char *where)
{
	const json_t *type = json_object_get(schema, "type");
	const json_t *values = json_object_get(schema, "enum");

	if (type && !schema_type_matches(value, type))
		return g_strdup_printf("%s is of another type", where);
	if (values && !schema_enum_matches(value, values))
		return g_strdup_printf("%s is none of the values it may have", where);
	if (json_is_object(value))
		return schema_check_object(schema, value, where);
	if (json_is_array(value))
		return schema_check_items(json_object_get(schema, "items"), value, where);
	return NULL;
}

/* Does the schema itself keep to what is checked? NULL or the keyword that does not. */
static inline const char *schema_unknown_keyword(const json_t *schema)
{
	static const char *const known[] = {"$schema", "$comment",   "title", "description", "type",
					    "enum",    "properties", "items", "required",    NULL};
	json_t *properties = json_object_get(schema, "properties"), *value;
	const json_t *items = json_object_get(schema, "items");
	const char *key, *unknown;

	json_object_foreach ((json_t *)(gsize)schema, key, value)
		if (!g_strv_contains(known, key))
			return key;
	json_object_foreach (properties, key, value) {
		unknown = schema_unknown_keyword(value);
		if (unknown)
			return unknown;
	}
	return items ? schema_unknown_keyword(items) : NULL;
}

static inline json_t *schema_load(void)
{
	json_error_t error;
	json_t *schema = json_load_file(TOPOLAB_SOURCE "/lab/report/result.schema.json",
					JSON_REJECT_DUPLICATES, &error);

	if (!schema)
		g_error("result.schema.json:%d: %s", error.line, error.text);
	return schema;
}

#endif
