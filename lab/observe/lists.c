// SPDX-License-Identifier: GPL-2.0-only
#include "observe/lists.h"

struct lists {
	GHashTable *sets; /* char * -> struct cpus * */
};

static void set_unref(gpointer set)
{
	cpus_unref(set);
}

struct lists *lists_new(void)
{
	struct lists *lists = g_new(struct lists, 1);

	lists->sets = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, set_unref);
	return lists;
}

void lists_free(struct lists *lists)
{
	if (!lists)
		return;
	g_hash_table_unref(lists->sets);
	g_free(lists);
}

struct cpus *lists_get(struct lists *lists, const char *text, GError **error)
{
	struct cpus *set = g_hash_table_lookup(lists->sets, text);

	if (!set) {
		set = cpus_parse_list(text, error);
		if (!set)
			return NULL;
		g_hash_table_insert(lists->sets, g_strdup(text), set);
	}
	return cpus_ref(set);
}
