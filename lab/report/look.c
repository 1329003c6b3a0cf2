// SPDX-License-Identifier: GPL-2.0-only
#include "report/look.h"

#include "base/error.h"

/* A guest whose vCPUs all spin may stand at as many places as it has vCPUs. */
#define PLACES_SHOWN 8

static json_t *text_to_json(const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	return valid ? json_string(valid) : json_null();
}

static json_t *places_to_json(const GPtrArray *places)
{
	json_t *array = json_array();

	for (guint i = 0; places && i < places->len; i++) {
		const struct look_place *place = g_ptr_array_index(places, i);
		json_t *json = json_object();

		json_object_set_new(json, "vcpus", text_to_json(place->vcpus));
		json_object_set_new(json, "where", text_to_json(place->where));
		json_object_set_new(json, "source", text_to_json(place->source));
		json_object_set_new(json, "state", text_to_json(place->state));
		json_array_append_new(array, json);
	}
	return array;
}

json_t *look_to_json(const struct look *look)
{
	json_t *json, *parts;

	if (!look)
		return json_null();
	json = json_object();
	parts = json_object();
	for (enum look_part part = 0; part < LOOK_PARTS; part++)
		if (look->parts[part].tried)
			json_object_set_new(parts, look_part_name(part),
					    text_to_json(look->parts[part].problem));
	json_object_set_new(json, "console_bytes",
			    look->console_bytes < 0 ? json_null()
						    : json_integer(look->console_bytes));
	json_object_set_new(json, "parts", parts);
	json_object_set_new(json, "places", places_to_json(look->places));
	json_object_set_new(json, "undecoded", text_to_json(look->undecoded));
	return json;
}

static bool look_failed(GError **error, const char *what)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "the result's member 'look' is malformed: %s", what);
	return false;
}

/* Null and absent are NULL. */
static bool read_text(const json_t *json, const char *member, const char **text, GError **error)
{
	const json_t *value = json_object_get(json, member);

	*text = json_string_value(value);
	return !value || json_is_null(value) || *text ||
	       look_failed(error, "a text is not a string or null");
}

static bool read_places(const json_t *array, struct look *look, GError **error)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *json = json_array_get(array, i);
		const char *vcpus, *where, *source, *state;

		if (!read_text(json, "vcpus", &vcpus, error) ||
		    !read_text(json, "where", &where, error) ||
		    !read_text(json, "source", &source, error) ||
		    !read_text(json, "state", &state, error))
			return false;
		if (!vcpus || !where)
			return look_failed(error, "a place lacks its vcpus or where");
		/* The text is only copied. */
		look_add_place(look, &(struct look_place){
					     .vcpus = (char *)(guintptr)vcpus,
					     .where = (char *)(guintptr)where,
					     .source = (char *)(guintptr)source,
					     .state = (char *)(guintptr)state,
				     });
	}
	return true;
}

static bool read_parts(json_t *parts, struct look *look, GError **error)
{
	const char *name;
	json_t *problem;

	json_object_foreach (parts, name, problem) {
		enum look_part part;

		if (!look_part_from_name(name, &part))
			continue;
		if (!json_is_string(problem) && !json_is_null(problem))
			return look_failed(error, "what went wrong is not a string or null");
		look_note(look, part, json_string_value(problem));
	}
	return true;
}

bool look_from_json(const json_t *json, struct look **look, GError **error)
{
	AUTO(look) *found = NULL;
	json_t *parts = json_object_get(json, "parts");
	const json_t *places = json_object_get(json, "places");
	const json_t *bytes = json_object_get(json, "console_bytes");
	const char *undecoded;

	if (!json || json_is_null(json))
		return true;
	if (!json_is_object(parts) || !json_is_array(places))
		return look_failed(error, "parts is no object or places no array");
	found = look_new();
	if (json_is_integer(bytes) && json_integer_value(bytes) >= 0)
		found->console_bytes = json_integer_value(bytes);
	else if (bytes && !json_is_null(bytes))
		return look_failed(error, "console_bytes is not a whole number or null");
	if (!read_text(json, "undecoded", &undecoded, error) || !read_parts(parts, found, error) ||
	    !read_places(places, found, error))
		return false;
	found->undecoded = g_strdup(undecoded);
	*look = g_steal_pointer(&found);
	return true;
}

static void append_place(GString *text, const struct look_place *place)
{
	g_string_append_printf(text, "%s%s at %s", text->len ? "; " : "", place->vcpus,
			       place->where);
	if (place->source && place->state)
		g_string_append_printf(text, " (%s, %s)", place->source, place->state);
	else if (place->source || place->state)
		g_string_append_printf(text, " (%s)", place->source ?: place->state);
}

char *look_places_text(const struct look *look)
{
	GString *text;

	if (!look->places)
		return NULL;
	text = g_string_new(NULL);
	for (guint i = 0; i < MIN(look->places->len, PLACES_SHOWN); i++)
		append_place(text, g_ptr_array_index(look->places, i));
	if (look->places->len > PLACES_SHOWN)
		g_string_append_printf(text, "; and %u places more",
				       look->places->len - PLACES_SHOWN);
	return g_string_free(text, FALSE);
}

static void append_part(GString *text, const struct look *look, enum look_part part)
{
	const char *separator = text->len ? "; " : "";

	if (!look->parts[part].tried)
		return;
	if (look->parts[part].problem)
		g_string_append_printf(text, "%s%s: %s", separator, look_part_name(part),
				       look->parts[part].problem);
	else if (part == LOOK_REGISTERS)
		g_string_append_printf(text, "%s" LOOK_REGISTERS_FILE, separator);
	else if (part == LOOK_MEMORY)
		g_string_append_printf(text, "%s" LOOK_MEMORY_FILE, separator);
	else
		g_string_append_printf(
			text, "%s%s: console.log, after its first %" G_GINT64_FORMAT " bytes",
			separator, look_part_name(part), look->console_bytes);
}

char *look_parts_text(const struct look *look)
{
	GString *text = g_string_new(NULL);

	for (enum look_part part = 0; part < LOOK_PARTS; part++)
		append_part(text, look, part);
	if (look->undecoded)
		g_string_append_printf(text, "%saddresses have no names: %s", text->len ? "; " : "",
				       look->undecoded);
	return g_string_free(text, FALSE);
}
