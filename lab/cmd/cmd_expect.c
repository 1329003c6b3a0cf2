// SPDX-License-Identifier: GPL-2.0-only
#include "base/terminal.h"
#include "cmd/command.h"
#include "expect/expect.h"
#include "kernel/kernel.h"
#include "report/tree.h"
#include "topo/load.h"

#include <stdio.h>

enum { KEY_JSON = 256, KEY_OFFLINE };

struct expect_settings {
	const char *kernel;
	bool json;
	bool offline;
};

static const struct argp_option expect_options[] = {
	{.name = "kernel",
	 .key = 'k',
	 .arg = "K",
	 .doc = "For this kernel (default " KERNEL_DEFAULT ")"},
	{.name = "json", .key = KEY_JSON, .doc = "Print every CPU's domains as JSON"},
	{.name = "offline",
	 .key = KEY_OFFLINE,
	 .doc = "Fetch nothing: the kernel comes from the cache"},
	{0},
};

static bool expect_option(int key, const char *value, void *data, GError **error)
{
	struct expect_settings *settings = data;

	(void)error;
	if (key == 'k')
		settings->kernel = value;
	if (key == KEY_JSON)
		settings->json = true;
	if (key == KEY_OFFLINE)
		settings->offline = true;
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
	g_auto(GStrv) path = topo_search_path();
	struct kernel_options options = {.offline = settings->offline};
	AUTO(topo) *topo = topo_find(arguments[0], (const char *const *)path, error);
	AUTO(kernel) *kernel = NULL;
	AUTO(domain_tree) *tree = NULL;
	g_autofree char *text = NULL;

	if (!topo)
		return 2;
	kernel = kernel_get(settings->kernel ?: KERNEL_DEFAULT, &options, error);
	if (!kernel)
		return 2;
	tree = expect_domains(topo, kernel->facts, error);
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
