// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "cmd/command.h"
#include "live/client.h"

struct exec_options {
	bool terminal;
	const char *push;
};

enum { KEY_PUSH = 256 };

static const struct argp_option exec_options[] = {
	{.name = "tty",
	 .key = 't',
	 .doc = "Give the command this terminal, as 'topolab shell' does"},
	{.name = "push",
	 .key = KEY_PUSH,
	 .arg = "FILE",
	 .doc = "First put FILE, a static program, into the guest's /bin"},
	{0},
};

static bool exec_option(int key, const char *value, void *settings, GError **error)
{
	struct exec_options *options = settings;

	switch (key) {
	case 't':
		options->terminal = true;
		return true;
	case KEY_PUSH:
		options->push = value;
		return true;
	default:
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "exec has no option %d", key);
		return false;
	}
}

static int exec_run(char **arguments, void *settings, GError **error)
{
	const struct exec_options *options = settings;
	const char *topology = arguments[0];

	if (options->push) {
		g_autofree char *name = g_path_get_basename(options->push);
		g_autofree char *target = g_build_filename("/bin", name, NULL);

		if (!client_push(topology, options->push, target, error))
			return 3;
	}
	return client_run(topology, (const char *const *)arguments + 1,
			  options->terminal ? CLIENT_TERMINAL : CLIENT_PIPES, error);
}

const struct command command_exec = {
	.name = "exec",
	.arguments = "TOPOLOGY -- COMMAND...",
	.summary = "Run a command in a guest that is up",
	.details = "stdin, stdout and stderr are the command's, byte for byte, and so is the exit "
		   "status: 128 and the signal's number when one ended it, 127 when there is no "
		   "such program. 2: bad usage; 3: the lab or the host failed.",
	.options = exec_options,
	.min_arguments = 2,
	.max_arguments = G_MAXUINT,
	.settings_size = sizeof(struct exec_options),
	.option = exec_option,
	.run = exec_run,
};
