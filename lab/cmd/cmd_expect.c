// SPDX-License-Identifier: GPL-2.0-only
#include "base/terminal.h"
#include "cmd/command.h"
#include "cmd/inputs.h"
#include "expect/expect.h"
#include "report/tree.h"

#include <stdio.h>

enum { KEY_JSON = 256 };

struct expect_settings {
	struct inputs_settings inputs;
	bool json;
};

static const struct argp_option expect_options[] = {
	INPUTS_OPTIONS,
	{.name = "json", .key = KEY_JSON, .doc = "Print every CPU's domains as JSON"},
	{0},
};

static bool expect_option(int key, const char *value, void *data, GError **error G_GNUC_UNUSED)
{
	struct expect_settings *settings = data;

	if (!inputs_option(key, value, &settings->inputs))
		settings->json = true;
	return true;
}

static void expect_print_json(const struct domain_tree *tree)
{
	json_t *json = domain_tree_to_json(tree);

	json_dumpf(json, stdout, JSON_INDENT(1));
	putchar('\n');
	json_decref(json);
}

static int expect_run(char **arguments, void *data, GError **error)
{
	struct expect_settings *settings = data;
	AUTO(inputs) *inputs = inputs_load(arguments[0], &settings->inputs, error);
	AUTO(domain_tree) *tree = NULL;
	g_autofree char *text = NULL;

	if (!inputs)
		return 2;
	tree = expect_booted(inputs->topo, inputs->kernel->facts, error);
	if (!tree)
		return 2;
	if (settings->json) {
		expect_print_json(tree);
		return 0;
	}
	text = report_tree(tree, &(struct report_style){.utf8 = terminal_is_utf8(),
							.colour = terminal_has_colour()});
	fputs(text, stdout);
	return 0;
}

const struct command command_expect = {
	.name = "expect",
	.arguments = "TOPOLOGY",
	.summary = "Print the sched domains that a kernel must build on a machine",
	.options = expect_options,
	.min_arguments = 1,
	.max_arguments = 1,
	.settings_size = sizeof(struct expect_settings),
	.option = expect_option,
	.run = expect_run,
};
