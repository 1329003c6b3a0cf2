// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/command.h"
#include "live/client.h"

static int shell_run(char **arguments, void *settings G_GNUC_UNUSED, GError **error)
{
	static const char *const argv[] = {"sh", NULL};

	return client_run(arguments[0], argv, CLIENT_TERMINAL, error);
}

const struct command command_shell = {
	.name = "shell",
	.arguments = "TOPOLOGY",
	.summary = "A shell in a guest that is up",
	.details = "The terminal becomes the guest's until the shell ends; its exit status is "
		   "passed on. 3: the lab or the host failed.",
	.min_arguments = 1,
	.max_arguments = 1,
	.run = shell_run,
};
