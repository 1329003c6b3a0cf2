// SPDX-License-Identifier: GPL-2.0-only
#include "verdict/firmware.h"

#include "observe/acpi.h"
#include "observe/observe.h"
#include "topo/firmware.h"
#include "verdict/findings.h"

#define TABLES "sys/firmware/acpi/tables/"

/* The memory that no PC has: 640 KiB to 1 MiB. */
#define VGA_HOLE_BYTES ((guint64)384 << 10)

static bool table_taken(const struct topo *topo, enum topo_table table, GPtrArray *log)
{
	const char *signature = topo_table_name(table);

	return topo_emulator_has_table(topo, table) ? observe_table_upgraded(log, signature)
						    : observe_table_installed(log, signature);
}

/* "APIC, SRAT": the tables that the guest is given, but for those that @taken shows it took. */
static char *tables_given(const struct topo *topo, GPtrArray *taken)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (int i = 0; i < TOPO_TABLE_COUNT; i++) {
		enum topo_table table = (enum topo_table)i;

		if (topo_replaces_table(topo, table) && !(taken && table_taken(topo, table, taken)))
			g_string_append_printf(names, "%s%s", names->len ? ", " : "",
					       topo_table_name(table));
	}
	return names->len ? g_strdup(names->str) : NULL;
}

static void upgrade_say(enum verdict verdict, const char *evidence, const char *reason,
			struct checks *checks)
{
	checks_add(checks, &(struct check){
				   .name = "guest.table-upgrade",
				   .verdict = verdict,
				   .cpu = -1,
				   .level = -1,
				   .reason = reason,
				   .evidence = evidence,
			   });
}

bool check_tables_taken(const struct topo *topo, const struct kernel_facts *facts, GPtrArray *log,
			struct checks *checks)
{
	g_autofree char *given = tables_given(topo, NULL);
	g_autofree char *lost = tables_given(topo, log);
	g_autofree char *reason = NULL;
	bool able = kernel_facts_builtin(facts, "ACPI_TABLE_UPGRADE");

	if (!given)
		return true;
	if (!able)
		reason = g_strdup_printf("the machine's own ACPI tables (%s) need a kernel with "
					 "CONFIG_ACPI_TABLE_UPGRADE",
					 given);
	else if (lost)
		reason = g_strdup_printf("guest was not given the machine: the kernel's log does "
					 "not say that it took the tables %s",
					 lost);
	else
		reason = g_strdup_printf("the kernel took the machine's own tables: %s", given);
	upgrade_say(!able  ? VERDICT_SKIP
		    : lost ? VERDICT_ERROR
			   : VERDICT_PASS,
		    able ? "kmsg" : NULL, reason, checks);
	return able;
}

struct comparison {
	const struct topo *topo;
	GBytes *table;
	struct findings *findings;
};

static void compare_text(const struct comparison *comparison, int cpu, const char *what,
			 const char *expected, const char *observed)
{
	g_autofree char *reason = NULL;

	findings_compared(comparison->findings, 1);
	if (g_strcmp0(expected, observed) == 0)
		return;
	reason = g_strdup_printf("guest was not given the machine: %s", what);
	findings_add(comparison->findings, &(struct finding){
						   .cpu = cpu,
						   .level = -1,
						   .expected = expected ?: "none",
						   .observed = observed ?: "none",
						   .rule = "topology file",
						   .reason = reason,
					   });
}

static void compare_number(const struct comparison *comparison, const char *what, guint64 expected,
			   guint64 observed)
{
	g_autofree char *left = g_strdup_printf("%" G_GUINT64_FORMAT, expected);
	g_autofree char *right = g_strdup_printf("%" G_GUINT64_FORMAT, observed);

	compare_text(comparison, -1, what, left, right);
}

static char *madt_text(unsigned type, guint32 apic_id, guint32 uid, guint32 flags)
{
	return g_strdup_printf("type %u, APIC id %u, UID %u, flags %u", type, apic_id, uid, flags);
}

