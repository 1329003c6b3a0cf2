// SPDX-License-Identifier: GPL-2.0-only
#include "base/options.h"
#include "cmd/command.h"
#include "run/accel.h"
#include "run/repro.h"

#include <stdio.h>

enum { KEY_ACCEL = 256, KEY_APPEND, KEY_TIMEOUT, KEY_OFFLINE, KEY_QUIET };

struct repro_settings {
	struct repro_options options;
};

static const struct argp_option repro_options[] = {
	{.name = "kernel",
	 .key = 'k',
	 .arg = "K",
	 .doc = "Boot K instead of the kernels that a case lists; may be repeated"},
	{.name = "append",
	 .key = KEY_APPEND,
	 .arg = "ARGS",
	 .doc = "Boot with these kernel arguments as well as the case's own; what is recorded of "
		"a kernel does not count then"},
	{.name = "accel",
	 .key = KEY_ACCEL,
	 .arg = "auto|kvm|tcg",
	 .doc = "auto takes KVM if a kernel boots under it, else TCG"},
	{.name = "output",
	 .key = 'o',
	 .arg = "DIR",
	 .doc = "Put the results into DIR, which must be empty or new (default "
		"results/<UTC>-<pid>)"},
	{.name = "timeout",
	 .key = KEY_TIMEOUT,
	 .arg = "S",
	 .doc = "End a guest after S seconds without progress (default 30); scaled by accelerator "
		"and vCPUs"},
	{.name = "offline",
	 .key = KEY_OFFLINE,
	 .doc = "Fetch nothing: kernels come from the cache"},
	{.name = "quiet", .key = KEY_QUIET, .doc = "No progress on stderr"},
	{0},
};

static bool repro_option(int key, const char *value, void *data, GError **error)
{
	struct repro_options *options = &((struct repro_settings *)data)->options;

	switch (key) {
	case 'k':
		option_append(&options->kernels, value);
		return true;
	case 'o':
		options->folder = value;
		return true;
	case KEY_APPEND:
		options->append = value;
		return true;
	case KEY_ACCEL:
		options->accel = accel_require(value, error);
		return options->accel != NULL;
	case KEY_TIMEOUT:
		return option_number("--timeout", value, 1, 86400, &options->timeout_seconds,
				     error);
	case KEY_OFFLINE:
		options->offline = true;
		return true;
	case KEY_QUIET:
		options->quiet = true;
		return true;
	default:
		return true;
	}
}

static void say(const char *line)
{
	puts(line);
	fflush(stdout);
}

static int repro_run(char **arguments, void *data, GError **error)
{
	struct repro_options *options = &((struct repro_settings *)data)->options;
	int status;

	options->cases = arguments;
	options->jobs = 1;
	options->say = say;
	if (!options->accel)
		options->accel = "auto";
	status = repro_all(options, error);
	g_strfreev(options->kernels);
	return status;
}

const struct command command_repro = {
	.name = "repro",
	.arguments = "CASE...|all",
	.summary =
		"Show public topology bugs: wrong on the kernels that have them, right on others",
	.details =
		"A line for each case and kernel: PASS, what is right; KNOWN-BUG, exactly what is "
		"recorded of that kernel; FIXED, right though the kernel's very version is "
		"recorded "
		"as wrong; FAIL, anything else. `topolab list cases` lists them.",
	.options = repro_options,
	.min_arguments = 1,
	.max_arguments = G_MAXUINT,
	.settings_size = sizeof(struct repro_settings),
	.option = repro_option,
	.run = repro_run,
};
