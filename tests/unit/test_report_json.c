// SPDX-License-Identifier: GPL-2.0-only
/* result.json: its schema, and reading back what was written. */
#include "base/error.h"
#include "test_report_help.h"
#include "test_report_schema.h"

static struct result *whole(void)
{
	struct result *result = some_result("quad", "debian-6.12");

	result->kernel_config = g_strdup("CONFIG_SMP=y\n");
	result->channel_problem = g_strdup("cut \xff short");
	result->ending = ENDING_STALLED;
	result->ending_detail = g_strdup("30 s without a byte");
	result->look = look_new();
	look_note(result->look, LOOK_REGISTERS, NULL);
	look_note(result->look, LOOK_MEMORY, "no room");
	look_add_place(result->look,
		       &(struct look_place){.vcpus = (char[]){"0-3"}, .where = (char[]){"0x10"}});
	checks_add(result->judgement->checks, &(struct check){
						      .name = "domains.rules",
						      .verdict = VERDICT_FAIL,
						      .cpu = 4,
						      .level = 1,
						      .cpus = "4-7",
						      .expected = "4-7",
						      .observed = "4-6",
						      .rule = "MC",
						      .reason = "another span",
						      .evidence = "proc/schedstat",
					      });
	result->traced = 3;
	add_check(result, "guest.ending", VERDICT_TIMEOUT, "stood still");
	result->judgement->observed = tree_of_scx_1434();
	return result;
}

/* Nothing is known of a guest that never came up. */
static struct result *bare(void)
{
	struct result *result = result_new();

	result->topology = g_strdup("quad");
	result->topology_text = g_strdup("");
	result->kernel = g_strdup("bzImage");
	result->kernel_release = g_strdup("6.12.0");
	result->ending = ENDING_SILENT;
	result->judgement = g_new0(struct judgement, 1);
	result->judgement->checks = checks_new();
	return result;
}

static void test_schema_is_checkable(void)
{
	json_t *schema = schema_load();

	g_assert_cmpstr(schema_unknown_keyword(schema), ==, NULL);
	json_decref(schema);
}

static void assert_valid(struct result *result)
{
	json_t *schema = schema_load();
	json_t *json = result_to_json(result);
	g_autofree char *problem = schema_check(schema, json, "result");

	g_assert_cmpstr(problem, ==, NULL);
	json_decref(json);
	json_decref(schema);
}

static void test_valid(void)
{
	AUTO(result) *full = whole();
	AUTO(result) *empty = bare();

	assert_valid(full);
	assert_valid(empty);
}

/* A checker that accepts everything would let every result through. */
static void test_invalid(void)
{
	static const struct {
		const char *text, *problem;
	} cases[] = {
		{"[]", "result is of another type"},
		{"{\"a\":1}", "result lacks 'b'"},
		{"{\"a\":\"1\",\"b\":[]}", "result.a is of another type"},
		{"{\"a\":2,\"b\":[]}", "result.a is none of the values it may have"},
		{"{\"a\":1,\"b\":[\"x\",3]}", "result.b[1] is of another type"},
		{"{\"a\":1,\"b\":[\"x\",null],\"c\":0}", NULL},
	};
	json_t *schema =
		json_pack("{s:s, s:[ss], s:{s:{s:s, s:[i]}, s:{s:s, s:{s:[ss]}}}}", "type",
			  "object", "required", "a", "b", "properties", "a", "type", "integer",
			  "enum", 1, "b", "type", "array", "items", "type", "string", "null");

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		json_t *json = json_loads(cases[i].text, 0, NULL);
		g_autofree char *problem = schema_check(schema, json, "result");

		g_assert_cmpstr(problem, ==, cases[i].problem);
		json_decref(json);
	}
	json_decref(schema);
}

/* The contract names these members; a program that reads them must find them. */
static void test_members(void)
{
	static const char *const members[] = {
		"schema",
		"topolab",
		"topology",
		"kernel",
		"cmdline",
		"features",
		"accel",
		"qemu",
		"libvirt",
		"host",
		"vcpus_per_host_cpu",
		"started",
		"boot_ms",
		"wall_ms",
		"verdict",
		"checks",
		"metrics",
		"domains",
	};
	AUTO(result) *result = whole();
	json_t *json = result_to_json(result);
	const json_t *kernel = json_object_get(json, "kernel");

	for (unsigned i = 0; i < G_N_ELEMENTS(members); i++)
		g_assert_nonnull(json_object_get(json, members[i]));
	g_assert_cmpstr(json_string_value(json_object_get(json, "verdict")), ==, "FAIL");
	g_assert_cmpstr(json_string_value(json_object_get(kernel, "version")), ==, "6.12.117");
	g_assert_cmpint(json_integer_value(json_object_get(json, "schema")), ==, 1);
	json_decref(json);
}

