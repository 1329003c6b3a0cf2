// SPDX-License-Identifier: GPL-2.0-only
/*
 * Configs by hand. The list of what is set is typed from Debian's config-6.12.117 (cloud), which
 * boots every machine of topologies/.
 */
#include "kernel/needs.h"

#include "../run_topolab.h"

#include <string.h>

static const char *const debian[] = {
	"64BIT",
	"BINFMT_ELF",
	"BLK_DEV_INITRD",
	"RD_GZIP",
	"DEVTMPFS",
	"PRINTK",
	"TTY",
	"SERIAL_8250",
	"SMP",
	"SERIAL_8250_CONSOLE",
	"ACPI",
	"CPU_SUP_AMD",
	"CPU_SUP_INTEL",
	"PROC_FS",
	"SYSFS",
	"DEBUG_FS",
	"ACPI_TABLE_UPGRADE",
	"X86_X2APIC",
	"IRQ_REMAP",
	"INTEL_IOMMU",
	"NUMA",
	"ACPI_NUMA",
	"SCHED_SMT",
	"SCHED_MC",
	"SCHED_CLUSTER",
	"SCHEDSTATS",
	"VIRTIO_PCI",
	"VIRTIO_CONSOLE",
	"KVM_GUEST",
	"SCHED_DEBUG",
};

static char *head(const char *version)
{
	return g_strdup_printf("#\n# Automatically generated file; DO NOT EDIT.\n"
			       "# Linux/x86 %s Kernel Configuration\n#\nCONFIG_NR_CPUS=8192\n",
			       version);
}

/* Debian's without @symbol (NULL: whole), and with @line at its end. */
static char *config(const char *version, const char *symbol, const char *line)
{
	g_autofree char *begin = head(version);
	GString *text = g_string_new(begin);

	for (gsize i = 0; i < G_N_ELEMENTS(debian); i++) {
		if (symbol && strcmp(symbol, debian[i]) == 0)
			g_string_append_printf(text, "# CONFIG_%s is not set\n", symbol);
		else
			g_string_append_printf(text, "CONFIG_%s=y\n", debian[i]);
	}
	g_string_append(text, line);
	return g_string_free(text, FALSE);
}

/* "SYMBOL COST" of each unmet need, blank separated. */
static char *unmet(const char *text)
{
	g_autofree char *version = kernel_config_version(text);
	AUTO(kernel_facts) *facts = kernel_facts_new(version, NULL);
	g_autoptr(GPtrArray) needs = NULL;
	GString *list = g_string_new(NULL);

	kernel_facts_set_config(facts, text);
	needs = kernel_needs_unmet(facts);
	for (guint i = 0; i < needs->len; i++) {
		const struct kernel_need *need = needs->pdata[i];

		g_string_append_printf(list, "%s%s: %s", i ? "; " : "", need->symbol,
				       need_cost_name(need->cost));
	}
	return g_string_free(list, FALSE);
}

static const struct {
	const char *version, *symbol, *line, *unmet;
} cases[] = {
	{"6.12.117", NULL, "", ""},
	{"6.12.117", "SMP", "", "SMP: no verdict"},
	{"6.12.117", "ACPI_TABLE_UPGRADE", "", "ACPI_TABLE_UPGRADE: machines"},
	{"6.12.117", "NUMA", "", "NUMA: domains"},
	{"6.12.117", "SCHEDSTATS", "", "SCHEDSTATS: speed"},
	/* A module comes too late: there is nobody to load it. */
	{"6.12.117", "VIRTIO_CONSOLE", "CONFIG_VIRTIO_CONSOLE=m\n", "VIRTIO_CONSOLE: speed"},
	{"6.12.117", "DEBUG_FS", "CONFIG_NR_CPUS=256\n", "DEBUG_FS: no verdict; NR_CPUS: machines"},
	{"6.12.117", NULL, "CONFIG_NR_CPUS=384\n", ""},
	/* Gone in 6.15: commit b52173065e0a, "sched/debug: Make CONFIG_SCHED_DEBUG unconditional".
	 */
	{"6.14.9", "SCHED_DEBUG", "", "SCHED_DEBUG: no verdict"},
	{"6.15.0-rc1", "SCHED_DEBUG", "", ""},
	/* x86 got it in 5.16: commit 66558b730f25. */
	{"5.15.200", "SCHED_CLUSTER", "", ""},
	{"5.16.0", "SCHED_CLUSTER", "", "SCHED_CLUSTER: domains"},
};

