// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/command.h"
#include "vm/vm.h"

static int worker_run(char **arguments G_GNUC_UNUSED, void *settings G_GNUC_UNUSED,
		      GError **error G_GNUC_UNUSED)
{
	return vm_worker_main();
}

const struct command command_worker = {
	.name = "worker",
	.arguments = "ROOT",
	.summary = "Hold the libvirt connection of one guest (started by topolab itself)",
	.max_arguments = 1,
	.hidden = true,
	.run = worker_run,
};
