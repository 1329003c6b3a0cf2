// SPDX-License-Identifier: GPL-2.0-only
/* Domain trees: chains, shapes, and JSON as results hold it. */
#include "base/error.h"
#include "topo/domains.h"

#include <string.h>

static struct cpus *set_of(const char *list)
{
	return cpus_parse_list(list, NULL);
}

static struct domain *add_domain(struct domain_tree *tree, unsigned cpu, const char *name,
				 const char *span)
{
	struct domain *domain = domain_tree_append(tree, cpu);

	domain->name = g_strdup(name);
	domain->span = set_of(span);
	domain->flags = g_strdup("SD_BALANCE_NEWIDLE SD_BALANCE_EXEC");
	return domain;
}

static void test_chains(void)
{
	AUTO(domain_tree) *tree = domain_tree_new();
	const struct domain *smt = add_domain(tree, 200, "SMT", "72,200");
	const struct domain *mc = add_domain(tree, 200, "MC", "64-79,192-207");
	g_autofree char *cpus = NULL;

	add_domain(tree, 3, "SMT", "3,131");
	domain_tree_touch(tree, 5);
	cpus = cpus_to_list(domain_tree_cpus(tree));
	g_assert_cmpstr(cpus, ==, "3,5,200");
	g_assert_cmpuint(smt->index, ==, 0);
	g_assert_cmpuint(mc->index, ==, 1);
	g_assert_cmpint(mc->level, ==, -1);
	g_assert_null(mc->groups);
	g_assert_cmpuint(domain_tree_depth(tree, 200), ==, 2);
	g_assert_cmpuint(domain_tree_depth(tree, 5), ==, 0);
	g_assert_cmpuint(domain_tree_depth(tree, 8000), ==, 0);
	g_assert_true(domain_tree_get(tree, 200, 1) == mc);
	g_assert_null(domain_tree_get(tree, 200, 2));
	g_assert_null(domain_tree_get(tree, 5, 0));
	g_assert_null(domain_tree_get(tree, 8000, 0));
}

/* Equal names, flags and span sizes make a class; the spans themselves do not count. */
static void test_shapes(void)
{
	static const char *const expected[] = {"0-1", "2", "3", "4", "5"};
	AUTO(domain_tree) *tree = domain_tree_new();
	g_autoptr(GPtrArray) shapes = NULL;

	add_domain(tree, 1, "MC", "4-7");
	add_domain(tree, 0, "MC", "0-3");
	add_domain(tree, 2, "MC", "0-2");  /* another size */
	add_domain(tree, 3, "PKG", "0-3"); /* another name */
	g_free(domain_tree_get(tree, 3, 0)->flags);
	domain_tree_get(tree, 3, 0)->flags = g_strdup("SD_BALANCE_NEWIDLE");
	add_domain(tree, 4, "MC", "0-3"); /* one more level */
	add_domain(tree, 4, "PKG", "0-7");
	domain_tree_touch(tree, 5);
	shapes = domain_tree_shapes(tree);
	g_assert_cmpuint(shapes->len, ==, G_N_ELEMENTS(expected));
	for (unsigned i = 0; i < MIN(shapes->len, G_N_ELEMENTS(expected)); i++) {
		g_autofree char *list = cpus_to_list(g_ptr_array_index(shapes, i));

		g_assert_cmpstr(list, ==, expected[i]);
	}
}

/* Blanks, quotes and line ends in a hostile name do not make two chains one class. */
static void test_hostile_shapes(void)
{
	AUTO(domain_tree) *tree = domain_tree_new();
	g_autoptr(GPtrArray) shapes = NULL;

	add_domain(tree, 0, "A", "0")->flags[0] = '\0';
	add_domain(tree, 0, "B", "0")->flags[0] = '\0';
	add_domain(tree, 1, "A\" \"\" 1\n\"B", "0")->flags[0] = '\0';
	shapes = domain_tree_shapes(tree);
	g_assert_cmpuint(shapes->len, ==, 2);
}

