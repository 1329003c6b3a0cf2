// SPDX-License-Identifier: GPL-2.0-only
#include "expect/arguments.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* Documentation/admin-guide/kernel-parameters.txt of 6.12 and 7.3. */
static const char *const unmodelled[] = {
	/* which CPUs come up, and how they are found */
	"possible_cpus",
	"nosmp",
	"disable_cpu_apicid",
	"acpi",
	"noapic",
	"nolapic",
	"nox2apic",
	"clearcpuid",
	/* nodes and memory */
	"mem",
	"memmap",
	"movable_node",
};

/* A mitigation may take the second threads down: "mitigations=auto,nosmt", "l1tf=full". */
static bool takes_threads_down(const char *value)
{
	g_auto(GStrv) words = g_strsplit(value, ",", -1);

	return g_strv_contains((const char *const *)words, "nosmt");
}

static bool is_unmodelled(const char *word)
{
	gsize length = strcspn(word, "=");

	for (gsize i = 0; i < G_N_ELEMENTS(unmodelled); i++)
		if (strlen(unmodelled[i]) == length && strncmp(word, unmodelled[i], length) == 0)
			return true;
	return g_str_has_prefix(word, "l1tf=full") ||
	       (word[length] == '=' && takes_threads_down(word + length + 1));
}

char *arguments_unmodelled(const char *command_line)
{
	g_auto(GStrv) words = g_strsplit_set(command_line, " \t\n", -1);

	for (gsize i = 0; words[i]; i++)
		if (is_unmodelled(words[i]))
			return g_strdup(words[i]);
	return NULL;
}
