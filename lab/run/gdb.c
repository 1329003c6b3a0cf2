// SPDX-License-Identifier: GPL-2.0-only
#include "run/gdb.h"

#include "base/error.h"
#include "base/options.h"
#include "base/spawn.h"

#include <string.h>

bool gdb_option(const char *value, struct run_options *options, GError **error)
{
	options->debug.gdb = true;
	options->debug.gdb_port = 0;
	if (!value || strcmp(value, "unix") == 0)
		return true;
	if (g_ascii_isdigit(*value))
		return option_number("--gdb", value, 1, 65535, &options->debug.gdb_port, error);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "--gdb is 'unix' or the number of a port, not '%s'", value);
	return false;
}

bool gdb_check(const struct run_options *options, GError **error)
{
	const char *problem = NULL;

	if (options->debug.dump_memory && options->uri) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "--dump-memory and --connect do not go together: the dump is written "
			    "by this host's QEMU");
		return false;
	}
	if (!options->debug.gdb)
		return true;
	if (options->topologies[1] ||
	    (options->kernels && options->kernels[0] && options->kernels[1]))
		problem = "is for one machine with one kernel";
	else if (options->timeout_seconds)
		problem = "and --timeout do not go together: gdb may hold the guest for any time";
	else if (options->uri)
		problem = "and --connect do not go together: gdb is awaited on this host";
	else if (options->quiet)
		problem = "and --quiet do not go together: gdb's command has to be told";
	if (!problem)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "--gdb %s", problem);
	return false;
}

static char *gdb_command(const struct job_spec *spec, const char *root)
{
	g_autofree char *vmlinux = kernel_vmlinux(spec->kernel);
	g_autofree char *where = spec->debug.gdb_port
					 ? g_strdup_printf("127.0.0.1:%u", spec->debug.gdb_port)
					 : g_build_filename(root, VM_GDB_SOCKET, NULL);
	g_autofree char *remote = g_strconcat("target remote ", where, NULL);
	const char *const with[] = {"gdb", vmlinux, "-ex", remote, NULL};
	const char *const without[] = {"gdb", "-ex", remote, NULL};

	return spawn_command_line(vmlinux ? with : without);
}

void gdb_progress(struct progress *progress, const struct vm_progress *state,
		  const struct job_spec *spec, const char *root)
{
	g_autofree char *command = NULL;

	if (strcmp(state->state, "frozen") != 0)
		return;
	command = gdb_command(spec, root);
	progress_say(progress, "The guest waits for gdb, whose 'continue' lets it run:\n  %s",
		     command);
}
