// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's tables against the file's, entry by entry: what is changed in them is told. Offsets
 * are those of ACPI 6.5: 5.2.12 (MADT), 5.2.16 (SRAT), 5.2.17 (SLIT), 5.2.28 (HMAT), 5.2.9 (FADT).
 */
#include "emit/emit.h"
#include "members.h"
#include "observe/observe.h"
#include "test_verdict_help.h"
#include "topo/load.h"
#include "verdict/compare.h"
#include "verdict/firmware.h"

#define MACHINE(distances, firmware)                                                               \
	"name: m\ntitle: m\nreference: {cpu: x, packages: x, l3_per_package: x, cores_per_l3: x, " \
	"threads_per_core: x, nodes_per_package: x, memory_per_node: x, distances: x, "            \
	"numbering: x, firmware: x}\n"                                                             \
	"cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"                        \
	"packages: 2\nl3_per_package: 1\ncores_per_l3: 2\nthreads_per_core: 1\n"                   \
	"nodes_per_package: 1\nmemory_per_node: 1G\n"                                              \
	"distances: " distances "\nnumbering: threads-last\nfirmware: {" firmware "}\n"

static const char all[] =
	MACHINE("{other-package: 20}",
		"madt: [{cpus: 2-3, type: x2apic}, {cpus: 0}, {cpus: 1, enabled: no}], "
		"srat: [{cpus: 0-1}, {cpus: 2-3, type: x2apic}, {memory: 0-1}], "
		"slit: [[10, 5], [21, 10]], "
		"hmat: {latency: [[100, 180], [180, 100]], bandwidth: [[9000, 80], [70, 9000]]}, "
		"facp: {revision: 6, minor: 3}");
static const char without_slit[] = MACHINE("{other-package: 20}", "slit: none");

static struct topo *load(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct topo *topo = topo_load_text(text, strlen(text), "m", &error);

	if (!topo)
		g_error("%s", error->message);
	return topo;
}

static const struct change {
	enum topo_table table;
	unsigned offset;
	guint8 value;
	const char *check;
	const char *expected, *observed;
} changes[] = {
	/* The first entry, of type 9, is 16 bytes from 44 on: APIC id at 4, flags at 8, UID at 12.
	 */
	{TOPO_TABLE_MADT, 48, 1, "guest.madt-order", "type 9, APIC id 2, UID 2, flags 1",
	 "type 9, APIC id 1, UID 2, flags 1"},
	{TOPO_TABLE_MADT, 52, 0, "guest.madt-order", "type 9, APIC id 2, UID 2, flags 1",
	 "type 9, APIC id 2, UID 2, flags 0"},
	{TOPO_TABLE_MADT, 56, 3, "guest.madt-order", "type 9, APIC id 2, UID 2, flags 1",
	 "type 9, APIC id 2, UID 3, flags 1"},
	/* The third and fourth are of type 0: UID at 2, flags at 4. */
	{TOPO_TABLE_MADT, 78, 3, "guest.madt-order", "type 0, APIC id 0, UID 0, flags 1",
	 "type 0, APIC id 0, UID 3, flags 1"},
	{TOPO_TABLE_MADT, 88, 2, "guest.madt-order", "type 0, APIC id 1, UID 1, flags 0",
	 "type 0, APIC id 1, UID 1, flags 2"},
	/* An unknown type is no CPU. */
	{TOPO_TABLE_MADT, 84, 0x20, "guest.madt-order", "4", "3"},
	/* Type 0 from 48 on: domain at 2, APIC id at 3, flags at 4; type 2 from 80 on. */
	{TOPO_TABLE_SRAT, 50, 1, "guest.srat-entries", "type 0, APIC id 0, domain 0, enabled",
	 "type 0, APIC id 0, domain 1, enabled"},
	{TOPO_TABLE_SRAT, 52, 0, "guest.srat-entries", "type 0, APIC id 0, domain 0, enabled",
	 "type 0, APIC id 0, domain 0, not enabled"},
	{TOPO_TABLE_SRAT, 88, 3, "guest.srat-entries", "type 2, APIC id 2, domain 1, enabled",
	 "type 2, APIC id 3, domain 1, enabled"},
	/* Memory from 128 on, 640 KiB first: length at 16, flags at 28. */
	{TOPO_TABLE_SRAT, 146, 0, "guest.srat-entries", "1073348608", "1072693248"},
	{TOPO_TABLE_SRAT, 156, 0, "guest.srat-entries", "1073348608", "1072693248"},
	{TOPO_TABLE_SRAT, 156, 3, "guest.srat-entries", "0", "655360"},
	{TOPO_TABLE_SLIT, 45, 6, "guest.slit-rows", "5", "6"},
	{TOPO_TABLE_HMAT, 1, 0, "guest.hmat", "a table that can be read", "none"},
	/* The latencies are from 168 on, behind 2 x 40 and 32 + 16 bytes. */
	{TOPO_TABLE_HMAT, 170, 181, "guest.hmat", "180", "181"},
	{TOPO_TABLE_HMAT, 152, 2, "guest.hmat", "100", "none"},
	{TOPO_TABLE_FACP, 8, 5, "guest.facp", "6", "5"},
	{TOPO_TABLE_FACP, 131, 2, "guest.facp", "3", "2"},
};

