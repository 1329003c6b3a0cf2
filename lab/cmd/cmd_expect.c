// SPDX-License-Identifier: GPL-2.0-only
#include "base/options.h"
#include "base/terminal.h"
#include "cmd/command.h"
#include "cmd/inputs.h"
#include "expect/expect.h"
#include "expect/step.h"
#include "report/tree.h"

#include <stdio.h>

enum { KEY_JSON = 256, KEY_APPEND, KEY_STEP };

struct expect_settings {
	struct inputs_settings inputs;
	const char *append; /* NULL: none */
	char **steps;	    /* NULL: none */
	bool json;
};

static const struct argp_option expect_options[] = {
	INPUTS_OPTIONS,
	{.name = "append",
	 .key = KEY_APPEND,
	 .arg = "ARGS",
	 .doc = "Booted with these kernel arguments as well"},
	{.name = "step",
	 .key = KEY_STEP,
	 .arg = "STEP",
	 .doc = "After this step, as run takes it; may be repeated"},
	{.name = "json", .key = KEY_JSON, .doc = "Print every CPU's domains as JSON"},
	{0},
};

static bool expect_option(int key, const char *value, void *data, GError **error G_GNUC_UNUSED)
{
	struct expect_settings *settings = data;

	if (key == KEY_APPEND)
		settings->append = value;
	else if (key == KEY_STEP)
		option_append(&settings->steps, value);
	else if (!inputs_option(key, value, &settings->inputs))
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

static struct domain_tree *expect_tree(const struct inputs *inputs,
				       const struct expect_settings *settings, GError **error)
{
	const struct kernel_facts *facts = inputs->kernel->facts;
	g_autofree char *line =
		g_strjoin(" ", topo_boot_arguments(inputs->topo), settings->append ?: "", NULL);
	g_autoptr(GPtrArray) steps = steps_parse((const char *const *)settings->steps, error);
	AUTO(situation) *situation = steps ? situation_new(inputs->topo, facts, line, error) : NULL;

	if (!situation || !steps_apply(steps, inputs->topo, situation, error))
		return NULL;
	return expect_domains(inputs->topo, facts, situation, error);
}

static int expect_run(char **arguments, void *data, GError **error)
{
	struct expect_settings *settings = data;
	AUTO(inputs) *inputs = inputs_load(arguments[0], &settings->inputs, error);
	AUTO(domain_tree) *tree = NULL;
	g_autofree char *text = NULL;

	if (inputs)
		tree = expect_tree(inputs, settings, error);
	g_strfreev(settings->steps);
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
