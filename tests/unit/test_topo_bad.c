// SPDX-License-Identifier: GPL-2.0-only
/* Every topology file in tests/golden/bad is refused with exactly the message beside it. */
#include "topo/load.h"

#include "../golden.h"

static bool load_golden(const char *text, gsize length, const char *file, GError **error)
{
	AUTO(topo) *topo = topo_load_text(text, length, file, error);

	return topo;
}

static void test_bad(void)
{
	golden_check_errors("bad", load_golden);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/topo/bad", test_bad);
	return g_test_run();
}
