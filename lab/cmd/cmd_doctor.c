// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/command.h"
#include "kernel/kernel.h"
#include "run/doctor.h"

#include <stdio.h>

enum { KEY_JSON = 256 };

struct doctor_settings {
	const char *kernel;
	bool json;
};

static const struct argp_option doctor_options[] = {
	{.name = "kernel",
	 .key = 'k',
	 .arg = "K",
	 .doc = "Try KVM with this kernel (default: " KERNEL_DEFAULT ", if the cache has it)"},
	{.name = "json", .key = KEY_JSON, .doc = "Print the items as JSON"},
	{0},
};

static bool doctor_option(int key, const char *value, void *data, GError **error G_GNUC_UNUSED)
{
	struct doctor_settings *settings = data;

	if (key == 'k')
		settings->kernel = value;
	if (key == KEY_JSON)
		settings->json = true;
	return true;
}

static int doctor_run(char **arguments G_GNUC_UNUSED, void *data, GError **error)
{
	const struct doctor_settings *settings = data;
	AUTO(root) *root = root_new_dir("/");
	g_autoptr(GPtrArray) items = NULL;
	g_autofree char *text = NULL;
	struct doctor_facts facts = {0};

	if (!doctor_gather(settings->kernel, &facts, error)) {
		doctor_facts_clear(&facts);
		return 2;
	}
	items = doctor_examine(root, &facts);
	doctor_facts_clear(&facts);
	text = settings->json ? doctor_json(items) : doctor_text(items);
	fputs(text, stdout);
	return doctor_works(items) ? 0 : 3;
}

const struct command command_doctor = {
	.name = "doctor",
	.arguments = "",
	.summary = "Say what this host can run, and why not",
	.details =
		"Starts a guest under TCG, and boots one under KVM. Exit status: 0 'topolab run' "
		"works, 3 it does not.",
	.options = doctor_options,
	.settings_size = sizeof(struct doctor_settings),
	.option = doctor_option,
	.run = doctor_run,
};
