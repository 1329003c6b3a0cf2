// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "cmd/command.h"
#include "kernel/kernel.h"
#include "report/report.h"
#include "run/tests.h"
#include "topo/load.h"

#include <stdio.h>
#include <string.h>

static void print_topologies(void)
{
	g_auto(GStrv) path = topo_search_path();
	g_auto(GStrv) names = topo_list((const char *const *)path);

	for (unsigned i = 0; names[i]; i++)
		printf("%s\n", names[i]);
}

static void print_kernels(void)
{
	g_auto(GStrv) names = kernel_list();

	for (unsigned i = 0; names[i]; i++)
		printf("%s\n", names[i]);
}

static void print_formats(void)
{
	for (unsigned i = 0; report_format_table[i]; i++)
		printf("%s\n", report_format_table[i]->name);
}

static void print_tests(void)
{
	g_auto(GStrv) names = run_tests_names();

	for (unsigned i = 0; names[i]; i++)
		printf("%s\n", names[i]);
}

static const struct list {
	const char *name;
	void (*print)(void);
} lists[] = {
	{"formats", print_formats},
	{"kernels", print_kernels},
	{"tests", print_tests},
	{"topologies", print_topologies},
};

static int complete_run(char **arguments, void *settings G_GNUC_UNUSED, GError **error)
{
	for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
		if (strcmp(lists[i].name, arguments[0]) == 0) {
			lists[i].print();
			return 0;
		}
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "complete knows no list '%s'", arguments[0]);
	return 2;
}

const struct command command_complete = {
	.name = "complete",
	.arguments = "formats|kernels|tests|topologies",
	.summary = "Print the names that a shell can complete",
	.min_arguments = 1,
	.max_arguments = 1,
	.hidden = true,
	.run = complete_run,
};