/* The shape that the documentation of `expect --json` gives, groups and nulls included. */
static const char documented[] =
	"{\"cpus\":[{\"cpu\":0,\"domains\":["
	"{\"index\":0,\"level\":0,\"name\":\"SMT\",\"span\":\"0,128\","
	"\"groups_flags\":[\"SD_CLUSTER\"],\"numbers\":{\"min_interval\":2,\"imbalance_pct\":110},"
	"\"flags\":[\"SD_BALANCE_NEWIDLE\",\"SD_BALANCE_EXEC\"],"
	"\"groups\":[{\"span\":\"0\",\"mask\":\"0\",\"id\":0},"
	"{\"span\":\"128\",\"mask\":null,\"id\":null}]},"
	"{\"index\":1,\"level\":null,\"name\":null,\"span\":\"0-7,128-135\",\"flags\":null,"
	"\"groups\":null,\"groups_flags\":null,\"numbers\":{},\"rule\":\"llc\"}]},"
	"{\"cpu\":5,\"domains\":[]}]}";

static struct domain_tree *documented_tree(void)
{
	struct domain_tree *tree = domain_tree_new();
	struct domain *smt = add_domain(tree, 0, "SMT", "0,128");
	struct domain_group *group = domain_add_group(smt, set_of("0"));
	struct domain *mc = domain_tree_append(tree, 0);

	smt->level = 0;
	smt->groups_flags = g_strdup("SD_CLUSTER");
	smt->number[DOMAIN_MIN_INTERVAL] = 2;
	smt->number[DOMAIN_IMBALANCE_PCT] = 110;
	group->mask = set_of("0");
	group->id = 0;
	domain_add_group(smt, set_of("128"));
	mc->span = set_of("0-7,128-135");
	mc->rule = g_strdup("llc");
	domain_tree_touch(tree, 5);
	return tree;
}

static void test_to_json(void)
{
	AUTO(domain_tree) *tree = documented_tree();
	json_t *json = domain_tree_to_json(tree);
	json_t *expected = json_loads(documented, 0, NULL);

	g_assert_nonnull(expected);
	g_assert_true(json_equal(json, expected));
	json_decref(json);
	json_decref(expected);
}

static void test_from_json(void)
{
	json_t *json = json_loads(documented, 0, NULL);
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = domain_tree_from_json(json, &error);
	const struct domain *domain;
	const struct domain_group *group;

	g_assert_no_error(error);
	g_assert_nonnull(tree);
	domain = domain_tree_get(tree, 0, 0);
	g_assert_cmpstr(domain->name, ==, "SMT");
	g_assert_cmpint(domain->level, ==, 0);
	g_assert_cmpstr(domain->flags, ==, "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC");
	g_assert_true(cpus_has(domain->span, 128));
	g_assert_null(domain->rule);
	g_assert_cmpstr(domain->groups_flags, ==, "SD_CLUSTER");
	g_assert_cmpint(domain->number[DOMAIN_MIN_INTERVAL], ==, 2);
	g_assert_cmpint(domain->number[DOMAIN_IMBALANCE_PCT], ==, 110);
	g_assert_cmpint(domain->number[DOMAIN_MAX_INTERVAL], ==, -1);
	group = g_ptr_array_index(domain->groups, 1);
	g_assert_null(group->mask);
	g_assert_cmpint(group->id, ==, -1);
	domain = domain_tree_get(tree, 0, 1);
	g_assert_null(domain->name);
	g_assert_null(domain->flags);
	g_assert_null(domain->groups);
	g_assert_cmpint(domain->level, ==, -1);
	g_assert_cmpstr(domain->rule, ==, "llc");
	g_assert_true(cpus_has(domain_tree_cpus(tree), 5));
	g_assert_cmpuint(domain_tree_depth(tree, 5), ==, 0);
	json_decref(json);
}

/* A name that a broken guest sent must not lose the whole result. */
static void test_not_utf8(void)
{
	AUTO(domain_tree) *tree = domain_tree_new();
	json_t *json;

	add_domain(tree, 0, "M\xff", "0");
	g_free(domain_tree_get(tree, 0, 0)->flags);
	domain_tree_get(tree, 0, 0)->flags = g_strdup("A \xff");
	json = domain_tree_to_json(tree);
	g_assert_nonnull(json);
	g_assert_cmpuint(json_array_size(json_object_get(json, "cpus")), ==, 1);
	json_decref(json);
}