/* Linux numbers CPUs as the MADT lists them, the boot CPU, which is to be first there, as 0. */
static bool compare_madt(const struct comparison *comparison, GError **error)
{
	g_autoptr(GArray) madt = acpi_madt_read(comparison->table, error);
	unsigned n;
	const struct topo_madt_entry *entries = topo_madt(comparison->topo, &n);

	if (!madt)
		return false;
	compare_number(comparison, "the number of CPUs in the MADT", n, madt->len);
	for (unsigned i = 0; i < MIN(n, madt->len); i++) {
		const struct acpi_madt_cpu *cpu = &g_array_index(madt, struct acpi_madt_cpu, i);
		g_autofree char *what = g_strdup_printf("the CPU at place %u of the MADT", i);
		g_autofree char *expected = madt_text(
			entries[i].x2apic ? 9 : 0, entries[i].apic_id, entries[i].vcpu,
			(entries[i].enabled ? 1 : 0) | (entries[i].online_capable ? 2 : 0));
		g_autofree char *observed =
			madt_text(cpu->type, cpu->apic_id, cpu->uid, cpu->flags);

		compare_text(comparison, topo_cpu_of_vcpu(comparison->topo, entries[i].vcpu), what,
			     expected, observed);
	}
	return true;
}

static char *srat_text(unsigned type, guint32 apic_id, guint32 domain, bool enabled)
{
	return g_strdup_printf("type %u, APIC id %u, domain %u, %s", type, apic_id, domain,
			       enabled ? "enabled" : "not enabled");
}

static void compare_srat_cpus(const struct comparison *comparison, const GArray *cpus)
{
	unsigned n, place = 0;
	const struct topo_srat_entry *entries = topo_srat(comparison->topo, &n);

	for (unsigned i = 0; i < n; i++) {
		g_autofree char *what = g_strdup_printf("the CPU at place %u of the SRAT", place);
		g_autofree char *expected = NULL;
		g_autofree char *observed = NULL;

		if (entries[i].affinity != TOPO_AFFINITY_CPU)
			continue;
		expected = srat_text(entries[i].x2apic ? 2 : 0,
				     topo_apic_id_of_vcpu(comparison->topo, entries[i].subject),
				     entries[i].domain, entries[i].enabled);
		if (place < cpus->len) {
			const struct acpi_srat_cpu *cpu =
				&g_array_index(cpus, struct acpi_srat_cpu, place);

			observed = srat_text(cpu->type, cpu->apic_id, cpu->domain, cpu->enabled);
		}
		compare_text(comparison, -1, what, expected, observed);
		place++;
	}
	compare_number(comparison, "the number of CPUs in the SRAT", place, cpus->len);
}

/* Enabled memory by domain, and what of it may be unplugged: bytes, whatever the ranges. */
static void compare_srat_memory(const struct comparison *comparison, const GArray *memory)
{
	guint64 expected[2][256] = {{0}}, observed[2][256] = {{0}};
	unsigned n;
	const struct topo_srat_entry *entries = topo_srat(comparison->topo, &n);

	for (unsigned i = 0; i < n; i++) {
		const struct topo_srat_entry *entry = &entries[i];
		guint64 bytes;

		if (entry->affinity != TOPO_AFFINITY_MEMORY || !entry->enabled)
			continue;
		bytes = (guint64)topo_node_memory_mib(comparison->topo, entry->subject) << 20;
		expected[entry->hotplug][entry->domain] +=
			entry->subject == 0 ? bytes - VGA_HOLE_BYTES : bytes;
	}
	for (guint i = 0; i < memory->len; i++) {
		const struct acpi_srat_range *range =
			&g_array_index(memory, struct acpi_srat_range, i);

		if (range->enabled && range->domain < G_N_ELEMENTS(observed[0]))
			observed[range->hotplug][range->domain] += range->length;
	}
	for (unsigned domain = 0; domain < G_N_ELEMENTS(expected[0]); domain++) {
		for (int hotplug = 0; hotplug < 2; hotplug++) {
			g_autofree char *what =
				g_strdup_printf("the bytes of %smemory in domain %u",
						hotplug ? "pluggable " : "", domain);

			if (expected[hotplug][domain] || observed[hotplug][domain])
				compare_number(comparison, what, expected[hotplug][domain],
					       observed[hotplug][domain]);
		}
	}
}

