// SPDX-License-Identifier: GPL-2.0-only
/* Bad usage and bad input: exit status 2, one sentence on stderr, nothing started. */
#include "../run_topolab.h"
#include "report/report.h"

#include "base/version.h"

#include <string.h>
#include <sys/personality.h>

struct bad {
	const char *arguments;
	const char *sentence; /* part of what stderr must say */
};

static const struct bad bad_lines[] = {
	{"", "Usage: topolab COMMAND"},
	{"fly", "there is no command 'fly'"},
	{"run", "TOPOLOGY... is missing"},
	{"run --jobs 0 nps4-mini", "--jobs takes a whole number from 1 to 64, not '0'"},
	{"run --jobs 007 nps4-mini", "--jobs takes a whole number from 1 to 64, not '007'"},
	{"run --accel xen nps4-mini", "--accel takes auto, kvm or tcg, not 'xen'"},
	{"run --test wakeups nps4-mini", "there is no test 'wakeups', the tests and their "
					 "groups are: cgroup-cpu, domains, membarrier, "},
	{"run --format yaml nps4-mini",
	 "there is no report format 'yaml', the formats are: github, json, junit, markdown, "
	 "tap, text"},
	{"run --gdb=tcp nps4-mini", "--gdb is 'unix' or the number of a port, not 'tcp'"},
	{"run --gdb=70000 nps4-mini", "--gdb takes a whole number from 1 to 65535, not '70000'"},
	{"run --gdb nps4-mini nps2-mini", "--gdb is for one machine with one kernel"},
	{"run --gdb nps4-mini -k debian-6.1 -k debian-6.12",
	 "--gdb is for one machine with one kernel"},
	{"run --gdb --timeout 5 nps4-mini",
	 "--gdb and --timeout do not go together: gdb may hold the guest for any time"},
	{"run --gdb --connect qemu:///system nps4-mini",
	 "--gdb and --connect do not go together: gdb is awaited on this host"},
	{"run --gdb --quiet nps4-mini",
	 "--gdb and --quiet do not go together: gdb's command has to be told"},
	{"run --dump-memory --connect qemu:///system nps4-mini",
	 "--dump-memory and --connect do not go together: the dump is written by this host's QEMU"},
	{"run --bogus nps4-mini", "unrecognized option '--bogus'"},
	{"run nps9", "nps9"},
	{"run ./no/such.yaml", "no/such.yaml"},
	{"run nps4-mini --kernel /dev/null", "/dev/null"},
	{"run nps4-mini --kernel debian-0.1 --offline", "debian-0.1"},
	{"expect", "TOPOLOGY is missing"},
	{"expect nps4 snc4", "'snc4' is one argument too many"},
	{"judge /no/such/folder", "/no/such/folder"},
	{"acpi nps4-mini", "-o DIR is missing: where are the tables to be written?"},
	{"acpi nps4-mini -o " TOPOLAB_SOURCE, "exists and is not an empty folder"},
	{"acpi nps9 -o /no/such/folder", "nps9"},
};

static void test_bad(gconstpointer data)
{
	const struct bad *bad = data;
	struct topolab_run run = topolab_run("%s", bad->arguments);

	g_assert_cmpint(run.status, ==, 2);
	g_assert_nonnull(strstr(run.errors, bad->sentence));
	g_assert_cmpstr(run.output, ==, "");
	topolab_run_clear(&run);
}

/* What a user or a guest wrote is quoted, but must not command the terminal. */
static void test_control_characters(void)
{
	struct topolab_run run = topolab_run("show nps9\033[2J\302\233");

	g_assert_cmpint(run.status, ==, 2);
	g_assert_nonnull(strstr(run.errors, "'nps9?[2J?'"));
	topolab_run_clear(&run);
}

static void test_help(void)
{
	struct topolab_run run = topolab_run("--help");

	g_assert_cmpint(run.status, ==, 0);
	g_assert_nonnull(strstr(run.output, "\n  run "));
	g_assert_null(strstr(run.output, "worker"));
	g_assert_cmpstr(run.errors, ==, "");
	topolab_run_clear(&run);
}

/* What --help says of formats comes from their rows. */
static void test_help_formats(void)
{
	struct topolab_run run = topolab_run("run --help");

	g_assert_cmpint(run.status, ==, 0);
	for (unsigned i = 0; report_format_table[i]; i++)
		g_assert_nonnull(strstr(run.output, report_format_table[i]->help));
	topolab_run_clear(&run);
}

