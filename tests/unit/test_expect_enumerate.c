// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which CPUs kernels make of a MADT. Read from arch/x86/kernel/acpi/boot.c, apic/apic.c and
 * cpu/topology.c of 6.1.192, 6.12.117 and 7.3.4, and from the messages of the commits named; the
 * lines of those three kernels were seen in guests as well.
 */
#include "base/error.h"
#include "base/kernel_facts.h"
#include "expect/enumerate.h"

#include <string.h>

#define TCG false
#define KVM true

/* "0 2x 3-": position and APIC id, x for an x2APIC entry, - not enabled, + online capable. */
static GArray *entries_of(const char *text)
{
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct topo_madt_entry));
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	for (unsigned i = 0; words[i]; i++) {
		char *end;
		struct topo_madt_entry entry = {
			.vcpu = (unsigned)g_ascii_strtoull(words[i], &end, 10),
		};

		entry.apic_id = entry.vcpu;
		entry.x2apic = strchr(end, 'x');
		entry.enabled = !strchr(end, '-');
		entry.online_capable = strchr(end, '+');
		g_array_append_val(entries, entry);
	}
	return entries;
}

/* "0 2 3 | 1 ?": positions of the CPUs that are there, then of those that may come. */
static char *text_of(const struct enumeration *enumeration)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < enumeration->n_possible; i++) {
		g_string_append(text, i == enumeration->n_present ? " |" : "");
		g_string_append(text, i ? " " : "");
		if (enumeration->position[i] >= 0)
			g_string_append_printf(text, "%d", enumeration->position[i]);
		else
			g_string_append_c(text, '?');
	}
	return g_string_free(text, FALSE);
}