static void test_round_trip(void)
{
	AUTO(result) *result = whole();
	AUTO(result) *again = NULL;
	g_autoptr(GError) error = NULL;
	json_t *json, *copy;

	result->boots = 2;
	json = result_to_json(result);
	again = result_from_json(json, &error);
	g_assert_no_error(error);
	g_assert_null(again->judgement->observed);
	/* The trees are not read back. */
	json_object_set_new(json, "domains", json_null());
	copy = result_to_json(again);
	g_assert_true(json_equal(json, copy));
	json_decref(copy);
	json_decref(json);
}

static void test_unknown_members_are_fine(void)
{
	AUTO(result) *result = whole();
	AUTO(result) *again = NULL;
	json_t *json = result_to_json(result);

	json_object_set_new(json, "new-in-1.9", json_true());
	again = result_from_json(json, NULL);
	g_assert_nonnull(again);
	json_decref(json);
}

static const struct {
	const char *member, *value; /* NULL: the member is taken out */
} wrong[] = {
	{"schema", "2"},
	{"schema", NULL},
	{"topology", "7"},
	{"topology_text", NULL},
	{"topology_text", "{}"},
	{"kernel", NULL},
	{"kernel", "\"6.12\""},
	{"ending", "\"fine\""},
	{"ending", NULL},
	{"checks", "{}"},
	{"checks", "[1]"},
	{"checks", "[{\"name\":\"a\"}]"},
	{"checks", "[{\"name\":\"a\",\"verdict\":\"GOOD\"}]"},
	{"checks", "[{\"name\":\"a\",\"verdict\":\"PASS\",\"cpu\":\"0\"}]"},
	{"boot_ms", "\"1\""},
	{"boots", "\"2\""},
	{"boot_ms", "99999999999999"},
};

static void test_wrong(gconstpointer data)
{
	gsize i = GPOINTER_TO_SIZE(data);
	AUTO(result) *result = whole();
	AUTO(result) *again = NULL;
	g_autoptr(GError) error = NULL;
	json_t *json = result_to_json(result);

	if (wrong[i].value)
		json_object_set_new(json, wrong[i].member,
				    json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
	else
		json_object_del(json, wrong[i].member);
	again = result_from_json(json, &error);
	g_assert_null(again);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	json_decref(json);
}

static void test_format(void)
{
	AUTO(result) *first = whole();
	AUTO(result) *second = bare();
	g_autoptr(GPtrArray) results = g_ptr_array_new();
	struct report report = {.results = results, .run_folder = "x", .version = "0.1.0"};
	struct report_style style = {.utf8 = true};
	const struct report_format *format = report_format_find("json");
	g_autofree char *one = NULL, *two = NULL;
	json_t *json;

	g_ptr_array_add(results, first);
	one = format->write(&report, &style);
	json = json_loads(one, 0, NULL);
	g_assert_true(json_is_object(json));
	json_decref(json);
	g_ptr_array_add(results, second);
	two = format->write(&report, &style);
	json = json_loads(two, 0, NULL);
	g_assert_cmpuint(json_array_size(json), ==, 2);
	json_decref(json);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/report/json/schema", test_schema_is_checkable);
	g_test_add_func("/report/json/valid", test_valid);
	g_test_add_func("/report/json/invalid", test_invalid);
	g_test_add_func("/report/json/members", test_members);
	g_test_add_func("/report/json/round-trip", test_round_trip);
	g_test_add_func("/report/json/unknown-members", test_unknown_members_are_fine);
	g_test_add_func("/report/json/format", test_format);
	for (gsize i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autofree char *path =
			g_strdup_printf("/report/json/wrong/%zu-%s", i, wrong[i].member);

		g_test_add_data_func(path, GSIZE_TO_POINTER(i), test_wrong);
	}
	return g_test_run();
}
