// SPDX-License-Identifier: GPL-2.0-only
/* Some hundred machines with tables at will: the reader of observe/ finds what their files say. */
#include "emit/emit.h"
#include "observe/acpi.h"
#include "topo/load.h"

#include <string.h>

static struct topo *load(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct topo *topo = topo_load_text(text, strlen(text), "firmware", &error);

	if (!topo)
		g_error("%s\n%s", error->message, text);
	return topo;
}

/* What a file says of one CPU or memory, beside the text that says it. */
struct said {
	unsigned subject, domain;
	bool x2apic, enabled, capable; /* online-capable, or hotplug */
};

struct random_machine {
	unsigned packages, cores; /* a node in each package */
	guint8 slit[64];
	GArray *madt, *cpus, *memory; /* struct said */
	GString *text;
};

static unsigned shift_of(unsigned n)
{
	unsigned shift = 0;

	while (1u << shift < n)
		shift++;
	return shift;
}

/* One thread per core on Intel: package << width | core. */
static unsigned apic_id(const struct random_machine *machine, unsigned position)
{
	return position / machine->cores << shift_of(machine->cores) | position % machine->cores;
}

static const char *yes_no(bool value)
{
	return value ? "yes" : "no";
}

/* Fisher and Yates. */
static void shuffle(GRand *random, unsigned *numbers, unsigned n)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned k = (unsigned)g_rand_int_range(random, 0, (gint32)i), kept = numbers[k];

		numbers[k] = numbers[i - 1];
		numbers[i - 1] = kept;
	}
}

static void random_madt(struct random_machine *machine, GRand *random)
{
	unsigned n = machine->packages * machine->cores;
	g_autofree unsigned *order = g_new(unsigned, n);

	for (unsigned i = 0; i < n; i++)
		order[i] = i;
	shuffle(random, order, n);
	g_string_append(machine->text, "  madt:\n");
	for (unsigned i = 0; i < n; i++) {
		struct said said = {
			.subject = order[i],
			.x2apic = apic_id(machine, order[i]) > 254 || g_rand_boolean(random),
			.enabled = order[i] == 0 || g_rand_boolean(random),
			.capable = g_rand_boolean(random),
		};

		g_string_append_printf(
			machine->text,
			"    - {cpus: %u, type: %s, enabled: %s, online-capable: %s}\n",
			said.subject, said.x2apic ? "x2apic" : "lapic", yes_no(said.enabled),
			yes_no(said.capable));
		g_array_append_val(machine->madt, said);
	}
}

/* Domains at will, each package's in a run, so that Linux numbers nodes by packages. */
static void random_srat(struct random_machine *machine, GRand *random)
{
	unsigned domains[8] = {0};

	for (unsigned i = 0; i < machine->packages; i++)
		domains[i] = 30 * i + (unsigned)g_rand_int_range(random, 0, 30);
	shuffle(random, domains, machine->packages);
	g_string_append(machine->text, "  srat:\n");
	for (unsigned i = 0; i < machine->packages * machine->cores; i++) {
		struct said said = {
			.subject = i,
			.domain = domains[i / machine->cores],
			.x2apic = apic_id(machine, i) > 254 || g_rand_boolean(random),
			.enabled = true,
		};

		g_string_append_printf(machine->text, "    - {cpus: %u, domain: %u, type: %s}\n", i,
				       said.domain, said.x2apic ? "x2apic" : "lapic");
		g_array_append_val(machine->cpus, said);
	}
	for (unsigned i = machine->packages; i-- > 0;) {
		struct said said = {.subject = i,
				    .domain = domains[i],
				    .enabled = true,
				    .capable = g_rand_boolean(random)};

		g_string_append_printf(machine->text,
				       "    - {memory: %u, domain: %u, hotplug: %s}\n", i,
				       said.domain, yes_no(said.capable));
		g_array_append_val(machine->memory, said);
	}
}

/* A diagonal that Linux refuses, so that the distances are what it takes without a SLIT. */
static void random_slit(struct random_machine *machine, GRand *random)
{
	unsigned n = machine->packages;

	g_string_append(machine->text, "  slit: [");
	for (unsigned i = 0; i < n * n; i++) {
		machine->slit[i] = i ? (guint8)g_rand_int_range(random, 0, 256) : 11;
		g_string_append_printf(machine->text, "%s%s%u", i ? ", " : "", i % n ? "" : "[",
				       machine->slit[i]);
		g_string_append(machine->text, i % n == n - 1 ? "]" : "");
	}
	g_string_append(machine->text, "]\n");
}

