/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of expect/ share. Expected values are typed by hand from mails, reports and the
 * kernel's source, one reference each; none is taken from the tool's own output.
 */
#ifndef TEST_EXPECT_H
#define TEST_EXPECT_H

#include "base/cpus.h"
#include "base/kernel_facts.h"
#include "expect/expect.h"
#include "topo/load.h"

#include <string.h>

struct shape {
	const char *vendor; /* NULL: GenuineIntel */
	unsigned family, model, packages, llcs, cores, threads, nodes;
	unsigned memory_nodes; /* without CPUs, after those of the packages */
	const char *numbering; /* NULL: threads-adjacent */
	const char *slit;      /* full matrix, "[[10, 20], [20, 10]]"; NULL: one node */
	const char *boot;      /* kernel arguments, comma separated; NULL: none */
	const char *lacks;     /* of the processor, comma separated; NULL: nothing */
};

/* Zen 3, and the Intel models that the cases name. */
#define MILAN		.vendor = "AuthenticAMD", .family = 25, .model = 1
#define TURIN		.vendor = "AuthenticAMD", .family = 26, .model = 2
#define SAPPHIRE_RAPIDS .family = 6, .model = 143
#define GRANITE_RAPIDS	.family = 6, .model = 173

static inline char *shape_text(const struct shape *shape)
{
	static const char *const referenced[] = {
		"cpu",
		"packages",
		"l3_per_package",
		"cores_per_l3",
		"threads_per_core",
		"nodes_per_package",
		"memory_per_node",
		"distances",
		"numbering",
	};
	GString *text = g_string_new("name: test\ntitle: a machine of the unit tests\n");

	g_string_append_printf(
		text, "cpu: {vendor: %s, family: %u, model: %u, stepping: 1, lacks: [%s]}\n",
		shape->vendor ? shape->vendor : "GenuineIntel", shape->family, shape->model,
		shape->lacks ?: "");
	g_string_append_printf(text, "packages: %u\nl3_per_package: %u\ncores_per_l3: %u\n",
			       shape->packages, shape->llcs, shape->cores);
	g_string_append_printf(text, "threads_per_core: %u\nnodes_per_package: %u\n",
			       shape->threads, shape->nodes);
	g_string_append_printf(text, "memory_per_node: 2G\ndistances: %s\nnumbering: %s\n",
			       shape->slit ? shape->slit : "{}",
			       shape->numbering ? shape->numbering : "threads-adjacent");
	if (shape->boot)
		g_string_append_printf(text, "boot: [%s]\n", shape->boot);
	if (shape->memory_nodes)
		g_string_append_printf(text, "memory_only_nodes: %u\n", shape->memory_nodes);
	g_string_append(text, "reference:\n");
	if (shape->memory_nodes)
		g_string_append(text, "  memory_only_nodes: see the test\n");
	for (unsigned i = 0; i < G_N_ELEMENTS(referenced); i++)
		g_string_append_printf(text, "  %s: see the test\n", referenced[i]);
	return g_string_free(text, FALSE);
}

static inline struct topo *topo_of(const struct shape *shape)
{
	g_autofree char *text = shape_text(shape);
	g_autoptr(GError) error = NULL;
	struct topo *topo = topo_load_text(text, strlen(text), "test.yaml", &error);

	g_assert_no_error(error);
	if (!topo)
		g_error("the machine of a test cannot be loaded:\n%s", text);
	return topo;
}

/*
 * A machine of one thread a core with a row for each CPU: @keys are the lines of cpu, packages,
 * l3_per_package, cores_per_l3, nodes and distances, maybe memory_only_nodes; @rows "package node
 * l3 core apic" each, NULL at the end.
 */
