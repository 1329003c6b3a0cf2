// SPDX-License-Identifier: GPL-2.0-only
#include "base/host.h"

#include <string.h>

char *host_cpu_model(struct root *root)
{
	/* show_cpuinfo(), arch/x86/kernel/cpu/proc.c */
	static const char label[] = "model name\t: ";
	g_autofree char *text = root_read(root, NULL, "proc/cpuinfo");
	const char *model = text ? strstr(text, label) : NULL;

	if (!model)
		return g_strdup("unknown CPU");
	model += strlen(label);
	return g_strndup(model, strcspn(model, "\n"));
}
