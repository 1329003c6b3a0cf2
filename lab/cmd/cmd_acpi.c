// SPDX-License-Identifier: GPL-2.0-only
#include "base/caller.h"
#include "base/error.h"
#include "cmd/command.h"
#include "cmd/inputs.h"
#include "emit/emit.h"
#include "run/output.h"

#include <stdio.h>

struct acpi_settings {
	const char *folder;
};

static const struct argp_option acpi_options[] = {
	{.name = "output",
	 .key = 'o',
	 .arg = "DIR",
	 .doc = "Write them there; an existing DIR must be empty"},
	{0},
};

static bool acpi_option(int key G_GNUC_UNUSED, const char *value, void *data,
			GError **error G_GNUC_UNUSED)
{
	struct acpi_settings *settings = data;

	settings->folder = value;
	return true;
}

/* "DIR/apic.dat", as acpidump names its files. */
static bool table_write(const struct topo *topo, enum topo_table table, const char *folder,
			GError **error)
{
	g_autoptr(GBytes) bytes = emit_table(topo, table);
	g_autofree char *name = g_ascii_strdown(topo_table_name(table), -1);
	g_autofree char *file = g_strconcat(name, ".dat", NULL);
	g_autofree char *path = g_build_filename(folder, file, NULL);
	g_autoptr(GError) cause = NULL;

	if (!bytes)
		return true;
	if (!g_file_set_contents_full(path, g_bytes_get_data(bytes, NULL),
				      (gssize)g_bytes_get_size(bytes), G_FILE_SET_CONTENTS_NONE,
				      0644, &cause)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "the table '%s' is not written: %s",
			    topo_table_name(table), cause->message);
		return false;
	}
	printf("%s: %s\n", path,
	       topo_replaces_table(topo, table) ? "given to the guest" : "as QEMU has it");
	return true;
}

static int acpi_run(char **arguments, void *data, GError **error)
{
	struct acpi_settings *settings = data;
	AUTO(topo) *topo = inputs_topology(arguments[0], error);
	g_autofree char *folder = NULL;

	if (!topo)
		return 2;
	if (!settings->folder) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "-o DIR is missing: where are the tables to be written?");
		return 2;
	}
	if (!output_folder_check(settings->folder, error))
		return 2;
	folder = output_folder_new(settings->folder, error);
	if (!folder)
		return 3;
	for (int table = 0; table < TOPO_TABLE_COUNT; table++)
		if (!table_write(topo, (enum topo_table)table, folder, error))
			return 3;
	caller_give(folder);
	return 0;
}

const struct command command_acpi = {
	.name = "acpi",
	.arguments = "TOPOLOGY",
	.summary = "Write the ACPI tables that say a machine",
	.details =
		"apic.dat, srat.dat and slit.dat, and hmat.dat and facp.dat where the topology "
		"file's firmware has them, for iasl -d. Those that QEMU's own cannot be are given "
		"to the guest in front of its initrd (Linux' CONFIG_ACPI_TABLE_UPGRADE).",
	.options = acpi_options,
	.min_arguments = 1,
	.max_arguments = 1,
	.settings_size = sizeof(struct acpi_settings),
	.option = acpi_option,
	.run = acpi_run,
};
