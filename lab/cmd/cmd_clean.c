// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/command.h"
#include "vm/vm.h"

#include <stdio.h>

static int clean_run(char **arguments G_GNUC_UNUSED, void *settings G_GNUC_UNUSED, GError **error)
{
	int removed = vm_sweep(error);

	if (removed < 0)
		return 3;
	if (removed == 0)
		printf("nothing was left behind\n");
	else
		printf("%d guest%s of dead runs ended and removed\n", removed,
		       removed == 1 ? "" : "s");
	return 0;
}

const struct command command_clean = {
	.name = "clean",
	.arguments = "",
	.summary = "End and remove what dead runs left behind",
	.details = "Guests whose topolab was killed are ended and their folders removed. Running "
		   "guests of live runs are never touched.",
	.run = clean_run,
};
