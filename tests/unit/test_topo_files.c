// SPDX-License-Identifier: GPL-2.0-only
/* Every file in topologies/ loads, and a small machine's large one is there too. */
#include "base/paths.h"
#include "topo/keeps.h"
#include "topo/load.h"

static char *folder;

static void test_file(gconstpointer data)
{
	const char *const path[] = {folder, NULL};
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_find(data, path, &error);
	AUTO(topo) *full = NULL;

	g_assert_no_error(error);
	if (!topo)
		return;
	if (!topo_mini_of(topo))
		return;
	full = topo_find(topo_mini_of(topo), path, &error);
	g_assert_no_error(error);
	if (!full)
		return;
	g_assert_cmpuint(topo_n_cpus(topo), <, topo_n_cpus(full));
	topo_keeps_check(topo, full, &error);
	g_assert_no_error(error);
}

/* The folder holds topologies and what tells of them, nothing that no lookup would ever find. */
static void test_strays(void)
{
	static const char *const others[] = {"README.md", "boot-times.txt", NULL};
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *file;

	while (dir && (file = g_dir_read_name(dir)))
		if (!g_str_has_suffix(file, ".yaml") && !g_strv_contains(others, file))
			g_test_fail_printf("topologies/%s is not a topology", file);
}

int main(int argc, char **argv)
{
	g_auto(GStrv) names = NULL;

	folder = paths_data("topologies");
	names = topo_list((const char *const[]){folder, NULL});
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; names[i]; i++) {
		g_autofree char *test = g_strconcat("/topo/files/", names[i], NULL);

		g_test_add_data_func(test, names[i], test_file);
	}
	g_test_add_func("/topo/files-strays", test_strays);
	/* The machines that the README promises. */
	g_assert_cmpuint(g_strv_length(names), >=, 7);
	return g_test_run();
}
