// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/command.h"
#include "live/guests.h"
#include "vm/vm.h"

#include <stdio.h>

/* Also removes the files of keepers that were killed. */
static bool say_who_is_up(GError **error)
{
	g_autoptr(GPtrArray) guests = guests_list(error);

	for (guint i = 0; guests && i < guests->len; i++) {
		const struct guest *guest = g_ptr_array_index(guests, i);

		printf("'%s' is up and stays up; 'topolab down %s' ends it\n", guest->topology,
		       guest->topology);
	}
	return guests != NULL;
}

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
	return say_who_is_up(error) ? 0 : 3;
}

const struct command command_clean = {
	.name = "clean",
	.arguments = "",
	.summary = "End and remove what dead runs left behind",
	.details = "Guests whose topolab was killed are ended and their folders removed. Running "
		   "guests of live runs are never touched.",
	.run = clean_run,
};