static bool compare_srat(const struct comparison *comparison, GError **error)
{
	AUTO(acpi_srat) *srat = acpi_srat_read(comparison->table, error);

	if (!srat)
		return false;
	compare_srat_cpus(comparison, srat->cpus);
	compare_srat_memory(comparison, srat->memory);
	return true;
}

static bool compare_slit(const struct comparison *comparison, GError **error)
{
	AUTO(acpi_slit) *slit = acpi_slit_read(comparison->table, error);
	unsigned n;
	const guint8 *distances = topo_slit(comparison->topo, &n);

	if (!slit)
		return false;
	compare_number(comparison, "the number of localities in the SLIT", n, slit->n);
	for (unsigned i = 0; slit->n == n && i < n * n; i++) {
		g_autofree char *what = g_strdup_printf(
			"the SLIT's distance from domain %u to domain %u", i / n, i % n);

		compare_number(comparison, what, distances[i], slit->distance[i]);
	}
	return true;
}

/* What the CPUs of @initiator get from the memory of @target, in @scale of the table's units. */
static char *locality_text(const struct acpi_hmat *hmat, unsigned type, guint32 initiator,
			   guint32 target, unsigned scale)
{
	for (guint k = 0; k < hmat->localities->len; k++) {
		const struct acpi_locality *locality = g_ptr_array_index(hmat->localities, k);
		guint n = locality->targets->len;

		if (locality->hierarchy != 0 || locality->type != type)
			continue;
		for (guint i = 0; i < locality->entries->len; i++)
			if (g_array_index(locality->initiators, guint32, i / n) == initiator &&
			    g_array_index(locality->targets, guint32, i % n) == target)
				return g_strdup_printf(
					"%" G_GUINT64_FORMAT,
					g_array_index(locality->entries, guint16, i) *
						locality->unit / scale);
	}
	return NULL;
}

static void compare_localities(const struct comparison *comparison, const struct acpi_hmat *hmat,
			       unsigned type, const unsigned *values, unsigned scale,
			       const char *noun)
{
	const struct topo_hmat *own = topo_hmat(comparison->topo);

	for (unsigned i = 0; i < own->n_initiators * own->n_targets; i++) {
		guint32 initiator = topo_domain_of_node(comparison->topo, i / own->n_targets);
		guint32 target = topo_domain_of_node(comparison->topo, i % own->n_targets);
		g_autofree char *what =
			g_strdup_printf("the %s of domain %u's CPUs to domain %u's memory", noun,
					initiator, target);
		g_autofree char *expected = g_strdup_printf("%u", values[i]);
		g_autofree char *observed = locality_text(hmat, type, initiator, target, scale);

		compare_text(comparison, -1, what, expected, observed);
	}
}

/* 5.2.28.4: type 0 is latency, in ps; type 3 bandwidth, in MB/s. */
static bool compare_hmat(const struct comparison *comparison, GError **error)
{
	AUTO(acpi_hmat) *hmat = acpi_hmat_read(comparison->table, error);
	const struct topo_hmat *own = topo_hmat(comparison->topo);

	if (!hmat)
		return false;
	compare_number(comparison, "the number of memories in the HMAT", own->n_targets,
		       hmat->attachments->len);
	compare_localities(comparison, hmat, 0, own->latency, 1000, "latency");
	compare_localities(comparison, hmat, 3, own->bandwidth, 1, "bandwidth");
	return true;
}

