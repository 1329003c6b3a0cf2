// SPDX-License-Identifier: GPL-2.0-only
/* result.json, which people send each other: read, written, read again, reported. */
#include "fuzz.h"

#include "report/report.h"

static void report_try(struct result *result)
{
	g_autoptr(GPtrArray) results = g_ptr_array_new();
	struct report report = {.results = results, .run_folder = "run", .version = "0"};

	g_ptr_array_add(results, result);
	for (unsigned i = 0; report_format_table[i]; i++) {
		g_autofree char *text = report_format_table[i]->write(
			&report, &(struct report_style){.utf8 = true});

		/* JSON escapes what has to be, and is not for a terminal. */
		if (strcmp(report_format_table[i]->name, "json") != 0)
			fuzz_printable(text);
	}
	report_exit_status(&report);
}

static void domains_try(const json_t *json)
{
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = domain_tree_from_json(json, &error);
	json_t *again;

	fuzz_check(tree, error, ERROR_INPUT);
	if (!tree)
		return;
	again = domain_tree_to_json(tree);
	FUZZ_REQUIRE(again);
	json_decref(again);
}

static void result_try(const json_t *json)
{
	g_autoptr(GError) error = NULL, second_error = NULL;
	AUTO(result) *result = result_from_json(json, &error);
	AUTO(result) *second = NULL;
	json_t *again;

	fuzz_check(result, error, ERROR_INPUT);
	if (!result)
		return;
	again = result_to_json(result);
	FUZZ_REQUIRE(again);
	second = result_from_json(again, &second_error);
	if (second_error)
		g_printerr("%s\n", second_error->message);
	FUZZ_REQUIRE(second);
	json_decref(again);
	report_try(result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);

	if (!json)
		return 0;
	result_try(json);
	domains_try(json_is_object(json) && json_object_get(json, "domains")
			    ? json_object_get(json, "domains")
			    : json);
	json_decref(json);
	return 0;
}
