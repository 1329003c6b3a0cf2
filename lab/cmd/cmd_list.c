// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/table.h"
#include "cmd/command.h"
#include "kernel/kernel_file.h"
#include "run/case.h"
#include "run/guest_test.h"
#include "run/tests.h"
#include "topo/load.h"

#include <stdio.h>
#include <string.h>

/*
 * A file that cannot be read must not hide the others: its row says so, and the first problem ends
 * the command when everything has been listed.
 */
static void keep_first(GError **error, GError *problem)
{
	if (*error)
		g_error_free(problem);
	else
		g_propagate_error(error, problem);
}

static void list_topology(struct table *table, const char *name, const char *const *path,
			  GError **first)
{
	GError *problem = NULL;
	AUTO(topo) *topo = topo_find(name, path, &problem);
	g_autofree char *cpus = NULL;
	g_autofree char *nodes = NULL;

	if (!topo) {
		table_add(table, name, NULL, NULL, NULL, "(cannot be read)");
		keep_first(first, problem);
		return;
	}
	cpus = g_strdup_printf("%u", topo_n_cpus(topo));
	nodes = g_strdup_printf("%u", topo_n_nodes(topo));
	table_add(table, name, cpus, nodes, topo_mini_of(topo), topo_title(topo));
}

static void list_topologies(GError **error)
{
	static const struct table_column columns[] = {
		{"NAME", TABLE_LEFT},	 {"CPUS", TABLE_RIGHT}, {"NODES", TABLE_RIGHT},
		{"MINI-OF", TABLE_LEFT}, {"TITLE", TABLE_WRAP}, {0},
	};
	g_auto(GStrv) path = topo_search_path();
	g_auto(GStrv) names = topo_list((const char *const *)path);
	AUTO(table) *table = table_new(columns);

	for (unsigned i = 0; names[i]; i++)
		list_topology(table, names[i], (const char *const *)path, error);
	table_print(table);
}

static void list_kernel(struct table *table, const char *name, GError **first)
{
	GError *problem = NULL;
	AUTO(kernel_file) *file = kernel_file_find(name, &problem);

	if (!file) {
		table_add(table, name, NULL, NULL, "(cannot be read)");
		keep_first(first, problem);
		return;
	}
	table_add(table, name, file->source->kind,
		  file->source->present(file->fields) ? "yes" : "no", file->title);
}

static void list_kernels(GError **error)
{
	static const struct table_column columns[] = {
		{"NAME", TABLE_LEFT},
		{"SOURCE", TABLE_LEFT},
		{"CACHED", TABLE_LEFT},
		{"TITLE", TABLE_WRAP},
		{0},
	};
	g_auto(GStrv) names = kernel_list();
	AUTO(table) *table = table_new(columns);

	for (unsigned i = 0; names[i]; i++)
		list_kernel(table, names[i], error);
	table_print(table);
}

static void list_test(struct table *table, const char *name, GError **first)
{
	GError *problem = NULL;
	AUTO(guest_test) *test = guest_test_load(name, &problem);
	g_autofree char *programs = NULL;

	if (!test) {
		table_add(table, name, NULL, NULL, "(cannot be read)");
		keep_first(first, problem);
		return;
	}
	programs = g_strdup_printf("%u", test->programs->len);
	table_add(table, name, test->group, programs, test->title);
}

static void list_tests(GError **error)
{
	static const struct table_column columns[] = {
		{"NAME", TABLE_LEFT},
		{"GROUP", TABLE_LEFT},
		{"PROGRAMS", TABLE_RIGHT},
		{"TITLE", TABLE_WRAP},
		{0},
	};
	g_auto(GStrv) names = guest_test_list();
	AUTO(table) *table = table_new(columns);

	table_add(table, TEST_DOMAINS, NULL, NULL, TEST_DOMAINS_TITLE);
	for (unsigned i = 0; names[i]; i++)
		list_test(table, names[i], error);
	table_print(table);
}

static void list_case(struct table *table, const char *name, GError **first)
{
	GError *problem = NULL;
	AUTO(case_file) *file = case_find(name, &problem);
	g_autoptr(GString) kernels = g_string_new(NULL);

	if (!file) {
		table_add(table, name, NULL, NULL, "(cannot be read)");
		keep_first(first, problem);
		return;
	}
	for (guint i = 0; i < file->kernels->len; i++) {
		const struct case_kernel *kernel = file->kernels->pdata[i];

		g_string_append_printf(kernels, "%s%s", i ? " " : "", kernel->name);
	}
	table_add(table, name, case_is_guard(file) ? "guard" : "bug", kernels->str, file->title);
}

static void list_cases(GError **error)
{
	static const struct table_column columns[] = {
		{"NAME", TABLE_LEFT},
		{"KIND", TABLE_LEFT},
		{"KERNELS", TABLE_WRAP},
		{"TITLE", TABLE_WRAP},
		{0},
	};
	g_auto(GStrv) names = case_list();
	AUTO(table) *table = table_new(columns);

	for (unsigned i = 0; names[i]; i++)
		list_case(table, names[i], error);
	table_print(table);
}

static const struct subject {
	const char *name;
	void (*list)(GError **error);
} subjects[] = {
	{"topologies", list_topologies},
	{"kernels", list_kernels},
	{"tests", list_tests},
	{"cases", list_cases},
};

static int list_run(char **arguments, void *settings G_GNUC_UNUSED, GError **error)
{
	GError *problem = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(subjects); i++) {
		if (strcmp(subjects[i].name, arguments[0]) != 0)
			continue;
		subjects[i].list(&problem);
		if (problem)
			g_propagate_error(error, problem);
		return 0;
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "list takes topologies, kernels, tests or cases, not '%s'", arguments[0]);
	return 2;
}

const struct command command_list = {
	.name = "list",
	.arguments = "topologies|kernels|tests|cases",
	.summary = "List what there is to run",
	.details = "CACHED: nothing need be fetched to boot the kernel.",
	.notes = kernel_source_notes,
	.min_arguments = 1,
	.max_arguments = 1,
	.run = list_run,
};
