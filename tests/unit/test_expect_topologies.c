// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every machine of topologies/ on every kernel: what the rules expect keeps the invariants, which
 * know nothing of the rules; a mini has the domains of the machine that it stands for, and no two
 * minis have the same, so that each of them is worth its boot.
 */
#include "test_expect.h"

#include "verdict/compare.h"

static const char *const releases[] = {
	"6.1.0-57-cloud-amd64",
	"6.12.117+deb12-cloud-amd64",
	"7.3.4+deb13-cloud-amd64",
};

/* The machines of which a kernel is known to build broken domains: cases, not mistakes of ours. */
static const struct {
	const char *topology;
	unsigned until; /* the first kernel that builds them well */
} broken[] = {
	/* Linux commit 528d89a4707e, "x86/topo: Fix SNC topology mess" */
	{"gnr-snc3", KERNEL_VERSION_OF(7, 0, 0)},
	{"gnr-snc3-mini", KERNEL_VERSION_OF(7, 0, 0)},
};

static bool is_broken(const char *topology, const struct kernel_facts *facts)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(broken); i++)
		if (g_str_equal(broken[i].topology, topology))
			return kernel_facts_version(facts) < broken[i].until;
	return false;
}

static struct topo *topo_named(const char *name)
{
	g_auto(GStrv) path = topo_search_path();
	g_autoptr(GError) error = NULL;
	struct topo *topo = topo_find(name, (const char *const *)path, &error);

	g_assert_no_error(error);
	return topo;
}

static struct domain_tree *expect_named(const struct topo *topo, const struct kernel_facts *facts)
{
	g_autoptr(GError) error = NULL;
	struct domain_tree *tree = expect_booted(topo, facts, &error);

	g_assert_no_error(error);
	return tree;
}

static void test_invariants(gconstpointer data)
{
	AUTO(topo) *topo = topo_named(data);

	for (unsigned i = 0; topo && i < G_N_ELEMENTS(releases); i++) {
		AUTO(kernel_facts) *facts = kernel_facts_new(releases[i], NULL);
		AUTO(domain_tree) *tree = expect_named(topo, facts);
		AUTO(checks) *checks = checks_new();
		g_autoptr(GPtrArray) maps = g_ptr_array_new();

		g_ptr_array_add(maps, topo_all_cpus(topo));
		check_invariants(tree, topo_all_cpus(topo), maps, checks);
		g_test_message("%s", releases[i]);
		g_assert_cmpstr(verdict_name(checks_verdict(checks)), ==,
				is_broken(data, facts) ? "FAIL" : "PASS");
	}
}

/*
 * Real machines whose kernel printed its domains. Tim Chen, LKML, 14 October 2025, Re: [RESEND
 * PATCH] sched/fair: Skip sched_balance_running cmpxchg: a Granite Rapids with the asymmetric SLIT,
 * on a kernel before 6.19; its second threads and SMT domain are left out here.
 */
static const struct {
	const char *topology, *release;
	unsigned cpu;
	const char *chain;
} printed[] = {
	{"gnr-snc3", "6.12.117+deb12-cloud-amd64", 0,
	 "MC 0-31; NUMA 0-63; NUMA 0-95; NUMA 0-127; NUMA 0-127,160-191; NUMA 0-191"},
	{"gnr-snc3", "6.1.0-57-cloud-amd64", 0,
	 "MC 0-31; NUMA 0-63; NUMA 0-95; NUMA 0-127; NUMA 0-127,160-191; NUMA 0-191"},
};

static void test_printed(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(printed); i++) {
		AUTO(topo) *topo = topo_named(printed[i].topology);
		AUTO(kernel_facts) *facts = kernel_facts_new(printed[i].release, NULL);
		AUTO(domain_tree) *tree = expect_named(topo, facts);

		assert_chain(tree, printed[i].cpu, printed[i].chain);
	}
}

/* Names and flags of the domains of one CPU of each shape, each shape once. */
static GHashTable *shapes_of(const struct domain_tree *tree)
{
	g_autoptr(GPtrArray) classes = domain_tree_shapes(tree);
	GHashTable *shapes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; i < classes->len; i++) {
		unsigned cpu = (unsigned)cpus_next(classes->pdata[i], -1);
		GString *shape = g_string_new(NULL);

		for (unsigned j = 0; j < domain_tree_depth(tree, cpu); j++) {
			const struct domain *domain = domain_tree_get(tree, cpu, j);

			g_string_append_printf(shape, "%s: %s; ", domain->name, domain->flags);
		}
		g_hash_table_add(shapes, g_string_free(shape, FALSE));
	}
	return shapes;
}