static void put_tables(const struct topo *topo, GHashTable *members)
{
	for (int i = 0; i < TOPO_TABLE_COUNT; i++) {
		GBytes *bytes = emit_table(topo, (enum topo_table)i);
		g_autofree char *path = g_strdup_printf("sys/firmware/acpi/tables/%s",
							topo_table_name((enum topo_table)i));

		if (bytes)
			members_add_bytes(members, path, bytes);
	}
}

static void change_table(const struct change *change, GHashTable *members)
{
	g_autofree char *path =
		g_strdup_printf("sys/firmware/acpi/tables/%s", topo_table_name(change->table));
	GBytes *before = g_hash_table_lookup(members, path);
	gsize length = g_bytes_get_size(before);
	guint8 *bytes = g_memdup2(g_bytes_get_data(before, NULL), length);

	g_assert_cmpuint(bytes[change->offset], !=, change->value);
	bytes[9] = (guint8)(bytes[9] + bytes[change->offset] - change->value);
	bytes[change->offset] = change->value;
	members_add_bytes(members, path, g_bytes_new_take(bytes, length));
}

static const struct check *check_told(const struct checks *checks, const char *name,
				      const char *expected)
{
	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);

		if (strcmp(check->name, name) == 0 && g_strcmp0(check->expected, expected) == 0)
			return check;
	}
	return NULL;
}

static void test_unchanged(void)
{
	static const char *const names[] = {"guest.madt-order", "guest.srat-entries",
					    "guest.slit-rows", "guest.hmat", "guest.facp"};
	AUTO(topo) *topo = load(all);
	g_autoptr(GHashTable) members = members_new();
	AUTO(root) *evidence = NULL;
	AUTO(checks) *checks = checks_new();

	put_tables(topo, members);
	evidence = members_root(members);
	compare_firmware(topo, evidence, checks);
	g_assert_cmpuint(checks_count(checks), ==, G_N_ELEMENTS(names));
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_assert_cmpstr(checks_get(checks, i)->name, ==, names[i]);
		g_assert_cmpint(checks_get(checks, i)->verdict, ==, VERDICT_PASS);
	}
}

static void test_changed(void)
{
	AUTO(topo) *topo = load(all);

	for (unsigned i = 0; i < G_N_ELEMENTS(changes); i++) {
		const struct change *change = &changes[i];
		g_autoptr(GHashTable) members = members_new();
		AUTO(root) *evidence = NULL;
		AUTO(checks) *checks = checks_new();
		const struct check *check;

		put_tables(topo, members);
		change_table(change, members);
		evidence = members_root(members);
		compare_firmware(topo, evidence, checks);
		g_assert_cmpint(checks_verdict(checks), ==, VERDICT_ERROR);
		check = check_told(checks, change->check, change->expected);
		if (!check) {
			g_test_fail_printf("change %u is not told of", i);
			continue;
		}
		g_assert_cmpint(check->verdict, ==, VERDICT_ERROR);
		g_assert_cmpstr(check->observed, ==, change->observed);
	}
}

static void test_missing(void)
{
	AUTO(topo) *topo = load(all);

	for (int i = 0; i < TOPO_TABLE_COUNT; i++) {
		g_autoptr(GHashTable) members = members_new();
		g_autofree char *path = g_strdup_printf("sys/firmware/acpi/tables/%s",
							topo_table_name((enum topo_table)i));
		AUTO(root) *evidence = NULL;
		AUTO(checks) *checks = checks_new();

		put_tables(topo, members);
		members_remove(members, path);
		evidence = members_root(members);
		compare_firmware(topo, evidence, checks);
		g_assert_cmpint(checks_verdict(checks), ==, VERDICT_ERROR);
	}
}

static void test_no_slit(void)
{
	AUTO(topo) *topo = load(without_slit);
	AUTO(topo) *other = load(all);
	g_autoptr(GHashTable) members = members_new();

	put_tables(topo, members);
	for (int with = 0; with < 2; with++) {
		AUTO(checks) *checks = checks_new();
		AUTO(root) *evidence = NULL;

		if (with)
			members_add_bytes(members, "sys/firmware/acpi/tables/SLIT",
					  emit_table(other, TOPO_TABLE_SLIT));
		evidence = members_root(members);
		compare_firmware(topo, evidence, checks);
		g_assert_cmpint(checks_verdict(checks), ==, with ? VERDICT_ERROR : VERDICT_PASS);
	}
}

#define OVERRIDE(table) "ACPI: Table Upgrade: override [" table "-BOCHS -BXPC    ]\n"
#define INSTALL(table)	"ACPI: Table Upgrade: install [" table "-BOCHS -BXPC    ]\n"

