// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "cmd/command.h"
#include "cmd/generate.h"

#include <stdio.h>
#include <string.h>

static int generate_run(char **arguments, void *settings G_GNUC_UNUSED, GError **error)
{
	g_autofree char *text = NULL;

	if (strcmp(arguments[0], "manual") == 0)
		text = generate_manual();
	else if (strcmp(arguments[0], "completion") == 0)
		text = generate_completion();
	if (!text) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "generate takes manual or completion, not '%s'", arguments[0]);
		return 2;
	}
	fputs(text, stdout);
	return 0;
}

const struct command command_generate = {
	.name = "generate",
	.arguments = "manual|completion",
	.summary = "Print the man page or bash's completion (for the Makefile)",
	.min_arguments = 1,
	.max_arguments = 1,
	.hidden = true,
	.run = generate_run,
};