static void test_version(void)
{
	static const char *const libraries[] = {"glib",	   "libvirt",	 "hwloc",	 "libfyaml",
						"jansson", "libarchive", "libsmartcols", "libxml2",
						"zlib",	   "compiler"};
	struct topolab_run run = topolab_run("--version");

	g_assert_cmpint(run.status, ==, 0);
	g_assert_true(g_str_has_prefix(run.output, "topolab " TOPOLAB_VERSION "\n"));
	for (unsigned i = 0; i < G_N_ELEMENTS(libraries); i++) {
		g_autofree char *pattern =
			g_strdup_printf("^%s [A-Za-z ]*[0-9]+(\\.[0-9]+)+.*$", libraries[i]);

		if (!g_regex_match_simple(pattern, run.output, G_REGEX_MULTILINE, 0))
			g_test_fail_printf("no line with a version of %s", libraries[i]);
	}
	g_assert_nonnull(strstr(run.output, "\nreports "));
	g_assert_nonnull(strstr(run.output, "\nkernels deb file"));
	topolab_run_clear(&run);
}

/* A 32-bit personality is the one other machine that uname(2) can be made to show here. */
static void test_unsupported_host(void)
{
	struct topolab_run run;

	g_assert_cmpint(personality(PER_LINUX32), >=, 0);
	run = topolab_run("--version");
	personality(PER_LINUX);
	g_assert_cmpint(run.status, ==, 3);
	g_assert_cmpstr(run.errors, ==,
			"topolab: this is Linux on i686, and topolab needs Linux on x86-64\n");
	g_assert_cmpstr(run.output, ==, "");
	topolab_run_clear(&run);
}

/* Results are never overwritten. */
static void test_output_folder_in_use(void)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-cli-XXXXXX", NULL);
	g_autofree char *file = g_build_filename(folder, "precious", NULL);
	struct topolab_run run;

	g_file_set_contents(file, "x", 1, NULL);
	run = topolab_run("run nps1-mini --kernel /bin/true -o %s", folder);
	g_assert_cmpint(run.status, ==, 2);
	g_assert_nonnull(strstr(run.errors, "results are never overwritten"));
	g_assert_true(g_file_test(file, G_FILE_TEST_EXISTS));
	topolab_run_clear(&run);
	folder_remove(folder);
}

/* A HMAT only where a file says one; the MADT alone is not QEMU's. */
static void test_acpi(void)
{
	static const struct {
		const char *file, *signature, *says;
	} tables[] = {{"apic.dat", "APIC", "given to the guest"},
		      {"srat.dat", "SRAT", "as QEMU has it"},
		      {"slit.dat", "SLIT", "as QEMU has it"},
		      {"facp.dat", "FACP", "as QEMU has it"}};
	g_autofree char *folder = g_dir_make_tmp("topolab-test-XXXXXX", NULL);
	g_autofree char *output = g_build_filename(folder, "tables", NULL);
	g_autofree char *hmat = g_build_filename(output, "hmat.dat", NULL);
	struct topolab_run run = topolab_run("acpi nps4-mini -o %s", output);

	g_assert_cmpint(run.status, ==, 0);
	for (unsigned i = 0; i < G_N_ELEMENTS(tables); i++) {
		g_autofree char *path = g_build_filename(output, tables[i].file, NULL);
		g_autofree char *line = g_strdup_printf("%s: %s\n", path, tables[i].says);
		g_autofree char *bytes = NULL;

		g_assert_true(g_file_get_contents(path, &bytes, NULL, NULL));
		g_assert_cmpmem(bytes, 4, tables[i].signature, 4);
		g_assert_nonnull(strstr(run.output, line));
	}
	g_assert_false(g_file_test(hmat, G_FILE_TEST_EXISTS));
	topolab_run_clear(&run);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(bad_lines); i++) {
		g_autofree char *name = g_strdup_printf("/cli/bad/%u", i);

		g_test_add_data_func(name, &bad_lines[i], test_bad);
	}
	g_test_add_func("/cli/control-characters", test_control_characters);
	g_test_add_func("/cli/help", test_help);
	g_test_add_func("/cli/help-formats", test_help_formats);
	g_test_add_func("/cli/version", test_version);
	g_test_add_func("/cli/unsupported-host", test_unsupported_host);
	g_test_add_func("/cli/output-folder-in-use", test_output_folder_in_use);
	g_test_add_func("/cli/acpi", test_acpi);
	return g_test_run();
}
