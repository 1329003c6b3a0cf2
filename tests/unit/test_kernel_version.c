// SPDX-License-Identifier: GPL-2.0-only
/* Debian's version order, with the examples of Debian Policy 5.6.12 and deb-version(7). */
#include "kernel/version.h"

#include <glib.h>

/* Each is smaller than the next one. */
static const char *const ascending[][12] = {
	/* Policy: "~~, ~~a, ~, the empty part, a" */
	{"1~~", "1~~a", "1~", "1", "1a", NULL},
	{"1.0~beta1~svn1245", "1.0~beta1", "1.0", NULL},
	/* Digits compare as numbers, letters sort before the rest, an epoch before all. */
	{"0.9", "0.10", "1.0", "1.0a", "1.0+a", "1.0.1", "10.3", "1:0.4", "2:0", NULL},
	/* The revision is what follows the last hyphen; none is the same as 0. */
	{"1.0-0~1", "1.0-1", "1.0-1.1", "1.0-2", "1.0-10", "1.0-1-1", NULL},
	/* Kernels as Debian names them. */
	{"6.12.9-1~bpo12+1", "6.12.74-1~bpo12+1", "6.12.117-1~bpo12+1", "6.12.117-1~deb12u1",
	 "6.12.117-1", "6.12.117-1+b1", "7.3.4-1~bpo13+1", NULL},
};

static void test_ascending(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(ascending); i++) {
		for (unsigned j = 0; ascending[i][j + 1]; j++) {
			const char *small = ascending[i][j], *large = ascending[i][j + 1];

			if (deb_version_compare(small, large) >= 0)
				g_test_fail_printf("%s is not smaller than %s", small, large);
			if (deb_version_compare(large, small) <= 0)
				g_test_fail_printf("%s is not larger than %s", large, small);
		}
	}
}

static void test_equal(void)
{
	g_assert_cmpint(deb_version_compare("6.12.117-1~deb12u1", "6.12.117-1~deb12u1"), ==, 0);
	g_assert_cmpint(deb_version_compare("1.0", "0:1.0-0"), ==, 0);
	g_assert_cmpint(deb_version_compare("1.01", "1.1"), ==, 0);
	g_assert_cmpint(deb_version_compare("", ""), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/version/ascending", test_ascending);
	g_test_add_func("/version/equal", test_equal);
	return g_test_run();
}
