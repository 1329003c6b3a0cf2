// SPDX-License-Identifier: GPL-2.0-only
#include "base/records.h"

#include "base/error.h"

#include <string.h>
#include <zlib.h>

/*
 * Bounds beside that on the whole stream. A container costs jansson some 300 bytes where the text
 * has two, so text and containers are counted, or 64 MiB of "{}" would ask for gigabytes.
 */
#define MAX_RECORDS    100000u
#define MAX_LINE       (64u << 10)
#define MAX_TEXT       (8u << 20)
#define MAX_CONTAINERS (2 * MAX_RECORDS)
#define MAX_NAME       64u

struct records {
	GPtrArray *list;   /* struct record * */
	GHashTable *blobs; /* char * name -> GBytes *, both owned by the record */
	bool complete;
};

struct parser {
	const guint8 *data;
	gsize length, offset;
	gsize text, containers; /* used up so far */
	gsize line_offset;	/* of the record at hand, for messages */
	struct records *records;
};

static void record_free(void *pointer)
{
	struct record *record = pointer;

	json_decref(record->head);
	g_clear_pointer(&record->blob, g_bytes_unref);
	g_free(record);
}

void records_free(struct records *records)
{
	if (!records)
		return;
	g_hash_table_unref(records->blobs);
	g_ptr_array_unref(records->list);
	g_free(records);
}

static bool parser_fail(const struct parser *parser, GError **error, const char *format, ...)
	G_GNUC_PRINTF(3, 4);

static bool parser_fail(const struct parser *parser, GError **error, const char *format, ...)
{
	g_autofree char *sentence = NULL;
	va_list arguments;

	va_start(arguments, format);
	sentence = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "the agent's stream, record %u at byte %zu: %s", parser->records->list->len + 1,
		    parser->line_offset, sentence);
	return false;
}

