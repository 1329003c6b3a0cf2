// SPDX-License-Identifier: GPL-2.0-only
#include "base/terminal.h"
#include "cmd/command.h"
#include "cmd/inputs.h"
#include "report/machine.h"

#include <stdio.h>

static int show_run(char **arguments, void *settings G_GNUC_UNUSED, GError **error)
{
	AUTO(topo) *topo = inputs_topology(arguments[0], error);
	g_autofree char *text = NULL;

	if (!topo)
		return 2;
	text = report_machine(topo, &(struct report_style){.utf8 = terminal_is_utf8()});
	fputs(text, stdout);
	return 0;
}

const struct command command_show = {
	.name = "show",
	.arguments = "TOPOLOGY",
	.summary = "Describe a machine: CPUs, caches, nodes, distances, references",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = show_run,
};