static const struct situation {
	const char *name, *entries, *release;
	bool hypervisor;
	unsigned revision, minor; /* of the FACP; 0: QEMU's */
	const char *cpus;
} situations[] = {
	{"plain", "0 1 2 3", "6.1.192", TCG, 0, 0, "0 1 2 3"},
	{"plain-of-any-age", "0 1 2 3 255x", "5.15.0", TCG, 0, 0, "0 1 2 3 255"},
	{"permuted", "0 3 1 2", "6.1.192", TCG, 0, 0, "0 3 1 2"},
	{"permuted", "0 3 1 2", "7.3.4", TCG, 0, 0, "0 3 1 2"},

	/* 9d22c96316ac: 6.9 took a boot CPU that is not listed first for a crash kernel's. */
	{"boot-cpu-last", "1 2 3 0", "6.1.192", TCG, 0, 0, "0 1 2 3"},
	{"boot-cpu-last", "1 2 3 0", "6.9.3", TCG, 0, 0, "0 2 3"},
	{"boot-cpu-last", "1 2 3 0", "6.12.117", TCG, 0, 0, "0 1 2 3"},
	{"boot-cpu-last", "1 2 3 0", "7.3.4", TCG, 0, 0, "0 1 2 3"},

	/* ec9aedb2aa1a: beside usable LAPIC entries those of x2APIC are for ids from 255 on. */
	{"x2apic-first", "2x 3x 0 1", "6.1.192", TCG, 0, 0, "0 2 3 1"},
	{"x2apic-first", "2x 3x 0 1", "6.7.0", TCG, 0, 0, "0 1"},
	{"x2apic-first", "2x 3x 0 1", "6.12.117", TCG, 0, 0, "0 1"},
	{"x2apic-first", "2x 3x 0 1", "7.3.4", TCG, 0, 0, "0 1"},
	{"x2apic-alone", "0x 1x 2x 3x", "7.3.4", TCG, 0, 0, "0 1 2 3"},
	/* Only those count that are worth a CPU, acpi_check_lapic(). */
	{"x2apic-beside-unusable", "0x 1x 2-", "7.3.4", TCG, 0, 0, "0 1"},
	{"x2apic-beside-usable", "0x 1x 2-", "7.3.4", KVM, 0, 0, "0 | 2"},
	/* 0141978ae75b, in 6.14 and 6.12.14: again as the table lists them. */
	{"x2apic-between", "256x 0 1", "6.1.192", TCG, 0, 0, "0 256 1"},
	{"x2apic-between", "256x 0 1", "6.12.13", TCG, 0, 0, "0 1 256"},
	{"x2apic-between", "256x 0 1", "6.12.14", TCG, 0, 0, "0 256 1"},
	{"x2apic-between", "256x 0 1", "6.13.0", TCG, 0, 0, "0 1 256"},
	{"x2apic-between", "256x 0 1", "6.14.0", TCG, 0, 0, "0 256 1"},
	{"x2apic-in-turn", "0 256x 1", "6.1.192", TCG, 0, 0, "0 256 1"},
	{"x2apic-in-turn", "0 256x 1", "6.8.0", TCG, 0, 0, "0 1 256"},
	{"x2apic-in-turn", "0 256x 1", "6.12.14", TCG, 0, 0, "0 256 1"},

	/* generic_processor_info() counts both, topo_register_apic() does not. */
	{"doubled", "0 1 0x 1x", "6.1.192", TCG, 0, 0, "0 1 | ? ?"},
	{"doubled", "0 1 0x 1x", "6.12.117", TCG, 0, 0, "0 1"},
	{"doubled", "0 1 0x 1x", "7.3.4", TCG, 0, 0, "0 1"},

	/* 4368a3b96c42, in 7.0 and 6.12.77. */
	{"disabled", "0 1 2- 3-", "6.1.192", TCG, 0, 0, "0 1 | ? ?"},
	{"disabled", "0 1 2- 3-", "6.1.192", KVM, 0, 0, "0 1 | ? ?"},
	/* Debian's 6.1 shows no patch level. */
	{"disabled", "0 1 2- 3-", "6.1.0-57-cloud-amd64", TCG, 0, 0, "0 1 | ? ?"},
	{"disabled", "0 1 2- 3-", "6.12.76", TCG, 0, 0, "0 1 | 2 3"},
	{"disabled", "0 1 2- 3-", "6.12.77", TCG, 0, 0, "0 1"},
	{"disabled", "0 1 2- 3-", "6.12.117", TCG, 0, 0, "0 1"},
	{"disabled", "0 1 2- 3-", "6.12.117", KVM, 0, 0, "0 1 | 2 3"},
	{"disabled", "0 1 2- 3-", "7.3.4", TCG, 0, 0, "0 1"},
	{"disabled", "0 1 2- 3-", "7.3.4", KVM, 0, 0, "0 1 | 2 3"},
	/* topology_init_possible_cpus() numbers them by APIC id. */
	{"disabled-permuted", "3- 0 2- 1", "7.3.4", KVM, 0, 0, "0 1 | 2 3"},

	/* Firmware of ACPI 6.2 cannot say, of 6.3 it can: acpi_parse_madt(). */
	{"capable", "0 1 2-+ 3-", "6.1.192", TCG, 6, 2, "0 1 | ? ?"},
	{"capable", "0 1 2-+ 3-", "6.1.192", TCG, 6, 3, "0 1 | ?"},
	{"capable", "0 1 2-+ 3-", "6.12.117", TCG, 6, 2, "0 1"},
	{"capable", "0 1 2-+ 3-", "6.12.117", TCG, 6, 3, "0 1 | 2"},
	{"capable", "0 1 2-+ 3-", "7.3.4", TCG, 6, 3, "0 1 | 2"},
	{"capable", "0 1 2-+ 3-", "7.3.4", KVM, 6, 3, "0 1 | 2"},
	{"capable", "0 1 2-+ 3-", "7.3.4", TCG, 7, 0, "0 1 | 2"},
	{"not-capable", "0 1 2- 3-", "6.1.192", TCG, 6, 3, "0 1"},
	{"not-capable", "0 1 2- 3-", "7.3.4", KVM, 6, 3, "0 1"},
};

