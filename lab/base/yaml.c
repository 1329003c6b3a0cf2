// SPDX-License-Identifier: GPL-2.0-only
#include "base/yaml.h"

#include "base/error.h"
#include "base/yaml_node.h"

#include <libfyaml.h>
#include <string.h>

#define MAX_KEY_BYTES  64u
#define KEY_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."

/* What has been read so far. */
struct builder {
	struct yaml *yaml;
	struct yaml_node *open; /* the innermost list or mapping that has not ended */
	unsigned depth;
	unsigned line, column; /* of the last event that had a place */
};

static void node_free(gpointer data)
{
	struct yaml_node *node = data;

	if (!node)
		return;
	g_free(node->text);
	g_clear_pointer(&node->keys, g_ptr_array_unref);
	g_clear_pointer(&node->items, g_ptr_array_unref);
	g_free(node);
}

void yaml_free(struct yaml *yaml)
{
	if (!yaml)
		return;
	node_free(yaml->root);
	g_free(yaml->file);
	g_free(yaml);
}

void yaml_set_error(const char *file, unsigned line, unsigned column, const char *text,
		    GError **error)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "%s:%u:%u: %s", file, line, column, text);
}

static bool G_GNUC_PRINTF(3, 4)
	builder_error(const struct builder *builder, GError **error, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	yaml_set_error(builder->yaml->file, builder->line, builder->column, text, error);
	return false;
}

static struct yaml_node *node_new(const struct builder *builder, enum yaml_type type)
{
	struct yaml_node *node = g_new0(struct yaml_node, 1);

	node->yaml = builder->yaml;
	node->type = type;
	node->line = builder->line;
	node->column = builder->column;
	if (type != YAML_SCALAR)
		node->items = g_ptr_array_new_with_free_func(node_free);
	if (type == YAML_MAPPING)
		node->keys = g_ptr_array_new_with_free_func(node_free);
	return node;
}

/* Does the open mapping wait for a key? */
static bool builder_wants_key(const struct builder *builder)
{
	const struct yaml_node *open = builder->open;

	return open && open->type == YAML_MAPPING && open->keys->len == open->items->len;
}

static bool builder_add_key(struct builder *builder, struct yaml_node *key, GError **error)
{
	struct yaml_node *open = builder->open;
	gsize length = strlen(key->text);

	if (length == 0 || length > MAX_KEY_BYTES || strspn(key->text, KEY_CHARACTERS) != length)
		return builder_error(builder, error,
				     "a key must be a word of at most %u letters, digits, '-', '_' "
				     "and '.'",
				     MAX_KEY_BYTES);
	for (unsigned i = 0; i < open->keys->len; i++) {
		const struct yaml_node *other = g_ptr_array_index(open->keys, i);

		if (strcmp(other->text, key->text) == 0)
			return builder_error(builder, error,
					     "key '%s' is given twice, first in line %u", key->text,
					     other->line);
	}
	if (open->keys->len == YAML_MAX_KEYS)
		return builder_error(builder, error, "a mapping has more than %d keys",
				     YAML_MAX_KEYS);
	g_ptr_array_add(open->keys, key);
	return true;
}

/* Takes @node over whether it succeeds or not. */
static bool builder_add(struct builder *builder, struct yaml_node *node, GError **error)
{
	if (builder_wants_key(builder)) {
		if (node->type == YAML_SCALAR && builder_add_key(builder, node, error))
			return true;
		if (node->type != YAML_SCALAR)
			builder_error(builder, error,
				      "a key must be a word, not a list or mapping");
		node_free(node);
		return false;
	}
	if (!builder->open && builder->yaml->root) {
		node_free(node);
		return builder_error(builder, error,
				     "a second document begins here, a file must hold exactly one");
	}
	node->parent = builder->open;
	if (builder->open)
		g_ptr_array_add(builder->open->items, node);
	else
		builder->yaml->root = node;
	return true;
}

static bool builder_open(struct builder *builder, enum yaml_type type, GError **error)
{
	struct yaml_node *node;

	if (builder->depth == YAML_MAX_DEPTH)
		return builder_error(builder, error,
				     "lists and mappings are nested more than %d deep",
				     YAML_MAX_DEPTH);
	node = node_new(builder, type);
	if (!builder_add(builder, node, error))
		return false;
	builder->open = node;
	builder->depth++;
	return true;
}

static bool builder_scalar(struct builder *builder, struct fy_token *token, GError **error)
{
	struct yaml_node *node = node_new(builder, YAML_SCALAR);
	size_t length = 0;
	const char *text = token ? fy_token_get_text(token, &length) : "";

	if (text && memchr(text, '\0', length)) {
		node_free(node);
		return builder_error(builder, error, "a NUL character is written here");
	}
	node->text = g_strndup(text ? text : "", length);
	node->plain = !token || fy_token_scalar_style(token) == FYSS_PLAIN;
	return builder_add(builder, node, error);
}

/*
 * Where the event stands; an empty value has no place and keeps that of the event before it.
 * libfyaml's marks stand behind the sign of an anchor or alias and behind an opening quote.
 */
static void builder_place(struct builder *builder, struct fy_token *token, unsigned sign)
{
	const struct fy_mark *mark = token ? fy_token_start_mark(token) : NULL;

	if (!mark)
		return;
	builder->line = (unsigned)mark->line + 1;
	builder->column = (unsigned)mark->column + 1 - sign;
}

static void builder_place_scalar(struct builder *builder, struct fy_token *token)
{
	enum fy_scalar_style style = token ? fy_token_scalar_style(token) : FYSS_PLAIN;

	/* Nothing stands behind its key: libfyaml 0.9 has a token for that, 0.7 has none. */
	if (token && style == FYSS_PLAIN && fy_token_get_text_length(token) == 0)
		return;
	builder_place(builder, token, style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED);
}