static void test_unmet(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = config(cases[i].version, cases[i].symbol, cases[i].line);
		g_autofree char *list = unmet(text);

		g_assert_cmpstr(list, ==, cases[i].unmet);
	}
}

/* No symbol is in the list above for nothing. */
static void test_each_is_missed(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(debian); i++) {
		g_autofree char *text = config("6.12.117", debian[i], "");
		g_autofree char *list = unmet(text);

		if (!g_str_has_prefix(list, debian[i]))
			g_test_fail_printf("without %s: '%s'", debian[i], list);
	}
}

static void test_version(void)
{
	static const char *const foreign[] = {
		"",
		"# Linux/x86",
		"# Linux/x86_32 6.1 Kernel Configuration\n",
		"# Linux/arm64 6.12.1 Kernel Configuration\n",
		"# Linux/x86 6.12.1\n",
		"# Linux/x86 ",
	};
	g_autofree char *text = head("7.1.0-rc3");
	g_autofree char *version = kernel_config_version(text);
	g_autofree char *other =
		kernel_config_version("# Linux/x86_64 6.1.192 Kernel Configuration\n");

	g_assert_cmpstr(version, ==, "7.1.0-rc3");
	/* make ARCH=x86_64 */
	g_assert_cmpstr(other, ==, "6.1.192");
	for (gsize i = 0; i < G_N_ELEMENTS(foreign); i++)
		g_assert_null(kernel_config_version(foreign[i]));
}

/* A file, a tree, and what is neither. */
static void test_command(void)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-needs-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(folder, ".config", NULL);
	g_autofree char *poor = config("6.12.117", "SMP", "");
	g_autofree char *slow = config("6.12.117", "VIRTIO_PCI", "");
	struct topolab_run run;

	g_assert_true(g_file_set_contents(path, poor, -1, NULL));
	run = topolab_run("kernel check %s", folder);
	g_assert_cmpint(run.status, ==, 1);
	g_assert_nonnull(strstr(run.output, "one CPU has no domains"));
	topolab_run_clear(&run);

	g_assert_true(g_file_set_contents(path, slow, -1, NULL));
	run = topolab_run("kernel check %s", path);
	g_assert_cmpint(run.status, ==, 0);
	g_assert_nonnull(strstr(run.output, "VIRTIO_PCI"));
	topolab_run_clear(&run);

	g_assert_true(g_file_set_contents(path, "CONFIG_SMP=y\n", -1, NULL));
	run = topolab_run("kernel check %s", folder);
	g_assert_cmpint(run.status, ==, 2);
	g_assert_nonnull(strstr(run.errors, "is no config of an x86 kernel"));
	topolab_run_clear(&run);

	run = topolab_run("kernel check %s/none", folder);
	g_assert_cmpint(run.status, ==, 2);
	g_assert_nonnull(strstr(run.errors, "holds no kernel config that can be read"));
	topolab_run_clear(&run);

	run = topolab_run("kernel burn x");
	g_assert_cmpint(run.status, ==, 2);
	g_assert_cmpstr(run.errors, ==,
			"topolab: kernel does not know 'burn', only check, fetch and tree\n");
	topolab_run_clear(&run);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/kernel/needs/unmet", test_unmet);
	g_test_add_func("/kernel/needs/each-is-missed", test_each_is_missed);
	g_test_add_func("/kernel/needs/version", test_version);
	g_test_add_func("/kernel/needs/command", test_command);
	return g_test_run();
}
