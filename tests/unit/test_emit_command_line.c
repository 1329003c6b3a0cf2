// SPDX-License-Identifier: GPL-2.0-only
/* The kernel command line: what each accelerator needs, and nothing that changes the machine. */
#include "emit/emit.h"
#include "emit_machine.h"

#define SMALL                                                                                      \
	.cpu = MACHINE_MILAN, .packages = 1, .llcs = 2, .cores = 2, .threads = 1, .nodes = 1,      \
	.distances = "{}", .numbering = "threads-last"

static char **words_of(const struct machine *machine, enum emit_accel accel)
{
	AUTO(topo) *topo = machine_load(machine);
	g_autofree char *line = emit_command_line(topo, accel);

	return g_strsplit(line, " ", -1);
}

static bool has(char **words, const char *word)
{
	return g_strv_contains((const char *const *)words, word);
}

static void test_both(void)
{
	const struct machine machine = {SMALL};

	for (unsigned accel = 0; accel < EMIT_ACCEL_COUNT; accel++) {
		g_auto(GStrv) words = words_of(&machine, (enum emit_accel)accel);

		g_assert_true(has(words, "console=ttyS0"));
		g_assert_true(has(words, "loglevel=7"));
		g_assert_true(has(words, "earlyprintk=ttyS0"));
		g_assert_true(has(words, "edd=off"));
		g_assert_true(has(words, "panic=-1"));
		g_assert_true(has(words, "sched_verbose"));
		g_assert_true(has(words, "nowatchdog"));
		g_assert_false(has(words, ""));
		/* It would send every group of every domain through the UART. */
		g_assert_false(has(words, "ignore_loglevel"));
	}
}

/* Documentation/admin-guide/kernel-parameters.txt: these change CPUs, nodes, domains or LLCs. */
static void test_machine_untouched(void)
{
	static const char *const forbidden[] = {
		"maxcpus=",	"nr_cpus=",	"possible_cpus=",
		"nosmp",	"nosmt",	"isolcpus=",
		"nohz_full=",	"numa=",	"noapic",
		"nolapic",	"nox2apic",	"disable_cpu_apicid=",
		"acpi=",	"split_llc=",	"relax_domain_level=",
		"mem=",		"movablecore=", "clearcpuid=",
		"mitigations=",
	};
	const struct machine machine = {SMALL};

	for (unsigned accel = 0; accel < EMIT_ACCEL_COUNT; accel++) {
		g_auto(GStrv) words = words_of(&machine, (enum emit_accel)accel);

		for (unsigned i = 0; words[i]; i++)
			for (gsize j = 0; j < G_N_ELEMENTS(forbidden); j++)
				g_assert_false(g_str_has_prefix(words[i], forbidden[j]));
	}
}

static void test_accelerators(void)
{
	static const char *const only_tcg[] = {"lpj=5000000", "tsc=reliable", "cpuhp.parallel=off"};
	const struct machine machine = {SMALL};
	g_auto(GStrv) tcg = words_of(&machine, EMIT_ACCEL_TCG);
	g_auto(GStrv) kvm = words_of(&machine, EMIT_ACCEL_KVM);

	for (gsize i = 0; i < G_N_ELEMENTS(only_tcg); i++) {
		g_assert_true(has(tcg, only_tcg[i]));
		g_assert_false(has(kvm, only_tcg[i]));
	}
}

/* 8 KiB per CPU, at least 1 MiB. */
static void test_log_buffer(void)
{
	const struct machine small = {SMALL}, large = MACHINE_NPS4;
	g_auto(GStrv) few = words_of(&small, EMIT_ACCEL_TCG);
	g_auto(GStrv) many = words_of(&large, EMIT_ACCEL_TCG);

	g_assert_true(has(few, "log_buf_len=1M"));
	g_assert_true(has(many, "log_buf_len=2M"));
}

/* The machine's own words come last, so they win. */
static void test_boot_arguments(void)
{
	const struct machine machine = {SMALL, .boot = "[\"sched_itmt=0\", \"lpj=1\"]"};
	g_auto(GStrv) words = words_of(&machine, EMIT_ACCEL_TCG);
	guint n = g_strv_length(words);

	g_assert_cmpstr(words[n - 2], ==, "sched_itmt=0");
	g_assert_cmpstr(words[n - 1], ==, "lpj=1");
}

static void test_names(void)
{
	enum emit_accel accel = EMIT_ACCEL_TCG;

	g_assert_cmpstr(emit_accel_name(EMIT_ACCEL_TCG), ==, "tcg");
	g_assert_true(emit_accel_from_name("kvm", &accel));
	g_assert_cmpint(accel, ==, EMIT_ACCEL_KVM);
	g_assert_false(emit_accel_from_name("auto", &accel));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/command-line/both", test_both);
	g_test_add_func("/command-line/machine-untouched", test_machine_untouched);
	g_test_add_func("/command-line/accelerators", test_accelerators);
	g_test_add_func("/command-line/log-buffer", test_log_buffer);
	g_test_add_func("/command-line/boot-arguments", test_boot_arguments);
	g_test_add_func("/command-line/names", test_names);
	return g_test_run();
}