static bool builder_refuse(struct builder *builder, struct fy_token *anchor, struct fy_token *tag,
			   GError **error)
{
	if (!anchor && !tag)
		return true;
	builder_place(builder, anchor ? anchor : tag, anchor ? 1 : 0);
	return builder_error(builder, error,
			     anchor ? "anchors are not read here: write the value out"
				    : "tags are not read here: write the value without one");
}

static bool builder_event(struct builder *builder, const struct fy_event *event, GError **error)
{
	switch (event->type) {
	case FYET_DOCUMENT_START:
		builder_place(builder, event->document_start.document_start, 0);
		return true;
	case FYET_SCALAR:
		builder_place_scalar(builder, event->scalar.value);
		return builder_refuse(builder, event->scalar.anchor, event->scalar.tag, error) &&
		       builder_scalar(builder, event->scalar.value, error);
	case FYET_SEQUENCE_START:
		builder_place(builder, event->sequence_start.sequence_start, 0);
		return builder_refuse(builder, event->sequence_start.anchor,
				      event->sequence_start.tag, error) &&
		       builder_open(builder, YAML_LIST, error);
	case FYET_MAPPING_START:
		builder_place(builder, event->mapping_start.mapping_start, 0);
		return builder_refuse(builder, event->mapping_start.anchor,
				      event->mapping_start.tag, error) &&
		       builder_open(builder, YAML_MAPPING, error);
	case FYET_ALIAS:
		builder_place(builder, event->alias.anchor, 1);
		return builder_error(builder, error,
				     "aliases are not read here: write the value out");
	case FYET_SEQUENCE_END:
	case FYET_MAPPING_END:
		builder->open = builder->open->parent;
		builder->depth--;
		return true;
	case FYET_NONE:
	case FYET_STREAM_START:
	case FYET_STREAM_END:
	case FYET_DOCUMENT_END:
		return true;
	}
	return true;
}

/* libfyaml's own complaint: the first error that it collected. */
static bool parser_error(struct fy_diag *diag, const struct builder *builder, GError **error)
{
	void *iterator = NULL;
	const struct fy_diag_error *first = fy_diag_errors_iterate(diag, &iterator);
	unsigned line = builder->line, column = builder->column;
	g_autofree char *text = NULL;

	if (first && first->line > 0 && first->column > 0) {
		line = (unsigned)first->line;
		column = (unsigned)first->column;
	}
	text = g_strdup_printf("this is not YAML: %s",
			       first && first->msg ? first->msg : "the parser gave up");
	yaml_set_error(builder->yaml->file, line, column, g_strchomp(text), error);
	return false;
}

static bool parser_run(struct fy_parser *parser, struct fy_diag *diag, struct builder *builder,
		       GError **error)
{
	struct fy_event *event;
	bool ok = true;

	while (ok && (event = fy_parser_parse(parser))) {
		ok = builder_event(builder, event, error);
		fy_parser_event_free(parser, event);
	}
	if (!ok)
		return false;
	if (fy_parser_get_stream_error(parser))
		return parser_error(diag, builder, error);
	if (!builder->yaml->root)
		return builder_error(builder, error, "the file is empty");
	return true;
}

/* Position of a byte, for what libfyaml would not have got as far as telling. */
static void builder_place_byte(struct builder *builder, const char *text, gsize offset)
{
	for (gsize i = 0; i < offset; i++) {
		if (text[i] == '\n') {
			builder->line++;
			builder->column = 1;
		} else if (((guint8)text[i] & 0xc0) != 0x80) {
			builder->column++;
		}
	}
}

static bool text_check(struct builder *builder, const char *text, gsize length, GError **error)
{
	const char *end;

	if (length > YAML_MAX_BYTES)
		return builder_error(builder, error, "the file has %zu bytes, more than %u",
				     (size_t)length, YAML_MAX_BYTES);
	if (length == 0)
		return builder_error(builder, error, "the file is empty");
	if (!g_utf8_validate(text, (gssize)length, &end)) {
		builder_place_byte(builder, text, (gsize)(end - text));
		return builder_error(builder, error, "byte 0x%02x is not UTF-8 text", (guint8)*end);
	}
	return true;
}

/* Without a diagnostic object that collects them libfyaml prints its complaints to stderr. */
static struct fy_diag *diag_new(void)
{
	struct fy_diag_cfg config;
	struct fy_diag *diag;

	fy_diag_cfg_default(&config);
	config.fp = NULL;
	diag = fy_diag_create(&config);
	if (diag)
		fy_diag_set_collect_errors(diag, true);
	return diag;
}

struct yaml *yaml_parse(const char *text, gsize length, const char *file, GError **error)
{
	AUTO(yaml) *yaml = g_new0(struct yaml, 1);
	struct builder builder = {.yaml = yaml, .line = 1, .column = 1};
	struct fy_parse_cfg config = {.flags = FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2};
	struct fy_parser *parser;
	bool ok;

	yaml->file = g_strdup(file);
	if (!text_check(&builder, text, length, error))
		return NULL;
	config.diag = diag_new();
	parser = config.diag ? fy_parser_create(&config) : NULL;
	if (parser && fy_parser_set_string(parser, text, length) == 0)
		ok = parser_run(parser, config.diag, &builder, error);
	else
		ok = builder_error(&builder, error, "libfyaml cannot be set up");
	fy_parser_destroy(parser);
	fy_diag_destroy(config.diag);
	return ok ? g_steal_pointer(&yaml) : NULL;
}
