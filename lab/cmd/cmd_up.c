// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/options.h"
#include "cmd/command.h"
#include "kernel/kernel.h"
#include "live/guests.h"
#include "live/keeper.h"
#include "run/accel.h"
#include "topo/load.h"

#include <stdio.h>
#include <string.h>

enum {
	KEY_ACCEL = 256,
	KEY_TIMEOUT,
	KEY_OFFLINE,
	KEY_NO_BUILD,
	KEY_QUIET,
};

static const struct argp_option up_options[] = {
	{.name = "kernel",
	 .key = 'k',
	 .arg = "K",
	 .doc = "Boot K: a name from kernels/, a bzImage or a tree by path (default " KERNEL_DEFAULT
		")"},
	{.name = "accel", .key = KEY_ACCEL, .arg = "auto|kvm|tcg", .doc = "As in 'topolab run'"},
	{.name = "output",
	 .key = 'o',
	 .arg = "DIR",
	 .doc = "Put the results into DIR (default results/<UTC>-<pid>)"},
	{.name = "timeout",
	 .key = KEY_TIMEOUT,
	 .arg = "S",
	 .doc = "Give up after S seconds without progress (default 30, scaled)"},
	{.name = "offline", .key = KEY_OFFLINE, .doc = "Fetch nothing"},
	{.name = "no-build",
	 .key = KEY_NO_BUILD,
	 .doc = "Of a kernel's tree take the bzImage that is there"},
	{.name = "quiet", .key = KEY_QUIET, .doc = "No progress on stderr"},
	{0},
};

static bool up_option(int key, const char *value, void *settings, GError **error)
{
	struct run_options *options = settings;

	switch (key) {
	case 'k':
		option_append(&options->kernels, value);
		return true;
	case 'o':
		options->folder = value;
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
	case KEY_NO_BUILD:
		options->no_build = true;
		return true;
	case KEY_QUIET:
		options->quiet = true;
		return true;
	default:
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "up has no option %d", key);
		return false;
	}
}

static int up_list(GError **error)
{
	g_autoptr(GPtrArray) guests = guests_list(error);

	if (!guests)
		return 3;
	if (guests->len == 0)
		printf("no guest is up\n");
	for (guint i = 0; i < guests->len; i++) {
		const struct guest *guest = g_ptr_array_index(guests, i);

		if (guest->root)
			printf("%-20s %-14s %s  %-7s up since %s, keeper %" G_GINT64_FORMAT
			       ", files in %s\n",
			       guest->topology, guest->kernel, guest->accel, guest->verdict,
			       guest->started, guest->pid, guest->folder);
		else
			printf("%-20s %-14s booting, keeper %" G_GINT64_FORMAT "\n",
			       guest->topology, guest->kernel, guest->pid);
	}
	return 0;
}

/* -1: it is not up yet. */
static int up_already(const char *name, const struct run_options *options, GError **error)
{
	g_autoptr(GError) cause = NULL;
	AUTO(guest) *guest = guests_find(name, &cause);

	if (cause) {
		g_propagate_error(error, g_steal_pointer(&cause));
		return 3;
	}
	if (!guest)
		return -1;
	if (options->kernels && strcmp(options->kernels[0], guest->kernel) != 0) {
		g_set_error(
			error, TOPOLAB_ERROR, ERROR_INPUT,
			"'%s' is up already with '%s', not with '%s'; 'topolab down %s' ends it",
			name, guest->kernel, options->kernels[0], name);
		return 2;
	}
	printf("'%s' is up already with '%s'\n", name, guest->kernel);
	return 0;
}

static int up_topology(char **arguments, struct run_options *options, GError **error)
{
	g_auto(GStrv) path = topo_search_path();
	struct topo *topo = topo_find(arguments[0], (const char *const *)path, error);
	g_autofree char *name = NULL;
	int status;

	if (!topo)
		return 2;
	name = g_strdup(topo_name(topo));
	topo_unref(topo);
	status = up_already(name, options, error);
	if (status >= 0)
		return status;
	if (!options->kernels)
		option_append(&options->kernels, KERNEL_DEFAULT);
	options->topologies = arguments;
	options->accel = options->accel ?: "auto";
	options->jobs = 1;
	options->format = report_format_find("text");
	return keeper_start(options, name, error);
}

static int up_run(char **arguments, void *settings, GError **error)
{
	struct run_options *options = settings;
	int status;

	if (!arguments[0])
		return up_list(error);
	if (options->kernels && options->kernels[1]) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "up boots one kernel, not '%s' and '%s'", options->kernels[0],
			    options->kernels[1]);
		return 2;
	}
	status = up_topology(arguments, options, error);
	g_strfreev(options->kernels);
	return status;
}

const struct command command_up = {
	.name = "up",
	.arguments = "[TOPOLOGY]",
	.summary = "Boot a machine that stays up, for shell and exec; without one, list those",
	.details = "Returns when the guest takes commands, whatever the verdict on its domains. "
		   "'topolab down' ends it.",
	.options = up_options,
	.max_arguments = 1,
	.settings_size = sizeof(struct run_options),
	.option = up_option,
	.run = up_run,
};
