// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "cmd/command.h"
#include "emit/emit.h"
#include "kernel/kernel.h"
#include "topo/load.h"

#include <stdio.h>

enum { KEY_ACCEL = 256 };

struct xml_settings {
	const char *kernel;
	enum emit_accel accel;
};

static const struct argp_option xml_options[] = {
	{.name = "kernel",
	 .key = 'k',
	 .arg = "K",
	 .doc = "Boot this kernel (default " KERNEL_DEFAULT ")"},
	{.name = "accel",
	 .key = KEY_ACCEL,
	 .arg = "kvm|tcg",
	 .doc = "For this accelerator (default tcg)"},
	{0},
};

static bool xml_option(int key, const char *value, void *data, GError **error)
{
	struct xml_settings *settings = data;

	if (key == 'k') {
		settings->kernel = value;
		return true;
	}
	if (emit_accel_from_name(value, &settings->accel))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "--accel takes kvm or tcg, not '%s'", value);
	return false;
}

static int xml_run(char **arguments, void *data, GError **error)
{
	struct xml_settings *settings = data;
	g_auto(GStrv) path = topo_search_path();
	struct kernel_options options = {0};
	AUTO(topo) *topo = topo_find(arguments[0], (const char *const *)path, error);
	AUTO(kernel) *kernel = NULL;
	g_autofree char *command_line = NULL;
	g_autofree char *xml = NULL;
	struct emit_domain domain;

	if (!topo)
		return 2;
	kernel = kernel_get(settings->kernel ?: KERNEL_DEFAULT, &options, error);
	if (!kernel)
		return 2;
	command_line = emit_command_line(topo, settings->accel);
	domain = (struct emit_domain){
		.name = topo_name(topo),
		.kernel_path = kernel->image_path,
		.initrd_path = "/path/to/initrd",
		.command_line = command_line,
		.accel = settings->accel,
	};
	xml = emit_domain_xml(topo, &domain, error);
	if (!xml)
		return 2;
	fputs(xml, stdout);
	return 0;
}

const struct command command_xml = {
	.name = "xml",
	.arguments = "TOPOLOGY",
	.summary = "Print the libvirt domain that makes a machine",
	.options = xml_options,
	.min_arguments = 1,
	.max_arguments = 1,
	.settings_size = sizeof(struct xml_settings),
	.option = xml_option,
	.run = xml_run,
};