/* Each is the documented text with one change. */
static void test_bad_json(void)
{
	static const struct {
		const char *from, *to, *message;
	} rows[] = {
		{"\"cpus\"", "\"cpu\"", "'cpus' is missing or not a list"},
		{"{\"cpu\":0", "{\"cpu\":-1",
		 "'cpus[0]' has a 'cpu' that is not a number below 8192"},
		{"{\"cpu\":0", "{\"cpu\":8192",
		 "'cpus[0]' has a 'cpu' that is not a number below 8192"},
		{"{\"cpu\":0", "{\"cpu\":null", "'cpus[0]' has no CPU number of its own"},
		{"{\"cpu\":5", "{\"cpu\":0", "'cpus[1]' has no CPU number of its own"},
		{"\"index\":1", "\"index\":2", "'cpus[0].domains[1]' has the index 2, not 1"},
		{"\"index\":1,", "", "'cpus[0].domains[1]' lacks the member 'index'"},
		{"\"level\":0", "\"level\":\"0\"",
		 "'cpus[0].domains[0]' has a 'level' that is not a number below 8192"},
		{"\"SMT\"", "7", "'cpus[0].domains[0]' has a 'name' that is not a string"},
		{"\"0,128\"", "\"0,a\"",
		 "'cpus[0].domains[0]' has a 'span' that is not a CPU list"},
		{"\"0,128\"", "null", "'cpus[0].domains[0]' has no span"},
		{"[\"SD_BALANCE_NEWIDLE\",", "[1,",
		 "'cpus[0].domains[0]' has 'flags' that are not a list of words"},
		{"\"SD_BALANCE_EXEC\"", "\"A B\"",
		 "'cpus[0].domains[0]' has 'flags' that are not a list of words"},
		{"\"flags\":null", "\"flags\":\"A\"",
		 "'cpus[0].domains[1]' has 'flags' that are not a list"},
		{"\"groups\":null", "\"groups\":{}",
		 "'cpus[0].domains[1]' has 'groups' that are not a list of at most 8192"},
		{"\"groups_flags\":null", "\"groups_flags\":3",
		 "'cpus[0].domains[1]' has 'groups_flags' that are not a list"},
		{"\"numbers\":{}", "\"numbers\":3",
		 "'cpus[0].domains[1]' has 'numbers' that are not an object"},
		{"\"min_interval\":2", "\"min_interval\":-2",
		 "'cpus[0].domains[0]' has a 'min_interval' that is not a number"},
		{"{\"span\":\"0\"", "{\"span\":null", "'cpus[0].domains[0].groups[0]' has no span"},
		{"\"id\":0", "\"id\":1.5",
		 "'cpus[0].domains[0].groups[0]' has a 'id' that is not a number below 8192"},
		{"\"domains\":[]", "\"domains\":{}",
		 "'cpus[1]' has 'domains' that are not a list of at most 64"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_auto(GStrv) parts = g_strsplit(documented, rows[i].from, 2);
		g_autofree char *text = g_strjoinv(rows[i].to, parts);
		g_autofree char *message = g_strconcat("in a domain tree, ", rows[i].message, NULL);
		json_t *json = json_loads(text, 0, NULL);
		g_autoptr(GError) error = NULL;
		AUTO(domain_tree) *tree = domain_tree_from_json(json, &error);

		g_assert_cmpuint(g_strv_length(parts), ==, 2);
		g_assert_nonnull(json);
		g_assert_null(tree);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		g_assert_cmpstr(error ? error->message : NULL, ==, message);
		json_decref(json);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/domains/chains", test_chains);
	g_test_add_func("/domains/shapes", test_shapes);
	g_test_add_func("/domains/hostile-shapes", test_hostile_shapes);
	g_test_add_func("/domains/to-json", test_to_json);
	g_test_add_func("/domains/from-json", test_from_json);
	g_test_add_func("/domains/not-utf8", test_not_utf8);
	g_test_add_func("/domains/bad-json", test_bad_json);
	return g_test_run();
}