static void test_situation(gconstpointer data)
{
	const struct situation *situation = data;
	g_autoptr(GArray) entries = entries_of(situation->entries);
	AUTO(kernel_facts) *facts = kernel_facts_new(situation->release, NULL);
	g_autoptr(GError) error = NULL;
	struct enumerate_input input = {
		.entries = &g_array_index(entries, struct topo_madt_entry, 0),
		.n_entries = entries->len,
		.facp = {situation->revision ?: TOPO_FACP_REVISION, situation->minor},
		.version = kernel_facts_version(facts),
		.hypervisor_known = situation->hypervisor,
	};
	AUTO(enumeration) *enumeration = enumerate(&input, &error);
	g_autofree char *text = NULL;

	g_assert_no_error(error);
	text = text_of(enumeration);
	g_assert_cmpstr(text, ==, situation->cpus);
}

/*
 * acpi_processor_hotadd_init() finds the CPUs of the DSDT that _STA says are there. 6.1 numbers
 * them as it finds them, 6.12 has numbers for all that may come.
 */
static void test_added(void)
{
	static const struct {
		const char *entries, *there, *release, *cpus;
		unsigned n_added;
	} cases[] = {
		{"0 1 2-+ 3-+", "0-3", "6.1.192", "0 1 | 2 3", 2},
		{"0 1 2-+ 3-+", "0-3", "6.12.117", "0 1 | 2 3", 2},
		{"0 1 2-+ 3-+", "0-3", "7.3.4", "0 1 | 2 3", 2},
		{"0 3-+ 2-+ 1", "0-3", "6.1.192", "0 1 | 2 3", 2},
		{"0 1 2-+ 3-+", "0-2", "6.1.192", "0 1 | 2 ?", 1},
		{"0 1 2-+ 3-+", "0-2", "7.3.4", "0 1 | 2 3", 1},
		{"0 1 2-+ 3-+", "0-1,3", "6.1.192", "0 1 | 3 ?", 1},
		/* Firmware says that it may not come. */
		{"0 1 2-+ 3-", "0-3", "6.1.192", "0 1 | 2", 1},
		{"0 1 2- 3-", "0-3", "7.3.4", "0 1", 0},
		/* A gap */
		{"0 1 2-+ 3-+", "0-1,3", "7.3.4", NULL, 0},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GArray) entries = entries_of(cases[i].entries);
		AUTO(cpus) *there = cpus_parse_list(cases[i].there, NULL);
		AUTO(kernel_facts) *facts = kernel_facts_new(cases[i].release, NULL);
		g_autoptr(GError) error = NULL;
		struct enumerate_input input = {
			.entries = &g_array_index(entries, struct topo_madt_entry, 0),
			.n_entries = entries->len,
			.facp = {6, 3},
			.version = kernel_facts_version(facts),
			.there = there,
		};
		AUTO(enumeration) *enumeration = enumerate(&input, &error);
		g_autofree char *text = enumeration ? text_of(enumeration) : NULL;

		g_assert_cmpstr(text, ==, cases[i].cpus);
		g_assert_cmpuint(enumeration ? enumeration->n_added : 0, ==, cases[i].n_added);
		if (!cases[i].cpus)
			g_assert_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED);
	}
}

static void test_unknown(void)
{
	g_autoptr(GArray) entries = entries_of("1 0");
	g_autoptr(GError) error = NULL;
	struct enumerate_input input = {
		.entries = &g_array_index(entries, struct topo_madt_entry, 0),
		.n_entries = entries->len,
		.version = KERNEL_VERSION_OF(5, 15, 7),
	};

	g_assert_null(enumerate(&input, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED);
	g_assert_cmpstr(
		error->message, ==,
		"no rule knows how kernel 5.15.7 enumerates the CPUs of such a MADT, 6.1 is "
		"the first that is known");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(situations); i++) {
		g_autofree char *path =
			g_strdup_printf("/enumerate/%02u-%s", i, situations[i].name);

		g_test_add_data_func(path, &situations[i], test_situation);
	}
	g_test_add_func("/enumerate/added", test_added);
	g_test_add_func("/enumerate/unknown", test_unknown);
	return g_test_run();
}
