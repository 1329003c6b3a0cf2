// SPDX-License-Identifier: GPL-2.0-only
/* The agent's stream, whole and broken in every way a guest could break it. */
#include "base/error.h"
#include "base/records.h"

#include <string.h>

#define HELLO "{\"type\":\"hello\",\"agent\":1,\"release\":\"6.12.117\",\"channel\":\"virtio\"}\n"
#define BYE   "{\"type\":\"bye\"}\n"
/* CRC-32 of "123456789" is 0xcbf43926, the check value of the CRC catalogue (CRC-32/ISO-HDLC). */
#define BLOB(name)                                                                                 \
	"{\"type\":\"blob\",\"name\":\"" name "\",\"bytes\":9,\"crc32\":3421780262}\n123456789\n"

static struct records *parse(const char *text, GError **error)
{
	return records_parse((const guint8 *)text, strlen(text), error);
}

/* @part must occur in the message, which must be ERROR_LAB and say where. */
static void assert_refused(const guint8 *data, gsize length, const char *part)
{
	g_autoptr(GError) error = NULL;
	AUTO(records) *records = records_parse(data, length, &error);

	g_assert_null(records);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	if (!error)
		return;
	if (!strstr(error->message, part) || !strstr(error->message, "at byte"))
		g_test_fail_printf("'%s' does not say '%s'", error->message, part);
}

static void assert_text_refused(const char *text, const char *part)
{
	assert_refused((const guint8 *)text, strlen(text), part);
}

static void test_whole(void)
{
	static const char text[] = HELLO "{\"type\":\"progress\",\"cpu\":3}\n" BLOB("evidence") BYE;
	g_autoptr(GError) error = NULL;
	AUTO(records) *records = parse(text, &error);
	GBytes *blob;
	json_t *cpu;

	g_assert_no_error(error);
	g_assert_cmpuint(records_count(records), ==, 4);
	g_assert_cmpstr(record_type(records_get(records, 0)), ==, "hello");
	g_assert_cmpstr(record_type(records_get(records, 1)), ==, "progress");
	cpu = json_object_get(records_get(records, 1)->head, "cpu");
	g_assert_cmpint(json_integer_value(cpu), ==, 3);
	g_assert_null(records_get(records, 1)->blob);
	blob = records_blob(records, "evidence");
	g_assert_nonnull(blob);
	g_assert_true(blob == records_get(records, 2)->blob);
	g_assert_cmpmem(g_bytes_get_data(blob, NULL), g_bytes_get_size(blob), "123456789", 9);
	g_assert_null(records_blob(records, "other"));
	g_assert_true(records_complete(records));
}

static void test_empty(void)
{
	AUTO(records) *none = parse("", NULL);
	/* The CRC of no bytes is 0. */
	AUTO(records) *empty_blob = parse(
		HELLO "{\"type\":\"blob\",\"name\":\"e\",\"bytes\":0,\"crc32\":0}\n\n" BYE, NULL);

	g_assert_nonnull(none);
	g_assert_cmpuint(records_count(none), ==, 0);
	g_assert_false(records_complete(none));
	g_assert_nonnull(empty_blob);
	g_assert_cmpuint(g_bytes_get_size(records_blob(empty_blob, "e")), ==, 0);
}

/* A cut between two records leaves an incomplete stream, one inside a record is an error. */
static void test_cut_everywhere(void)
{
	static const char text[] = HELLO BLOB("evidence") BYE;
	gsize after_hello = strlen(HELLO), after_blob = strlen(HELLO BLOB("evidence"));

	for (gsize length = 0; length < strlen(text); length++) {
		g_autofree guint8 *copy = g_memdup2(text, length); /* for the address sanitizer */
		g_autoptr(GError) error = NULL;
		AUTO(records) *records = records_parse(copy, length, &error);

		if (length == 0 || length == after_hello || length == after_blob) {
			g_assert_no_error(error);
			g_assert_false(records_complete(records));
		} else {
			g_assert_null(records);
			assert_refused(copy, length, "cut short after");
		}
	}
}

