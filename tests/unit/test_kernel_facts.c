// SPDX-License-Identifier: GPL-2.0-only
/* Release strings of Debian, Ubuntu, stable and -rc kernels, and lines of their config files. */
#include "base/error.h"
#include "base/kernel_facts.h"

static void test_releases(void)
{
	static const struct {
		const char *release;
		unsigned version;
	} rows[] = {
		{"6.12.117+deb12-cloud-amd64", KERNEL_VERSION_OF(6, 12, 117)},
		{"6.1.0-40-cloud-amd64", KERNEL_VERSION_OF(6, 1, 0)},
		{"7.3.4+deb13-amd64", KERNEL_VERSION_OF(7, 3, 4)},
		{"6.8.0-64-generic", KERNEL_VERSION_OF(6, 8, 0)},
		{"6.19.0-rc3-00012-g4d6dd05d07d0-dirty", KERNEL_VERSION_OF(6, 19, 0)},
		{"7.4-rc1", KERNEL_VERSION_OF(7, 4, 0)},
		{"6.1.192", KERNEL_VERSION_OF(6, 1, 192)},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(kernel_facts) *facts = kernel_facts_new(rows[i].release, &error);

		g_assert_no_error(error);
		g_assert_cmpuint(kernel_facts_version(facts), ==, rows[i].version);
		g_assert_cmpstr(kernel_facts_release(facts), ==, rows[i].release);
	}
	/* Rows of expect/ compare versions as numbers. */
	g_assert_cmpuint(KERNEL_VERSION_OF(6, 1, 192), <, KERNEL_VERSION_OF(6, 2, 0));
	g_assert_cmpuint(KERNEL_VERSION_OF(6, 19, 1023), <, KERNEL_VERSION_OF(7, 0, 0));
}

static void test_no_releases(void)
{
	static const char *const rows[] = {"",	 "6",	     "linux",	 "v6.12",
					   "6.", "1024.0.0", "6.2000.1", "-6.12.1"};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(kernel_facts) *facts = kernel_facts_new(rows[i], &error);

		if (facts)
			g_test_message("'%s' was read", rows[i]);
		g_assert_null(facts);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	}
}

static void test_unknown_config(void)
{
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.1", NULL);

	g_assert_false(kernel_facts_config_known(facts));
	g_assert_null(kernel_facts_config(facts, "SCHED_MC"));
	g_assert_true(kernel_facts_builtin(facts, "SCHED_MC"));
}

/* Lines as scripts/kconfig writes them. */
static void test_config(void)
{
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.1", NULL);

	kernel_facts_set_config(facts, "#\n# Linux/x86 6.12.117 Kernel Configuration\n#\n"
				       "CONFIG_CC_VERSION_TEXT=\"gcc = 12\"\n"
				       "CONFIG_SCHED_MC=y\n"
				       "# CONFIG_SCHED_SMT is not set\n"
				       "CONFIG_VIRTIO_CONSOLE=m\n"
				       "CONFIG_NR_CPUS=8192\n"
				       "CONFIG_LOCALVERSION=\"\"\n"
				       " CONFIG_INDENTED=y\n"
				       "CONFIG_SCHED_CLUSTER=y\r\n"
				       "CONFIG_LAST=y");
	g_assert_true(kernel_facts_config_known(facts));
	g_assert_cmpstr(kernel_facts_config(facts, "SCHED_MC"), ==, "y");
	g_assert_cmpstr(kernel_facts_config(facts, "SCHED_SMT"), ==, "n");
	g_assert_cmpstr(kernel_facts_config(facts, "ABSENT"), ==, "n");
	g_assert_cmpstr(kernel_facts_config(facts, "VIRTIO_CONSOLE"), ==, "m");
	g_assert_cmpstr(kernel_facts_config(facts, "NR_CPUS"), ==, "8192");
	g_assert_cmpstr(kernel_facts_config(facts, "CC_VERSION_TEXT"), ==, "\"gcc = 12\"");
	g_assert_cmpstr(kernel_facts_config(facts, "LOCALVERSION"), ==, "\"\"");
	g_assert_cmpstr(kernel_facts_config(facts, "INDENTED"), ==, "n");
	g_assert_cmpstr(kernel_facts_config(facts, "SCHED_CLUSTER"), ==, "y");
	g_assert_cmpstr(kernel_facts_config(facts, "LAST"), ==, "y");
	g_assert_true(kernel_facts_builtin(facts, "SCHED_MC"));
	g_assert_false(kernel_facts_builtin(facts, "SCHED_SMT"));
	g_assert_false(kernel_facts_builtin(facts, "VIRTIO_CONSOLE"));
	/* A second file replaces the first. */
	kernel_facts_set_config(facts, "CONFIG_SCHED_SMT=y\n");
	g_assert_true(kernel_facts_builtin(facts, "SCHED_SMT"));
	g_assert_false(kernel_facts_builtin(facts, "SCHED_MC"));
}

/* A job is judged again from the excerpt alone, and must come to the same. */
static void test_excerpt(void)
{
	/* Every symbol that verdict/ and expect/ ask for. */
	static const char *const symbols[] = {"SCHED_SMT", "SCHED_CLUSTER", "SCHED_MC",
					      "NUMA",	   "SCHEDSTATS",    "ACPI_TABLE_UPGRADE",
					      "NR_CPUS",   "NO_HZ_FULL"};
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.1", NULL);
	AUTO(kernel_facts) *again = kernel_facts_new("6.12.1", NULL);
	g_autofree char *text = NULL;

	kernel_facts_set_config(facts, "CONFIG_NR_CPUS=64\n# CONFIG_SCHEDSTATS is not set\n");
	text = kernel_facts_config_text(facts);
	kernel_facts_set_config(again, text);
	for (unsigned i = 0; i < G_N_ELEMENTS(symbols); i++)
		g_assert_cmpstr(kernel_facts_config(again, symbols[i]), ==,
				kernel_facts_config(facts, symbols[i]));
	g_assert_null(kernel_facts_config(again, "EXT4_FS"));
	/* Nor does an excerpt say no of what it never knew. */
	kernel_facts_set_config(again, "# What topology code depends on, of a larger config\n");
	g_assert_null(kernel_facts_config(again, "SCHEDSTATS"));
}

static void test_shared(void)
{
	struct kernel_facts *facts = kernel_facts_new("6.12.1", NULL);
	AUTO(kernel_facts) *other = kernel_facts_ref(facts);

	kernel_facts_unref(facts);
	g_assert_cmpstr(kernel_facts_release(other), ==, "6.12.1");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/kernel-facts/releases", test_releases);
	g_test_add_func("/kernel-facts/no-releases", test_no_releases);
	g_test_add_func("/kernel-facts/unknown-config", test_unknown_config);
	g_test_add_func("/kernel-facts/config", test_config);
	g_test_add_func("/kernel-facts/excerpt", test_excerpt);
	g_test_add_func("/kernel-facts/shared", test_shared);
	return g_test_run();
}
