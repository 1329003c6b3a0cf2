// SPDX-License-Identifier: GPL-2.0-only
#include "base/host.h"

#include <string.h>

static char *model_in(const char *cpuinfo)
{
	GHashTable *members = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						    (GDestroyNotify)g_bytes_unref);
	AUTO(root) *root = root_new_members(members);

	if (cpuinfo)
		g_hash_table_insert(members, g_strdup("proc/cpuinfo"),
				    g_bytes_new(cpuinfo, strlen(cpuinfo)));
	return host_cpu_model(root);
}

/* The lines as show_cpuinfo() of arch/x86/kernel/cpu/proc.c prints them. */
static void test_model(void)
{
	g_autofree char *two = model_in("processor\t: 0\n"
					"model\t\t: 1\n"
					"model name\t: AMD EPYC 7763 64-Core Processor\n"
					"stepping\t: 1\n\n"
					"processor\t: 1\n"
					"model name\t: another\n");
	g_autofree char *cut = model_in("model name\t: AMD");

	g_assert_cmpstr(two, ==, "AMD EPYC 7763 64-Core Processor");
	g_assert_cmpstr(cut, ==, "AMD");
}

static void test_none(void)
{
	g_autofree char *no_name = model_in("processor\t: 0\nmodel\t\t: 1\n");
	g_autofree char *no_file = model_in(NULL);

	g_assert_cmpstr(no_name, ==, "unknown CPU");
	g_assert_cmpstr(no_file, ==, "unknown CPU");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/host/cpu-model", test_model);
	g_test_add_func("/host/no-cpu-model", test_none);
	return g_test_run();
}