/* No single damaged byte may crash the parser, nor go unnoticed inside the blob. */
static void test_damage_everywhere(void)
{
	static const char text[] = HELLO BLOB("evidence") BYE;
	gsize blob_start = (gsize)(strstr(text, "\n1234") + 1 - text);
	static const guint8 damage[] = {0, '\n', '"', '{', '}', '9', 0xff, 'z'};

	for (gsize i = 0; i < strlen(text); i++) {
		for (gsize j = 0; j < G_N_ELEMENTS(damage); j++) {
			g_autofree guint8 *copy = g_memdup2(text, strlen(text));
			AUTO(records) *records = NULL;

			if (copy[i] == damage[j])
				continue;
			copy[i] = damage[j];
			records = records_parse(copy, strlen(text), NULL);
			if (i >= blob_start && i < blob_start + 10)
				g_assert_null(records);
		}
	}
}

static void test_order(void)
{
	assert_text_refused(BYE, "starts with 'bye' where \"hello\" belongs");
	assert_text_refused(BLOB("evidence") BYE, "starts with 'blob' where \"hello\" belongs");
	assert_text_refused(HELLO HELLO BYE, "a second \"hello\"");
	assert_text_refused(HELLO BYE BYE, "a record of type 'bye' after \"bye\"");
	assert_text_refused(HELLO BYE BLOB("evidence"), "a record of type 'blob' after \"bye\"");
	assert_text_refused(HELLO BYE "\n", "not JSON");
	assert_text_refused(HELLO BYE "x", "cut short");
	assert_text_refused(HELLO BLOB("evidence") BLOB("evidence") BYE,
			    "a second blob 'evidence'");
}

static void test_version(void)
{
	assert_text_refused("{\"type\":\"hello\",\"agent\":2}\n",
			    "the agent speaks version 2, topolab speaks version 1");
	assert_text_refused("{\"type\":\"hello\"}\n", "without an agent version");
	assert_text_refused("{\"type\":\"hello\",\"agent\":\"1\"}\n", "without an agent version");
	assert_text_refused("{\"type\":\"hello\",\"agent\":1.0}\n", "without an agent version");
}

static void test_garbage(void)
{
	assert_text_refused("[ 1.0] early console\n", "not JSON");
	assert_text_refused("[    0.000000] Linux version\n", "not JSON");
	assert_text_refused("{\"type\":\"hello\",\"agent\":1} x\n", "not JSON");
	assert_text_refused("{\"type\":\"hello\",\"type\":\"bye\",\"agent\":1}\n", "not JSON");
	assert_text_refused("[\"hello\"]\n", "without a usable type");
	assert_text_refused("{\"type\":1}\n", "without a usable type");
	assert_text_refused("{\"type\":\"\"}\n", "without a usable type");
	assert_text_refused("{\"type\":\"\\u001b[2J\"}\n", "without a usable type");
	assert_text_refused("{\"type\":\"a\\u0000b\"}\n", "not JSON");
	/* What an error quotes must not reach a terminal raw. */
	assert_text_refused("{\"type\":\033[2J}\n", "\\033");
}