static void random_machine_fill(struct random_machine *machine, GRand *random)
{
	machine->packages = (unsigned)g_rand_int_range(random, 2, 8);
	machine->cores = (unsigned)g_rand_int_range(random, 1, 60);
	g_string_append_printf(
		machine->text,
		"name: random\ntitle: random\nreference: {cpu: x, packages: x, l3_per_package: x, "
		"cores_per_l3: x, threads_per_core: x, nodes_per_package: x, memory_per_node: x, "
		"distances: x, numbering: x, firmware: x}\n"
		"cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"
		"packages: %u\nl3_per_package: 1\ncores_per_l3: %u\nthreads_per_core: 1\n"
		"nodes_per_package: 1\nmemory_per_node: 1G\ndistances: {other-package: 20}\n"
		"numbering: threads-last\nfirmware:\n",
		machine->packages, machine->cores);
	random_madt(machine, random);
	random_srat(machine, random);
	random_slit(machine, random);
	g_string_append_printf(machine->text, "  facp: {revision: 6, minor: %u}\n",
			       machine->cores % 16);
}

static void check_madt(const struct random_machine *machine, const struct topo *topo)
{
	g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_MADT);
	g_autoptr(GArray) read = acpi_madt_read(table, NULL);

	g_assert_cmpuint(read->len, ==, machine->madt->len);
	for (guint i = 0; i < read->len; i++) {
		const struct said *said = &g_array_index(machine->madt, struct said, i);
		const struct acpi_madt_cpu *cpu = &g_array_index(read, struct acpi_madt_cpu, i);

		g_assert_cmpuint(cpu->uid, ==, said->subject);
		g_assert_cmpuint(cpu->apic_id, ==, apic_id(machine, said->subject));
		g_assert_cmpuint(cpu->type, ==, said->x2apic ? 9 : 0);
		g_assert_cmpuint(cpu->flags, ==, said->enabled + 2 * said->capable);
	}
}

static void check_srat_cpus(const struct random_machine *machine, const struct acpi_srat *srat)
{
	g_assert_cmpuint(srat->cpus->len, ==, machine->cpus->len);
	for (guint i = 0; i < srat->cpus->len; i++) {
		const struct said *said = &g_array_index(machine->cpus, struct said, i);
		const struct acpi_srat_cpu *cpu =
			&g_array_index(srat->cpus, struct acpi_srat_cpu, i);

		g_assert_cmpuint(cpu->apic_id, ==, apic_id(machine, said->subject));
		g_assert_cmpuint(cpu->domain, ==, said->domain);
		g_assert_cmpuint(cpu->type, ==, said->x2apic ? 2 : 0);
		g_assert_true(cpu->enabled);
	}
}

#define GIB ((guint64)1 << 30)

/*
 * Nodes of 1 GiB in a row; q35 has no memory from 640 KiB to 1 MiB, and of 2.75 GiB or more 2 GiB
 * are below 4 GiB.
 */
static void check_srat_memory(const struct random_machine *machine, const struct acpi_srat *srat)
{
	guint used = 0;

	for (guint i = 0; i < machine->memory->len; i++) {
		const struct said *said = &g_array_index(machine->memory, struct said, i);
		guint64 start = said->subject * GIB;
		const struct acpi_srat_range *range =
			&g_array_index(srat->memory, struct acpi_srat_range, used++);

		if (said->subject == 0) {
			g_assert_cmpuint(range->start, ==, 0);
			g_assert_cmpuint(range->length, ==, 640 << 10);
			g_assert_cmpuint(range->domain, ==, said->domain);
			range++;
			used++;
			start = 1 << 20;
		}
		if (machine->packages > 2 && said->subject >= 2)
			start += 2 * GIB;
		g_assert_cmpuint(range->start, ==, start);
		g_assert_cmpuint(range->length, ==, said->subject == 0 ? GIB - (1 << 20) : GIB);
		g_assert_cmpuint(range->domain, ==, said->domain);
		g_assert_true(range->enabled);
		g_assert_cmpint(range->hotplug, ==, said->capable);
	}
	for (; used < srat->memory->len; used++)
		g_assert_false(g_array_index(srat->memory, struct acpi_srat_range, used).enabled);
}

