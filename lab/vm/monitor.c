// SPDX-License-Identifier: GPL-2.0-only
#include "vm/monitor.h"

#include <glib.h>
#include <jansson.h>
#include <libvirt/libvirt-qemu.h>
#include <libvirt/virterror.h>
#include <stdlib.h>

/* libvirt's strings are malloc()ed, as GLib's are. */
static char *monitor_command(virDomainPtr domain, const char *command, unsigned flags,
			     char **problem)
{
	char *answer = NULL;

	if (virDomainQemuMonitorCommand(domain, command, &answer, flags) == 0)
		return answer;
	*problem = g_strdup_printf("QEMU's monitor does not take '%s': %s", command,
				   virGetLastErrorMessage());
	return NULL;
}

char *monitor_ask(virDomainPtr domain, const char *command, char **problem)
{
	return monitor_command(domain, command, VIR_DOMAIN_QEMU_MONITOR_COMMAND_HMP, problem);
}

/* What cannot be done is {"error":{"class":...,"desc":"..."},"id":...}. */
static char *answer_problem(const char *answer)
{
	json_t *json = json_loads(answer, 0, NULL);
	char *problem = g_strdup(
		json_string_value(json_object_get(json_object_get(json, "error"), "desc")));

	json_decref(json);
	return problem;
}

bool monitor_execute(virDomainPtr domain, const char *command, char **problem)
{
	g_autofree char *answer = monitor_command(domain, command, 0, problem);

	if (answer)
		*problem = answer_problem(answer);
	return !*problem;
}

bool monitor_lend(virDomainPtr domain, const char *name, int fd, char **problem)
{
	g_autofree char *command =
		g_strdup_printf("{\"execute\":\"getfd\",\"arguments\":{\"fdname\":\"%s\"}}", name);
	g_autofree char *answer = NULL;

	if (virDomainQemuMonitorCommandWithFiles(domain, command, 1, &fd, NULL, NULL, &answer, 0) ==
	    0)
		*problem = answer_problem(answer);
	else
		*problem = g_strdup_printf("QEMU's monitor does not take a file: %s",
					   virGetLastErrorMessage());
	return !*problem;
}
