// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "cmd/command.h"
#include "cmd/inputs.h"
#include "emit/emit.h"

#include <stdio.h>

enum { KEY_ACCEL = 256 };

struct xml_settings {
	struct inputs_settings inputs;
	enum emit_accel accel;
};

static const struct argp_option xml_options[] = {
	INPUTS_OPTIONS,
	{.name = "accel",
	 .key = KEY_ACCEL,
	 .arg = "kvm|tcg",
	 .doc = "For this accelerator (default tcg)"},
	{0},
};

static bool xml_option(int key, const char *value, void *data, GError **error)
{
	struct xml_settings *settings = data;

	if (inputs_option(key, value, &settings->inputs))
		return true;
	if (emit_accel_from_name(value, &settings->accel))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "--accel takes kvm or tcg, not '%s'", value);
	return false;
}

static int xml_run(char **arguments, void *data, GError **error)
{
	struct xml_settings *settings = data;
	AUTO(inputs) *inputs = inputs_load(arguments[0], &settings->inputs, error);
	g_autofree char *command_line = NULL;
	g_autofree char *xml = NULL;
	struct emit_domain domain;

	if (!inputs)
		return 2;
	command_line = emit_command_line(inputs->topo, settings->accel);
	domain = (struct emit_domain){
		.name = topo_name(inputs->topo),
		.kernel_path = inputs->kernel->image_path,
		.initrd_path = "/path/to/initrd",
		.command_line = command_line,
		.accel = settings->accel,
	};
	xml = emit_domain_xml(inputs->topo, &domain, error);
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