static bool compare_facp(const struct comparison *comparison, GError **error)
{
	struct topo_facp own = topo_facp(comparison->topo);
	struct acpi_facp facp;

	if (!acpi_facp_read(comparison->table, &facp, error))
		return false;
	compare_number(comparison, "the FACP's revision", own.revision, facp.revision);
	compare_number(comparison, "the FACP's minor revision", own.minor, facp.minor);
	return true;
}

static const struct part {
	enum topo_table table;
	const char *name, *unit, *evidence;
	bool always;
	bool (*compare)(const struct comparison *comparison, GError **error);
} parts[] = {
	{TOPO_TABLE_MADT, "guest.madt-order", "MADT entries", TABLES "APIC", true, compare_madt},
	{TOPO_TABLE_SRAT, "guest.srat-entries", "SRAT entries", TABLES "SRAT", false, compare_srat},
	{TOPO_TABLE_SLIT, "guest.slit-rows", "SLIT entries", TABLES "SLIT", false, compare_slit},
	{TOPO_TABLE_HMAT, "guest.hmat", "HMAT entries", TABLES "HMAT", false, compare_hmat},
	{TOPO_TABLE_FACP, "guest.facp", "numbers of the FACP", TABLES "FACP", false, compare_facp},
};

static void part_compare(const struct part *part, const struct topo *topo, struct root *evidence,
			 struct checks *checks)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) table = root_read_bytes(evidence, &error, "%s", part->evidence);
	struct comparison comparison = {
		.topo = topo,
		.table = table,
		.findings = findings_new(part->name, VERDICT_ERROR, part->unit, part->evidence),
	};

	if (!table || !part->compare(&comparison, &error))
		compare_text(&comparison, -1, error->message, "a table that can be read", NULL);
	findings_close(comparison.findings, checks);
}

static bool lacks_slit(const struct topo *topo)
{
	unsigned n;

	topo_slit(topo, &n);
	return n == 0 && topo_n_nodes(topo) > 1;
}

/* A SLIT that is not to be there. */
static void compare_no_slit(const struct topo *topo, struct root *evidence, struct checks *checks)
{
	struct comparison comparison = {
		.topo = topo,
		.findings = findings_new("guest.slit-rows", VERDICT_ERROR, "tables", TABLES "SLIT"),
	};

	compare_text(&comparison, -1, "the SLIT", NULL,
		     root_has(evidence, TABLES "SLIT") ? "there is one" : NULL);
	findings_close(comparison.findings, checks);
}

void compare_firmware(const struct topo *topo, struct root *evidence, struct checks *checks)
{
	for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
		if (parts[i].always || topo_replaces_table(topo, parts[i].table))
			part_compare(&parts[i], topo, evidence, checks);
	if (lacks_slit(topo))
		compare_no_slit(topo, evidence, checks);
}

static void take_nodes(const struct view *model, struct view *hardware)
{
	view_set_node_slots(hardware, model->n_node_slots);
	cpus_unref(hardware->nodes);
	hardware->nodes = cpus_ref(model->nodes);
	for (unsigned node = 0; node < model->n_node_slots; node++)
		hardware->node_cpus[node] = cpus_ref(model->node_cpus[node]);
	CPUS_FOREACH (cpu, hardware->cpus)
		if ((unsigned)cpu < model->n_cpu_slots)
			hardware->cpu[cpu].node = model->cpu[cpu].node;
}

void firmware_interpret(const struct topo *topo, const struct view *model, struct view *hardware)
{
	bool nodes = topo_replaces_table(topo, TOPO_TABLE_SRAT);
	bool slit = topo_replaces_table(topo, TOPO_TABLE_SLIT) || lacks_slit(topo);

	if (nodes)
		take_nodes(model, hardware);
	/* The other nodes' tables are compared by their numbers. */
	if ((nodes || slit) && hardware->n_node_slots == model->n_node_slots)
		for (unsigned i = 0; i < model->n_node_slots * model->n_node_slots; i++)
			hardware->distance[i] = model->distance[i];
}