static void test_taken(void)
{
	static const struct {
		const char *log, *config;
		enum verdict verdict;
		const char *reason;
	} cases[] = {
		/* The distances are all 20, of which QEMU makes no SLIT. */
		{OVERRIDE("FACP") OVERRIDE("APIC") OVERRIDE("SRAT") INSTALL("SLIT") INSTALL("HMAT"),
		 "CONFIG_ACPI_TABLE_UPGRADE=y\n", VERDICT_PASS,
		 "the kernel took the machine's own tables: APIC, SRAT, SLIT, HMAT, FACP"},
		/* A second SRAT beside the emulator's, and a HMAT of which there was one before. */
		{OVERRIDE("FACP") OVERRIDE("APIC") INSTALL("SRAT") INSTALL("SLIT") OVERRIDE("HMAT"),
		 "CONFIG_ACPI_TABLE_UPGRADE=y\n", VERDICT_ERROR,
		 "guest was not given the machine: the kernel's log does not say that it took the "
		 "tables SRAT, HMAT"},
		{"", "# CONFIG_ACPI_TABLE_UPGRADE is not set\n", VERDICT_SKIP,
		 "the machine's own ACPI tables (APIC, SRAT, SLIT, HMAT, FACP) need a kernel with "
		 "CONFIG_ACPI_TABLE_UPGRADE"},
	};
	AUTO(topo) *topo = load(all);

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GPtrArray) log = observe_console(cases[i].log, strlen(cases[i].log));
		AUTO(kernel_facts) *facts = kernel_facts_new("7.3.4", NULL);
		AUTO(checks) *checks = checks_new();

		kernel_facts_set_config(facts, cases[i].config);
		g_assert_cmpint(check_tables_taken(topo, facts, log, checks), ==,
				cases[i].verdict != VERDICT_SKIP);
		g_assert_cmpuint(checks_count(checks), ==, 1);
		g_assert_cmpint(checks_get(checks, 0)->verdict, ==, cases[i].verdict);
		g_assert_cmpstr(checks_get(checks, 0)->reason, ==, cases[i].reason);
	}
}

/*
 * 7.3 ignores the x2APIC entries 2 and 3 beside a usable LAPIC one, 6.1 takes them in. Neither
 * counts the one that is not enabled: the FACP is of ACPI 6.3, which would say that it may be.
 */
static void test_view(void)
{
	static const struct {
		unsigned version, n_present, n_possible;
		gint64 apic_ids[3];
		const char *node_cpus[2], *package_of_0;
	} cases[] = {
		{KERNEL_VERSION_OF(7, 3, 4), 1, 1, {0}, {"0", ""}, "0"},
		{KERNEL_VERSION_OF(6, 1, 192), 3, 3, {0, 2, 3}, {"0", "1-2"}, "0"},
	};
	AUTO(topo) *topo = load(all);

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(enumeration) *enumeration =
			enumerate_machine(topo, cases[i].version, false, NULL);
		AUTO(topo) *numbered = enumeration_topo(enumeration, topo);
		AUTO(view) *view = view_of_topo(numbered);
		g_autofree char *package = cpus_to_list(view->cpu[0].mask[TOPO_PACKAGE]);

		g_assert_cmpuint(enumeration->n_possible, ==, cases[i].n_possible);
		g_assert_cmpuint(cpus_count(view->cpus), ==, cases[i].n_present);
		g_assert_cmpstr(package, ==, cases[i].package_of_0);
		for (unsigned cpu = 0; cpu < cases[i].n_present; cpu++)
			g_assert_cmpint(view->cpu[cpu].apic_id, ==, cases[i].apic_ids[cpu]);
		for (unsigned node = 0; node < 2; node++) {
			g_autofree char *list = cpus_to_list(view->node_cpus[node]);

			g_assert_cmpstr(list, ==, cases[i].node_cpus[node]);
		}
	}
}

static void test_possible(void)
{
	static const struct {
		const char *possible;
		enum verdict verdict;
	} cases[] = {{"0-7\n", VERDICT_PASS},
		     {"0-3\n", VERDICT_FAIL},
		     {"0-8\n", VERDICT_FAIL},
		     {"all\n", VERDICT_ERROR}};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(root) *root =
			root_of("sys/devices/system/cpu/possible", cases[i].possible, NULL);
		AUTO(checks) *checks = checks_new();

		check_possible(8, root, checks);
		assert_check(checks, "kernel.possible", cases[i].verdict, NULL);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/verdict/firmware/unchanged", test_unchanged);
	g_test_add_func("/verdict/firmware/changed", test_changed);
	g_test_add_func("/verdict/firmware/missing", test_missing);
	g_test_add_func("/verdict/firmware/no-slit", test_no_slit);
	g_test_add_func("/verdict/firmware/taken", test_taken);
	g_test_add_func("/verdict/firmware/view", test_view);
	g_test_add_func("/verdict/firmware/possible", test_possible);
	return g_test_run();
}
