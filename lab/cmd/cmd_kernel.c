// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/table.h"
#include "cmd/command.h"
#include "kernel/kernel.h"
#include "kernel/needs.h"
#include "kernel/sources.h"

#include <stdio.h>
#include <string.h>

/* A folder is a kernel tree or its build folder. */
static char *config_path(const char *path)
{
	return g_file_test(path, G_FILE_TEST_IS_DIR) ? g_build_filename(path, ".config", NULL)
						     : g_strdup(path);
}

static struct kernel_facts *config_facts(const char *path, GError **error)
{
	g_autofree char *file = config_path(path);
	g_autofree char *text = NULL;
	g_autofree char *version = NULL;
	g_autoptr(GError) cause = NULL;
	struct kernel_facts *facts;

	if (!g_file_get_contents(file, &text, NULL, &cause)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "'%s' holds no kernel config that can be read: %s", path,
			    cause->message);
		return NULL;
	}
	version = kernel_config_version(text);
	facts = version ? kernel_facts_new(version, NULL) : NULL;
	if (facts)
		kernel_facts_set_config(facts, text);
	else
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "'%s' is no config of an x86 kernel: no line of it says '# Linux/x86 "
			    "VERSION Kernel Configuration'",
			    file);
	return facts;
}

static void print_unmet(const struct kernel_facts *facts, const GPtrArray *unmet)
{
	static const struct table_column columns[] = {
		{"OPTION", TABLE_LEFT}, {"IS", TABLE_LEFT},   {"WANTED", TABLE_LEFT},
		{"COSTS", TABLE_LEFT},	{"WHAT", TABLE_WRAP}, {0},
	};
	AUTO(table) *table = table_new(columns);

	for (guint i = 0; i < unmet->len; i++) {
		const struct kernel_need *need = unmet->pdata[i];
		g_autofree char *least = g_strdup_printf("%u", need->least);

		table_add(table, need->symbol, kernel_facts_config(facts, need->symbol),
			  need->least ? least : "y", need_cost_name(need->cost), need->sentence);
	}
	table_print(table);
}

static int kernel_check(const char *path, GError **error)
{
	AUTO(kernel_facts) *facts = config_facts(path, error);
	g_autoptr(GPtrArray) unmet = NULL;
	const struct kernel_need *worst;

	if (!facts)
		return 2;
	unmet = kernel_needs_unmet(facts);
	if (!unmet->len) {
		printf("Linux %s has every option that topolab makes use of.\n",
		       kernel_facts_release(facts));
		return 0;
	}
	worst = unmet->pdata[0];
	print_unmet(facts, unmet);
	return worst->cost == NEED_VERDICT ? 1 : 0;
}

static void say(const char *text, void *data G_GNUC_UNUSED)
{
	fprintf(stderr, "%s\n", text);
}

/* From the archive, or by building it: what `topolab run` would do first. */
static int kernel_fetch(const char *which, GError **error)
{
	const struct kernel_options options = {.progress = say};
	AUTO(kernel) *kernel = kernel_get(which, &options, error);

	if (!kernel)
		return 3;
	printf("%s is Linux %s, '%s'\n", kernel->name, kernel_facts_release(kernel->facts),
	       kernel->image_path);
	return 0;
}

/* For whoever wants to look, or to copy it and change it there. */
static int kernel_tree(const char *which, GError **error)
{
	const struct kernel_options options = {.progress = say};
	AUTO(sources) *sources = kernel_sources_find(which, &options, error);

	if (!sources)
		return 3;
	printf("%s\n", sources->tree);
	return 0;
}

static const struct action {
	const char *name;
	int (*run)(const char *argument, GError **error);
} actions[] = {
	{"check", kernel_check},
	{"fetch", kernel_fetch},
	{"tree", kernel_tree},
};

static int kernel_run(char **arguments, void *settings G_GNUC_UNUSED, GError **error)
{
	for (gsize i = 0; i < G_N_ELEMENTS(actions); i++)
		if (strcmp(arguments[0], actions[i].name) == 0)
			return actions[i].run(arguments[1], error);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "kernel does not know '%s', only check, fetch and tree", arguments[0]);
	return 2;
}

const struct command command_kernel = {
	.name = "kernel",
	.arguments = "check|fetch|tree WHICH",
	.summary = "Say what a kernel's config lacks, or get a kernel ready",
	.details =
		"check reads the config of a kernel tree or build folder, or a config file, and "
		"says which options are missing and what each costs; exit status 1: as it is "
		"configured no machine gets a verdict. fetch fetches or builds K, as run would, "
		"and says where its image lies. tree prints where the sources of K lie, which it "
		"fetches and unpacks if need be.",
	.min_arguments = 2,
	.max_arguments = 2,
	.run = kernel_run,
};