static void test_blob_heads(void)
{
#define HEAD(fields) HELLO "{\"type\":\"blob\"," fields "}\n123456789\n"
	assert_text_refused(HEAD("\"name\":\"e\",\"bytes\":9,\"crc32\":3421780263"),
			    "has checksum 3421780262, its record says 3421780263");
	assert_text_refused(HEAD("\"name\":\"e\",\"bytes\":8,\"crc32\":3421780262"),
			    "no newline after");
	assert_text_refused(HEAD("\"name\":\"e\",\"bytes\":10,\"crc32\":0"),
			    "cut short after 10 bytes");
	assert_text_refused(HEAD("\"name\":\"e\",\"bytes\":67108865,\"crc32\":0"),
			    "claims 67108865 bytes, the limit is 67108864");
	assert_text_refused(HEAD("\"name\":\"e\",\"bytes\":67108864,\"crc32\":0"), "cut short");
	assert_text_refused(HEAD("\"name\":\"e\",\"bytes\":9223372036854775807,\"crc32\":0"),
			    "the limit is");
	assert_text_refused(HEAD("\"name\":\"e\",\"bytes\":-1,\"crc32\":0"), "claims -1 bytes");
	assert_text_refused(HEAD("\"name\":\"e\",\"bytes\":99999999999999999999,\"crc32\":0"),
			    "not JSON");
	assert_text_refused(HEAD("\"name\":\"e\",\"bytes\":\"9\",\"crc32\":0"), "lacks its size");
	assert_text_refused(HEAD("\"name\":\"e\",\"bytes\":9"), "lacks its size");
	assert_text_refused(HEAD("\"bytes\":9,\"crc32\":3421780262"), "without a usable name");
	assert_text_refused(HEAD("\"name\":\"../e\",\"bytes\":9,\"crc32\":3421780262"),
			    "without a usable name");
#undef HEAD
}

/* @pattern, @times over, after a hello. */
static GString *stream_of(const char *pattern, guint times)
{
	GString *text = g_string_new(HELLO);

	for (guint i = 0; i < times; i++)
		g_string_append(text, pattern);
	return text;
}

static void assert_stream_refused(GString *text, const char *part)
{
	assert_refused((const guint8 *)text->str, text->len, part);
	g_string_free(text, TRUE);
}

static void test_bounds(void)
{
	g_autofree char *name = g_strnfill(65, 'n'), *padding = g_strnfill(65536, ' ');
	g_autofree char *head = g_strdup_printf("{\"type\":\"%s\"}\n", name);
	g_autofree guint8 *large = g_malloc0(RECORDS_MAX_BYTES + 1);
	GString *most = stream_of("{\"type\":\"x\"}\n", 99999), *nested = stream_of("[", 3);
	AUTO(records) *records = records_parse((guint8 *)most->str, most->len, NULL);

	g_assert_nonnull(records);
	g_string_append(most, "{\"type\":\"x\"}\n");
	assert_stream_refused(most, "more than 100000 records");
	assert_stream_refused(stream_of(padding, 1), "a line of more than 65536 bytes");
	assert_stream_refused(stream_of(head, 1), "without a usable type");
	assert_refused(large, RECORDS_MAX_BYTES + 1, "has 67108865 bytes, the limit is 67108864");
	for (guint i = 0; i < 60000; i++)
		g_string_append_c(nested, '[');
	g_string_append_c(nested, '\n');
	assert_stream_refused(nested, "not JSON");
}

/* 64 MiB of text must not become gigabytes of JSON. */
static void test_amplification(void)
{
	GString *line = g_string_new("{\"type\":\"x\",\"a\":[");

	for (guint i = 0; i < 20000; i++)
		g_string_append(line, "{},");
	g_string_append(line, "0]}\n");
	assert_stream_refused(stream_of(line->str, 11), "more than 200000 JSON objects and arrays");
	g_string_assign(line, "{\"type\":\"x\",\"a\":\"");
	for (guint i = 0; i < 60000; i++)
		g_string_append_c(line, 'a');
	g_string_append(line, "\"}\n");
	assert_stream_refused(stream_of(line->str, 200), "more than 8388608 bytes of JSON");
	g_string_free(line, TRUE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/records/whole", test_whole);
	g_test_add_func("/records/empty", test_empty);
	g_test_add_func("/records/cut-everywhere", test_cut_everywhere);
	g_test_add_func("/records/damage-everywhere", test_damage_everywhere);
	g_test_add_func("/records/order", test_order);
	g_test_add_func("/records/version", test_version);
	g_test_add_func("/records/garbage", test_garbage);
	g_test_add_func("/records/blob-heads", test_blob_heads);
	g_test_add_func("/records/bounds", test_bounds);
	g_test_add_func("/records/amplification", test_amplification);
	return g_test_run();
}