static inline struct topo *topo_of_rows(const char *keys, const char *const *rows)
{
	static const char *const referenced[] = {
		"cpu",	 "packages", "l3_per_package", "cores_per_l3",	  "threads_per_core",
		"nodes", "cpus",     "distances",      "memory_per_node",
	};
	g_autoptr(GString) text =
		g_string_new("name: test\ntitle: a machine of the unit tests\nreference:\n");
	g_autoptr(GError) error = NULL;
	struct topo *topo;

	for (unsigned i = 0; i < G_N_ELEMENTS(referenced); i++)
		g_string_append_printf(text, "  %s: see the test\n", referenced[i]);
	if (strstr(keys, "memory_only_nodes"))
		g_string_append(text, "  memory_only_nodes: see the test\n");
	g_string_append_printf(text, "threads_per_core: 1\nmemory_per_node: 128M\n%s\ncpus:\n",
			       keys);
	for (; *rows; rows++) {
		g_auto(GStrv) ids = g_strsplit(*rows, " ", -1);

		g_assert_cmpuint(g_strv_length(ids), ==, 5);
		g_string_append_printf(text,
				       "  - {package: %s, node: %s, l3: %s, core: %s, thread: 0, "
				       "apic: %s}\n",
				       ids[0], ids[1], ids[2], ids[3], ids[4]);
	}
	topo = topo_load_text(text->str, text->len, "test.yaml", &error);
	g_assert_no_error(error);
	return topo;
}

/* @config may be NULL: unknown. */
static inline struct domain_tree *expect_config(const struct shape *shape, const char *release,
						const char *config)
{
	AUTO(topo) *topo = topo_of(shape);
	AUTO(kernel_facts) *facts = kernel_facts_new(release, NULL);
	g_autoptr(GError) error = NULL;
	struct domain_tree *tree;

	if (config)
		kernel_facts_set_config(facts, config);
	tree = expect_booted(topo, facts, &error);
	g_assert_no_error(error);
	return tree;
}

static inline struct domain_tree *expect_shape(const struct shape *shape, const char *release)
{
	return expect_config(shape, release, NULL);
}

/* "SMT 0,128; MC 0-7,128-135": names and spans from the inside out; "" for no domain. */
static inline void assert_chain(const struct domain_tree *tree, unsigned cpu, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < domain_tree_depth(tree, cpu); i++) {
		const struct domain *domain = domain_tree_get(tree, cpu, i);
		g_autofree char *span = cpus_to_list(domain->span);

		g_string_append_printf(text, "%s%s %s", i ? "; " : "", domain->name, span);
	}
	g_assert_cmpstr(text->str, ==, expected);
}

/* "0 2 4": what debugfs shows as the level of each domain. */
static inline void assert_levels(const struct domain_tree *tree, unsigned cpu, const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < domain_tree_depth(tree, cpu); i++)
		g_string_append_printf(text, "%s%d", i ? " " : "",
				       domain_tree_get(tree, cpu, i)->level);
	g_assert_cmpstr(text->str, ==, expected);
}

static inline void assert_flags(const struct domain_tree *tree, unsigned cpu, unsigned index,
				const char *expected)
{
	g_assert_cmpuint(index, <, domain_tree_depth(tree, cpu));
	if (index < domain_tree_depth(tree, cpu))
		g_assert_cmpstr(domain_tree_get(tree, cpu, index)->flags, ==, expected);
}

/* "0-1 2-3": the spans of the groups, own group first. */
static inline void assert_groups(const struct domain_tree *tree, unsigned cpu, unsigned index,
				 const char *expected)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const struct domain *domain;

	g_assert_cmpuint(index, <, domain_tree_depth(tree, cpu));
	if (index >= domain_tree_depth(tree, cpu))
		return;
	domain = domain_tree_get(tree, cpu, index);
	for (unsigned i = 0; i < domain->groups->len; i++) {
		const struct domain_group *group = domain->groups->pdata[i];
		g_autofree char *span = cpus_to_list(group->span);

		g_string_append_printf(text, "%s%s", i ? " " : "", span);
	}
	g_assert_cmpstr(text->str, ==, expected);
}

#endif
