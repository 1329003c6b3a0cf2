// SPDX-License-Identifier: GPL-2.0-only
#include "run/tests.h"

#include "base/error.h"
#include "run/guest_test.h"

#include <stdlib.h>
#include <string.h>

static void test_release(gpointer test)
{
	guest_test_free(test);
}

/* Takes @test over. */
static bool choose(GPtrArray *chosen, struct guest_test *test, GError **error)
{
	for (guint i = 0; i < chosen->len; i++) {
		const struct guest_test *other = chosen->pdata[i];

		if (strcmp(other->name, test->name) != 0)
			continue;
		if (strcmp(other->folder, test->folder) == 0) {
			guest_test_free(test);
			return true;
		}
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "two tests would both be '%s': '%s' and '%s'", test->name,
			    other->folder, test->folder);
		guest_test_free(test);
		return false;
	}
	g_ptr_array_add(chosen, test);
	return true;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **run_tests_names(void)
{
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_auto(GStrv) tests = guest_test_list();
	char **list;
	guint n;

	g_hash_table_add(names, g_strdup(TEST_DOMAINS));
	for (unsigned i = 0; tests[i]; i++) {
		AUTO(guest_test) *test = guest_test_load(tests[i], NULL);

		if (test)
			g_hash_table_add(names, g_strdup(test->name));
		if (test && test->group)
			g_hash_table_add(names, g_strdup(test->group));
	}
	list = (char **)g_hash_table_get_keys_as_array(names, &n);
	g_hash_table_steal_all(names);
	qsort(list, n, sizeof(*list), compare_names);
	return list;
}

static void unknown(GError **error, const char *name)
{
	g_auto(GStrv) names = run_tests_names();
	g_autofree char *known = g_strjoinv(", ", names);

	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "there is no test '%s', the tests and their groups are: %s; and a path to a "
		    "test's folder has a '/' in it",
		    name, known);
}

/* Every test is read: a group is known by its members alone. */
static bool choose_name(GPtrArray *chosen, const char *name, GError **error)
{
	g_auto(GStrv) tests = guest_test_list();
	bool found = false;

	for (unsigned i = 0; tests[i]; i++) {
		AUTO(guest_test) *test = guest_test_load(tests[i], error);

		if (!test)
			return false;
		if (strcmp(test->name, name) != 0 && g_strcmp0(test->group, name) != 0)
			continue;
		found = true;
		if (!choose(chosen, g_steal_pointer(&test), error))
			return false;
	}
	if (!found)
		unknown(error, name);
	return found;
}

GPtrArray *run_tests_choose(const char *const *names, GError **error)
{
	g_autoptr(GPtrArray) chosen = g_ptr_array_new_with_free_func(test_release);

	for (unsigned i = 0; names && names[i]; i++) {
		struct guest_test *test;

		if (strcmp(names[i], TEST_DOMAINS) == 0)
			continue;
		if (!strchr(names[i], '/')) {
			if (!choose_name(chosen, names[i], error))
				return NULL;
			continue;
		}
		test = guest_test_load(names[i], error);
		if (!test || !choose(chosen, test, error))
			return NULL;
	}
	return g_steal_pointer(&chosen);
}