static void check_others(const struct random_machine *machine, const struct topo *topo)
{
	g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_SLIT);
	g_autoptr(GBytes) facp_table = emit_table(topo, TOPO_TABLE_FACP);
	AUTO(acpi_slit) *slit = acpi_slit_read(table, NULL);
	guint64 low = machine->packages > 2 ? 2 * GIB : machine->packages * GIB;
	struct acpi_facp facp;

	g_assert_cmpuint(slit->n, ==, machine->packages);
	g_assert_cmpmem(slit->distance, slit->n * slit->n, machine->slit,
			machine->packages * machine->packages);
	g_assert_true(acpi_facp_read(facp_table, &facp, NULL));
	g_assert_cmpuint(facp.revision, ==, 6);
	g_assert_cmpuint(facp.minor, ==, machine->cores % 16);
	/* "ACPI: DSDT 0x000000001FFE0040" in the log of a guest of 512 MiB. */
	g_assert_cmpuint(facp.dsdt, ==, low - 0x20000 + 0x40);
	g_assert_cmpuint(g_bytes_get_size(facp_table), ==, 276);
}

static void test_random(void)
{
	for (guint32 seed = 0; seed < 300; seed++) {
		g_autoptr(GRand) random = g_rand_new_with_seed(seed);
		struct random_machine machine = {
			.madt = g_array_new(FALSE, FALSE, sizeof(struct said)),
			.cpus = g_array_new(FALSE, FALSE, sizeof(struct said)),
			.memory = g_array_new(FALSE, FALSE, sizeof(struct said)),
			.text = g_string_new(NULL),
		};
		AUTO(topo) *topo = NULL;
		g_autoptr(GBytes) table = NULL;
		AUTO(acpi_srat) *srat = NULL;

		random_machine_fill(&machine, random);
		topo = load(machine.text->str);
		check_madt(&machine, topo);
		table = emit_table(topo, TOPO_TABLE_SRAT);
		srat = acpi_srat_read(table, NULL);
		check_srat_cpus(&machine, srat);
		check_srat_memory(&machine, srat);
		check_others(&machine, topo);
		g_array_unref(machine.madt);
		g_array_unref(machine.cpus);
		g_array_unref(machine.memory);
		g_string_free(machine.text, TRUE);
	}
}

/* pc_q35_init(), hw/i386/pc_q35.c of 10.0: from 2816 MiB on 2 GiB are below 4 GiB. */
static void test_low_memory(void)
{
	static const struct {
		const char *memory;
		guint64 low_end, high_length;
	} cases[] = {{"2815M", (guint64)2815 << 20, 0}, {"2816M", 2 * GIB, 768 << 20}};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strdup_printf(
			"name: low\ntitle: low\nreference: {cpu: x, packages: x, "
			"l3_per_package: x, cores_per_l3: x, threads_per_core: x, "
			"nodes_per_package: x, memory_per_node: x, distances: x, numbering: x}\n"
			"cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"
			"packages: 1\nl3_per_package: 1\ncores_per_l3: 2\nthreads_per_core: 1\n"
			"nodes_per_package: 1\nmemory_per_node: %s\ndistances: {}\n"
			"numbering: threads-last\n",
			cases[i].memory);
		AUTO(topo) *topo = load(text);
		g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_SRAT);
		AUTO(acpi_srat) *srat = acpi_srat_read(table, NULL);
		const struct acpi_srat_range *low =
			&g_array_index(srat->memory, struct acpi_srat_range, 1);
		const struct acpi_srat_range *high = low + 1;

		g_assert_cmpuint(low->start + low->length, ==, cases[i].low_end);
		g_assert_cmpuint(high->length, ==, cases[i].high_length);
		g_assert_cmpuint(high->start, ==, cases[i].high_length ? 4 * GIB : 0);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/firmware/random", test_random);
	g_test_add_func("/firmware/low-memory", test_low_memory);
	return g_test_run();
}
