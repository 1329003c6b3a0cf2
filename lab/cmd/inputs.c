// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/inputs.h"

#include "topo/load.h"

#include <stdio.h>

bool inputs_option(int key, const char *value, struct inputs_settings *settings)
{
	if (key == INPUTS_KEY_KERNEL)
		settings->kernel = value;
	else if (key == INPUTS_KEY_OFFLINE)
		settings->offline = true;
	else if (key == INPUTS_KEY_NO_BUILD)
		settings->no_build = true;
	else
		return false;
	return true;
}

struct topo *inputs_topology(const char *which, GError **error)
{
	g_auto(GStrv) path = topo_search_path();

	return topo_find(which, (const char *const *)path, error);
}

static void say(const char *text, void *data G_GNUC_UNUSED)
{
	fprintf(stderr, "%s\n", text);
}

struct inputs *inputs_load(const char *topology, const struct inputs_settings *settings,
			   GError **error)
{
	struct kernel_options options = {
		.offline = settings->offline,
		.no_build = settings->no_build,
		.progress = say,
	};
	AUTO(inputs) *inputs = g_new0(struct inputs, 1);

	inputs->topo = inputs_topology(topology, error);
	if (!inputs->topo)
		return NULL;
	inputs->kernel = kernel_get(settings->kernel ?: KERNEL_DEFAULT, &options, error);
	return inputs->kernel ? g_steal_pointer(&inputs) : NULL;
}

void inputs_free(struct inputs *inputs)
{
	if (!inputs)
		return;
	topo_unref(inputs->topo);
	kernel_free(inputs->kernel);
	g_free(inputs);
}