static char *shapes_text(GHashTable *shapes)
{
	GList *sorted = g_list_sort(g_hash_table_get_keys(shapes), (GCompareFunc)strcmp);
	GString *text = g_string_new(NULL);

	for (GList *item = sorted; item; item = item->next)
		g_string_append_printf(text, "%s\n", (const char *)item->data);
	g_list_free(sorted);
	return g_string_free(text, FALSE);
}

static void test_mini(gconstpointer data)
{
	AUTO(topo) *mini = topo_named(data);
	AUTO(topo) *full = mini ? topo_named(topo_mini_of(mini)) : NULL;

	for (unsigned i = 0; full && i < G_N_ELEMENTS(releases); i++) {
		AUTO(kernel_facts) *facts = kernel_facts_new(releases[i], NULL);
		AUTO(domain_tree) *mini_tree = expect_named(mini, facts);
		AUTO(domain_tree) *full_tree = expect_named(full, facts);
		g_autoptr(GHashTable) mini_shapes = shapes_of(mini_tree);
		g_autoptr(GHashTable) full_shapes = shapes_of(full_tree);
		g_autofree char *mini_text = shapes_text(mini_shapes);
		g_autofree char *full_text = shapes_text(full_shapes);

		g_assert_cmpstr(mini_text, ==, full_text);
	}
}

/* Which row made a domain is not what a kernel shows. */
static void rules_drop(json_t *tree)
{
	json_t *cpu, *domain;
	size_t i, j;

	json_array_foreach (json_object_get(tree, "cpus"), i, cpu)
		json_array_foreach (json_object_get(cpu, "domains"), j, domain)
			json_object_del(domain, "rule");
}

/* What the rules expect of the mini @name, as text; NULL for another machine. */
static char *mini_tree_text(const char *name, const struct kernel_facts *facts)
{
	AUTO(topo) *topo = topo_named(name);
	AUTO(domain_tree) *tree = NULL;
	json_t *json;
	char *text;

	if (!topo || !topo_mini_of(topo))
		return NULL;
	tree = expect_named(topo, facts);
	json = domain_tree_to_json(tree);
	rules_drop(json);
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	return text;
}

static void test_distinct(gconstpointer data)
{
	const char *const *names = data;

	for (unsigned i = 0; i < G_N_ELEMENTS(releases); i++) {
		AUTO(kernel_facts) *facts = kernel_facts_new(releases[i], NULL);
		g_autoptr(GHashTable) seen =
			g_hash_table_new_full(g_str_hash, g_str_equal, free, NULL);

		for (unsigned j = 0; names[j]; j++) {
			char *text = mini_tree_text(names[j], facts);
			const char *twin = text ? g_hash_table_lookup(seen, text) : NULL;

			if (twin)
				g_test_fail_printf("'%s' and '%s' have the same domains on '%s'",
						   twin, names[j], releases[i]);
			if (text)
				g_hash_table_insert(seen, text, (gpointer)(guintptr)names[j]);
		}
		g_assert_cmpuint(g_hash_table_size(seen), >=, 10);
	}
}

static void add_topology(const char *name)
{
	g_autofree char *invariants = g_strdup_printf("/expect-topologies/invariants/%s", name);
	g_autofree char *mini = g_strdup_printf("/expect-topologies/mini/%s", name);
	AUTO(topo) *topo = topo_named(name);

	g_test_add_data_func(invariants, name, test_invariants);
	if (topo && topo_mini_of(topo))
		g_test_add_data_func(mini, name, test_mini);
}

int main(int argc, char **argv)
{
	const char *const path[] = {TOPOLAB_SOURCE "/topologies", NULL};
	g_auto(GStrv) names = topo_list(path);

	g_setenv("TOPOLAB_PATH", path[0], TRUE);
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_assert_cmpuint(g_strv_length(names), >=, 24);
	for (unsigned i = 0; names[i]; i++)
		add_topology(names[i]);
	g_test_add_func("/expect-topologies/printed", test_printed);
	g_test_add_data_func("/expect-topologies/distinct", names, test_distinct);
	return g_test_run();
}