/* Names become member and metric names: nothing that a path or a terminal could take amiss. */
static bool name_is_sane(const char *name)
{
	gsize length = strlen(name);

	return length > 0 && length <= MAX_NAME &&
	       strspn(name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-_.") == length;
}

static bool parser_count_line(struct parser *parser, const char *line, gsize length, GError **error)
{
	for (gsize i = 0; i < length; i++)
		if (line[i] == '{' || line[i] == '[')
			parser->containers++;
	parser->text += length;
	if (parser->containers > MAX_CONTAINERS)
		return parser_fail(parser, error, "more than %u JSON objects and arrays",
				   MAX_CONTAINERS);
	if (parser->text > MAX_TEXT)
		return parser_fail(parser, error, "more than %u bytes of JSON", MAX_TEXT);
	return true;
}

/* The record's JSON object; the offset moves behind its newline. */
static json_t *parser_line(struct parser *parser, GError **error)
{
	const char *line = (const char *)parser->data + parser->offset;
	gsize left = parser->length - parser->offset;
	const char *newline = memchr(line, '\n', MIN(left, MAX_LINE));
	g_autofree char *escaped = NULL;
	json_error_t problem;
	json_t *head;

	if (!newline && left >= MAX_LINE) {
		parser_fail(parser, error, "a line of more than %u bytes", MAX_LINE);
		return NULL;
	}
	if (!newline) {
		parser_fail(parser, error, "cut short after %zu bytes", left);
		return NULL;
	}
	if (!parser_count_line(parser, line, (gsize)(newline - line), error))
		return NULL;
	head = json_loadb(line, (size_t)(newline - line), JSON_REJECT_DUPLICATES, &problem);
	if (!head) {
		/* It quotes the guest's bytes, and may end on a terminal. */
		escaped = g_strescape(problem.text, "\"");
		parser_fail(parser, error, "not JSON at column %d: %s", problem.column, escaped);
		return NULL;
	}
	parser->offset += (gsize)(newline - line) + 1;
	return head;
}

static bool parser_hello(struct parser *parser, json_t *head, GError **error)
{
	json_t *agent = json_object_get(head, "agent");

	if (parser->records->list->len > 0)
		return parser_fail(parser, error, "a second \"hello\"");
	if (!json_is_integer(agent))
		return parser_fail(parser, error, "\"hello\" without an agent version");
	if (json_integer_value(agent) != RECORDS_AGENT_VERSION)
		return parser_fail(parser, error,
				   "the agent speaks version %" JSON_INTEGER_FORMAT
				   ", topolab speaks version %d",
				   json_integer_value(agent), RECORDS_AGENT_VERSION);
	return true;
}

static bool parser_blob(struct parser *parser, json_t *head, GBytes **blob, GError **error)
{
	const char *name = json_string_value(json_object_get(head, "name"));
	json_t *bytes = json_object_get(head, "bytes"), *sum = json_object_get(head, "crc32");
	const guint8 *data = parser->data + parser->offset;
	gsize left = parser->length - parser->offset;
	json_int_t size = json_integer_value(bytes);
	gulong crc;

	if (!name || !name_is_sane(name))
		return parser_fail(parser, error, "a blob without a usable name");
	if (!json_is_integer(bytes) || !json_is_integer(sum))
		return parser_fail(parser, error, "blob '%s' lacks its size or checksum", name);
	if (g_hash_table_contains(parser->records->blobs, name))
		return parser_fail(parser, error, "a second blob '%s'", name);
	if (size < 0 || size > (json_int_t)RECORDS_MAX_BYTES)
		return parser_fail(parser, error,
				   "blob '%s' claims %" JSON_INTEGER_FORMAT
				   " bytes, the limit is %u",
				   name, size, RECORDS_MAX_BYTES);
	if ((gsize)size >= left)
		return parser_fail(parser, error,
				   "blob '%s' of %" JSON_INTEGER_FORMAT
				   " bytes and a newline was cut short after %zu bytes",
				   name, size, left);
	if (data[size] != '\n')
		return parser_fail(parser, error, "no newline after the bytes of blob '%s'", name);
	crc = crc32(crc32(0, NULL, 0), data, (uInt)size);
	if (json_integer_value(sum) != (json_int_t)crc)
		return parser_fail(parser, error,
				   "blob '%s' has checksum %lu, its record says "
				   "%" JSON_INTEGER_FORMAT,
				   name, crc, json_integer_value(sum));
	*blob = g_bytes_new(data, (gsize)size);
	parser->offset += (gsize)size + 1;
	return true;
}

/* Checks the record by its type and takes the blob that follows it. */
static bool parser_body(struct parser *parser, json_t *head, GBytes **blob, GError **error)
{
	const char *type = json_string_value(json_object_get(head, "type"));

	if (!type || !name_is_sane(type))
		return parser_fail(parser, error, "a record without a usable type");
	if (parser->records->complete)
		return parser_fail(parser, error, "a record of type '%s' after \"bye\"", type);
	if (strcmp(type, "hello") == 0)
		return parser_hello(parser, head, error);
	if (parser->records->list->len == 0)
		return parser_fail(parser, error, "starts with '%s' where \"hello\" belongs", type);
	if (strcmp(type, "blob") == 0)
		return parser_blob(parser, head, blob, error);
	parser->records->complete = strcmp(type, "bye") == 0;
	return true;
}

static bool parser_record(struct parser *parser, GError **error)
{
	struct record *record;
	GBytes *blob = NULL;
	json_t *head;

	parser->line_offset = parser->offset;
	if (parser->records->list->len >= MAX_RECORDS)
		return parser_fail(parser, error, "more than %u records", MAX_RECORDS);
	head = parser_line(parser, error);
	if (!head)
		return false;
	if (!parser_body(parser, head, &blob, error)) {
		json_decref(head);
		return false;
	}
	record = g_new(struct record, 1);
	*record = (struct record){.head = head, .blob = blob};
	g_ptr_array_add(parser->records->list, record);
	if (blob) {
		const char *name = json_string_value(json_object_get(head, "name"));

		g_hash_table_insert(parser->records->blobs, (gpointer)(guintptr)name, blob);
	}
	return true;
}

struct records *records_parse_some(const guint8 *data, gsize length, GError **error)
{
	struct records *records = g_new0(struct records, 1);
	struct parser parser = {.data = data, .length = length, .records = records};

	records->list = g_ptr_array_new_with_free_func(record_free);
	records->blobs = g_hash_table_new(g_str_hash, g_str_equal);
	if (length > RECORDS_MAX_BYTES) {
		parser_fail(&parser, error, "the stream has %zu bytes, the limit is %u", length,
			    RECORDS_MAX_BYTES);
		return records;
	}
	while (parser.offset < length && parser_record(&parser, error))
		;
	return records;
}

struct records *records_parse(const guint8 *data, gsize length, GError **error)
{
	GError *problem = NULL;
	struct records *records = records_parse_some(data, length, &problem);

	if (!problem)
		return records;
	g_propagate_error(error, problem);
	records_free(records);
	return NULL;
}

guint records_count(const struct records *records)
{
	return records->list->len;
}

const struct record *records_get(const struct records *records, guint i)
{
	return g_ptr_array_index(records->list, i);
}

const char *record_type(const struct record *record)
{
	return json_string_value(json_object_get(record->head, "type"));
}

GBytes *records_blob(const struct records *records, const char *name)
{
	return g_hash_table_lookup(records->blobs, name);
}

bool records_complete(const struct records *records)
{
	return records->complete;
}
