// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "cmd/command.h"
#include "live/client.h"
#include "live/guests.h"
#include "vm/vm.h"

#include <stdio.h>

struct down_options {
	bool all;
};

static const struct argp_option down_options[] = {
	{.name = "all", .key = 'a', .doc = "End every guest that is up"},
	{0},
};

static bool down_option(int key, const char *value G_GNUC_UNUSED, void *settings, GError **error)
{
	struct down_options *options = settings;

	if (key == 'a') {
		options->all = true;
		return true;
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "down has no option %d", key);
	return false;
}

static int down_one(const char *name, GError **error)
{
	if (!client_down(name, error))
		return 3;
	printf("'%s' is down\n", name);
	return 0;
}

static int down_all(GError **error)
{
	g_autoptr(GPtrArray) guests = guests_list(error);
	int status = guests ? 0 : 3;

	for (guint i = 0; guests && i < guests->len && status == 0; i++) {
		const struct guest *guest = g_ptr_array_index(guests, i);

		status = down_one(guest->topology, error);
	}
	return status;
}

static int down_run(char **arguments, void *settings, GError **error)
{
	const struct down_options *options = settings;
	int status = 0;

	if (options->all == (arguments[0] != NULL)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "down takes the names of guests, or --all");
		return 2;
	}
	/* Guests of keepers that were killed are down already, but perhaps not gone. */
	if (vm_sweep(error) < 0)
		return 3;
	if (options->all)
		return down_all(error);
	for (unsigned i = 0; arguments[i] && status == 0; i++)
		status = down_one(arguments[i], error);
	return status;
}

const struct command command_down = {
	.name = "down",
	.arguments = "[TOPOLOGY...]",
	.summary = "End guests that are up",
	.options = down_options,
	.max_arguments = G_MAXUINT,
	.settings_size = sizeof(struct down_options),
	.option = down_option,
	.run = down_run,
};
