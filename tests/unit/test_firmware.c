// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tables as they are written against QEMU's own, which guests sent (tests/saved), and against what
 * files say of them, as the reader of observe/ and Intel's disassembler see it.
 */
#include "base/error.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "emit/emit.h"
#include "observe/acpi.h"
#include "observe/observe.h"
#include "run/saved_job.h"
#include "topo/load.h"

#include <glib/gstdio.h>
#include <string.h>

#define SAVED	   TOPOLAB_SOURCE "/tests/saved"
#define TOPOLOGIES TOPOLAB_SOURCE "/topologies"

static struct topo *load(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct topo *topo = topo_load_text(text, strlen(text), "firmware", &error);

	if (!topo)
		g_error("%s\n%s", error->message, text);
	return topo;
}

/* Ours has QEMU's OEM revision, 1, raised by one, and a checksum that is lower by that. */
static void assert_qemus(GBytes *ours, GBytes *qemus, const char *what)
{
	gsize length = g_bytes_get_size(ours);
	g_autofree guint8 *data = g_memdup2(g_bytes_get_data(ours, NULL), length);

	g_assert_cmpint(data[24], ==, 2);
	data[24]--;
	data[9]++;
	if (length != g_bytes_get_size(qemus) ||
	    memcmp(data, g_bytes_get_data(qemus, NULL), length) != 0)
		g_test_fail_printf("%s is not QEMU's", what);
}

/*
 * QEMU 10.0.2 wrote these for the machines of tests/saved. Their FACP is the same but for SMM,
 * which guests had until 0.1.0 (three bytes, the SMI command's).
 */
static void compare_saved(const char *folder, unsigned n_compared[TOPO_TABLE_COUNT])
{
	static const char tables[] = "sys/firmware/acpi/tables";
	g_autofree char *path = g_build_filename(SAVED, folder, "result.json", NULL);
	AUTO(saved_job) *job = saved_job_open(path, NULL);
	AUTO(root) *evidence = job && job->evidence ? evidence_open(job->evidence, NULL) : NULL;

	for (int i = 0; evidence && i < TOPO_TABLE_COUNT; i++) {
		enum topo_table table = (enum topo_table)i;
		const char *name = topo_table_name(table);
		g_autoptr(GBytes) qemus = root_read_bytes(evidence, NULL, "%s/%s", tables, name);
		g_autoptr(GBytes) ours = emit_table(job->topo, table);
		g_autofree char *what = g_strdup_printf("%s of %s", name, folder);

		if (!qemus || topo_replaces_table(job->topo, table))
			continue;
		g_assert_nonnull(ours);
		if (table == TOPO_TABLE_FACP &&
		    ((const guint8 *)g_bytes_get_data(qemus, NULL))[48] != 0)
			continue;
		assert_qemus(ours, qemus, what);
		n_compared[i]++;
	}
}

static void test_qemus(void)
{
	unsigned n_compared[TOPO_TABLE_COUNT] = {0};
	g_autoptr(GDir) dir = g_dir_open(SAVED, 0, NULL);
	const char *folder;

	g_assert_nonnull(dir);
	while ((folder = g_dir_read_name(dir)))
		compare_saved(folder, n_compared);
	g_assert_cmpuint(n_compared[TOPO_TABLE_MADT], >, 3);
	g_assert_cmpuint(n_compared[TOPO_TABLE_SRAT], >, 15);
	g_assert_cmpuint(n_compared[TOPO_TABLE_SLIT], >, 15);
	g_assert_cmpuint(n_compared[TOPO_TABLE_FACP], >, 8);
	g_assert_cmpuint(n_compared[TOPO_TABLE_HMAT], ==, 0);
}

/* Every machine of topologies/: the reader finds its CPUs, nodes and distances in the tables. */
static void check_topology(const struct topo *topo)
{
	g_autoptr(GBytes) madt_table = emit_table(topo, TOPO_TABLE_MADT);
	g_autoptr(GBytes) srat_table = emit_table(topo, TOPO_TABLE_SRAT);
	g_autoptr(GBytes) slit_table = emit_table(topo, TOPO_TABLE_SLIT);
	g_autoptr(GArray) madt = acpi_madt_read(madt_table, NULL);
	AUTO(acpi_srat) *srat = acpi_srat_read(srat_table, NULL);
	AUTO(acpi_slit) *slit = slit_table ? acpi_slit_read(slit_table, NULL) : NULL;

	g_assert_cmpuint(madt->len, ==, topo_n_cpus(topo));
	g_assert_cmpuint(cpus_count(srat->nodes), ==, topo_n_nodes(topo));
	for (unsigned cpu = 0; cpu < topo_n_cpus(topo); cpu++) {
		guint32 id = topo_cpu(topo, cpu)->apic_id;

		g_assert_cmpuint(g_array_index(madt, struct acpi_madt_cpu, cpu).apic_id, ==, id);
		g_assert_cmpint(acpi_srat_node(srat, id), ==, (int)topo_cpu(topo, cpu)->node);
	}
	g_assert_cmpint(slit != NULL, ==, topo_n_nodes(topo) > 1);
	for (unsigned from = 0; slit && from < slit->n; from++)
		for (unsigned to = 0; to < slit->n; to++)
			g_assert_cmpuint(slit->distance[from * slit->n + to], ==,
					 topo_distance(topo, from, to));
}

static void test_topologies(void)
{
	const char *const path[] = {TOPOLOGIES, NULL};
	g_auto(GStrv) names = topo_list(path);

	g_assert_cmpuint(g_strv_length(names), >, 20);
	for (unsigned i = 0; names[i]; i++) {
		AUTO(topo) *topo = topo_find(names[i], path, NULL);

		check_topology(topo);
	}
}

/* Two packages of two CPUs on Sapphire Rapids and memory alone as domain 0; every key. */
static const char all_keys[] =
	"name: all\ntitle: all\nreference: {cpu: x, packages: x, l3_per_package: x, cores_per_l3: "
	"x, "
	"threads_per_core: x, nodes_per_package: x, memory_only_nodes: x, memory_per_node: x, "
	"distances: x, numbering: x, firmware: x}\n"
	"cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"
	"packages: 2\nl3_per_package: 1\ncores_per_l3: 2\nthreads_per_core: 1\n"
	"nodes_per_package: 1\nmemory_only_nodes: 1\nmemory_per_node: 1G\n"
	"distances: [[10, 21, 17], [22, 10, 28], [18, 29, 10]]\nnumbering: threads-last\n"
	"firmware:\n"
	"  madt:\n"
	"    - {cpus: 2-3, type: x2apic}\n"
	"    - {cpus: 0}\n"
	"    - {cpus: 1, enabled: no, online-capable: yes}\n"
	"  srat:\n"
	"    - {cpus: 0-1, domain: 1}\n"
	"    - {cpus: 2-3, domain: 2, type: x2apic}\n"
	"    - {memory: 2, domain: 0, hotplug: yes}\n"
	"    - {memory: 0, domain: 1}\n"
	"    - {memory: 1, domain: 2}\n"
	"  hmat:\n"
	"    latency: [[100, 180, 300], [181, 101, 380]]\n"
	"    bandwidth: [[200000, 90000, 40000], [90010, 200010, 20000]]\n"
	"  facp: {revision: 6, minor: 3}\n";

/*
 * Domain 0 is node 2, domains 1 and 2 are nodes 0 and 1: acpi_numa_init() counts domains of CPUs
 * first. The SLIT goes by domains.
 */
static void test_domains(void)
{
	static const guint8 slit[] = {10, 18, 29, 17, 10, 21, 28, 22, 10};
	AUTO(topo) *topo = load(all_keys);
	unsigned n;
	const guint8 *distances = topo_slit(topo, &n);

	g_assert_cmpuint(topo_domain_of_node(topo, 0), ==, 1);
	g_assert_cmpuint(topo_domain_of_node(topo, 1), ==, 2);
	g_assert_cmpuint(topo_domain_of_node(topo, 2), ==, 0);
	g_assert_cmpmem(distances, n * n, slit, sizeof(slit));
	for (int table = 0; table < TOPO_TABLE_COUNT; table++)
		g_assert_true(topo_replaces_table(topo, (enum topo_table)table));
	g_assert_false(topo_emulator_has_table(topo, TOPO_TABLE_HMAT));
	g_assert_true(topo_emulator_has_table(topo, TOPO_TABLE_SLIT));
}

static void test_hmat(void)
{
	AUTO(topo) *topo = load(all_keys);
	g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_HMAT);
	AUTO(acpi_hmat) *hmat = acpi_hmat_read(table, NULL);
	static const guint16 latency[] = {100, 180, 300, 181, 101, 380};
	static const guint16 bandwidth[] = {20000, 9000, 4000, 9001, 20001, 2000};
	static const gint64 beside[] = {1, 2, -1};
	static const guint32 memories[] = {1, 2, 0};

	g_assert_cmpuint(hmat->attachments->len, ==, 3);
	for (guint i = 0; i < 3; i++) {
		const struct acpi_attachment *attachment =
			&g_array_index(hmat->attachments, struct acpi_attachment, i);

		g_assert_cmpuint(attachment->memory, ==, memories[i]);
		g_assert_cmpint(attachment->initiator, ==, beside[i]);
	}
	g_assert_cmpuint(hmat->localities->len, ==, 2);
	for (guint i = 0; i < 2; i++) {
		const struct acpi_locality *locality = g_ptr_array_index(hmat->localities, i);

		g_assert_cmpuint(locality->type, ==, i ? 3 : 0);
		g_assert_cmpuint(locality->unit, ==, i ? 10 : 1000);
		g_assert_cmpmem(locality->targets->data, 12, memories, sizeof(memories));
		g_assert_cmpmem(locality->initiators->data, 8, memories, 8);
		g_assert_cmpmem(locality->entries->data, 12, i ? bandwidth : latency, 12);
	}
}

/* What iasl -d makes of a table; NULL: there is no iasl. */
static char *disassemble(const struct topo *topo, enum topo_table table)
{
	g_autoptr(GBytes) bytes = emit_table(topo, table);
	g_autofree char *iasl = g_find_program_in_path("iasl");
	g_autofree char *folder = g_dir_make_tmp("topolab-test-XXXXXX", NULL);
	g_autofree char *dat = g_build_filename(folder, "table.dat", NULL);
	g_autofree char *dsl = g_build_filename(folder, "table.dsl", NULL);
	const char *const argv[] = {"iasl", "-d", dat, NULL};
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	if (iasl) {
		g_assert_true(g_file_set_contents(dat, g_bytes_get_data(bytes, NULL),
						  (gssize)g_bytes_get_size(bytes), NULL));
		spawn_run(argv, NULL, NULL, &error);
		g_assert_no_error(error);
		g_assert_true(g_file_get_contents(dsl, &text, NULL, NULL));
		g_unlink(dat);
		g_unlink(dsl);
	}
	g_rmdir(folder);
	return text;
}

/* "[02Ch 0044   1]  Local Apic ID : 01" -> "Local Apic ID=01", one after the other. */
static char *fields_of(const char *dsl, const char *const *names)
{
	g_auto(GStrv) lines = g_strsplit(dsl, "\n", -1);
	GString *fields = g_string_new(NULL);

	for (unsigned i = 0; lines[i]; i++) {
		const char *colon = strstr(lines[i], " : ");
		const char *start = strchr(lines[i], ']');
		g_autofree char *name = NULL;

		if (!colon)
			continue;
		start = start && start < colon ? start + 1 : lines[i];
		name = g_strstrip(g_strndup(start, (gsize)(colon - start)));
		if (g_strv_contains(names, name))
			g_string_append_printf(fields, "%s=%.*s\n", name,
					       (int)strcspn(colon + 3, " \r"), colon + 3);
	}
	return g_string_free(fields, FALSE);
}

/* Numbers are hexadecimal. The fields are of iasl 20200925 and later. */
static const struct dump {
	enum topo_table table;
	const char *names[8];
	const char *fields;
} dumps[] = {
	{TOPO_TABLE_MADT,
	 {"Subtable Type", "Processor ID", "Local Apic ID", "Processor x2Apic ID", "Processor UID",
	  "Processor Enabled", "Runtime Online Capable"},
	 "Subtable Type=09\nProcessor x2Apic ID=00000002\nProcessor Enabled=1\n"
	 "Processor UID=00000002\n"
	 "Subtable Type=09\nProcessor x2Apic ID=00000003\nProcessor Enabled=1\n"
	 "Processor UID=00000003\n"
	 "Subtable Type=00\nProcessor ID=00\nLocal Apic ID=00\nProcessor Enabled=1\n"
	 "Runtime Online Capable=0\n"
	 "Subtable Type=00\nProcessor ID=01\nLocal Apic ID=01\nProcessor Enabled=0\n"
	 "Runtime Online Capable=1\n"
	 "Subtable Type=01\nSubtable Type=02\nSubtable Type=02\nSubtable Type=02\n"
	 "Subtable Type=02\nSubtable Type=02\nSubtable Type=04\nProcessor ID=FF\n"
	 "Subtable Type=0A\nProcessor UID=FFFFFFFF\n"},
	{TOPO_TABLE_SRAT,
	 {"Proximity Domain Low(8)", "Apic ID", "Proximity Domain", "Base Address",
	  "Address Length", "Hot Pluggable", "Enabled"},
	 "Proximity Domain Low(8)=01\nApic ID=00\nEnabled=1\n"
	 "Proximity Domain Low(8)=01\nApic ID=01\nEnabled=1\n"
	 "Proximity Domain=00000002\nApic ID=00000002\nEnabled=1\n"
	 "Proximity Domain=00000002\nApic ID=00000003\nEnabled=1\n"
	 /* 3 GiB in all: the third is above 4 GiB. */
	 "Proximity Domain=00000000\nBase Address=0000000100000000\n"
	 "Address Length=0000000040000000\nEnabled=1\nHot Pluggable=1\n"
	 "Proximity Domain=00000001\nBase Address=0000000000000000\n"
	 "Address Length=00000000000A0000\nEnabled=1\nHot Pluggable=0\n"
	 "Proximity Domain=00000001\nBase Address=0000000000100000\n"
	 "Address Length=000000003FF00000\nEnabled=1\nHot Pluggable=0\n"
	 "Proximity Domain=00000002\nBase Address=0000000040000000\n"
	 "Address Length=0000000040000000\nEnabled=1\nHot Pluggable=0\n"
	 "Proximity Domain=00000000\nBase Address=0000000000000000\n"
	 "Address Length=0000000000000000\nEnabled=0\nHot Pluggable=0\n"},
	{TOPO_TABLE_SLIT, {"Localities"}, "Localities=0000000000000003\n"},
	{TOPO_TABLE_HMAT,
	 {"Processor Proximity Domain Valid", "Memory Proximity Domain", "Data Type",
	  "Entry Base Unit", "Entry"},
	 "Processor Proximity Domain Valid=1\nMemory Proximity Domain=00000001\n"
	 "Processor Proximity Domain Valid=1\nMemory Proximity Domain=00000002\n"
	 "Processor Proximity Domain Valid=0\nMemory Proximity Domain=00000000\n"
	 "Data Type=00\nEntry Base Unit=00000000000003E8\n"
	 "Entry=0064\nEntry=00B4\nEntry=012C\nEntry=00B5\nEntry=0065\nEntry=017C\n"
	 "Data Type=03\nEntry Base Unit=000000000000000A\n"
	 "Entry=4E20\nEntry=2328\nEntry=0FA0\nEntry=2329\nEntry=4E21\nEntry=07D0\n"},
	/* 2 GiB below 4 GiB. */
	{TOPO_TABLE_FACP,
	 {"Revision", "FADT Minor Revision", "DSDT Address", "FACS Address", "SCI Interrupt"},
	 "Revision=06\nFACS Address=7FFE0000\nDSDT Address=7FFE0040\nSCI Interrupt=0009\n"
	 "FADT Minor Revision=03\nFACS Address=0000000000000000\n"
	 "DSDT Address=000000007FFE0040\n"},
};

static void test_disassembled(void)
{
	AUTO(topo) *topo = load(all_keys);

	for (unsigned i = 0; i < G_N_ELEMENTS(dumps); i++) {
		g_autofree char *text = disassemble(topo, dumps[i].table);
		g_autofree char *fields = NULL;

		if (!text) {
			g_test_skip("iasl is not installed");
			return;
		}
		fields = fields_of(text, dumps[i].names);
		g_assert_cmpstr(fields, ==, dumps[i].fields);
		g_assert_null(strstr(text, "Incorrect checksum"));
		g_assert_null(strstr(text, "Unknown"));
	}
}

/* CONFIG_ACPI_TABLE_UPGRADE takes no SLIT away; QEMU must not write one. */
static void test_no_slit(void)
{
	g_autofree char *text = g_strdup(all_keys);
	g_autoptr(GString) none = g_string_new(text);
	AUTO(topo) *topo = NULL;
	struct emit_domain domain = {
		.name = "x", .kernel_path = "/k", .initrd_path = "/i", .command_line = "c"};
	g_autofree char *xml = NULL;

	g_string_replace(none, "[[10, 21, 17], [22, 10, 28], [18, 29, 10]]",
			 "[[10, 20, 20], [20, 10, 20], [20, 20, 10]]", 1);
	g_string_append(none, "  slit: none\n");
	topo = load(none->str);
	g_assert_false(topo_replaces_table(topo, TOPO_TABLE_SLIT));
	g_assert_null(emit_table(topo, TOPO_TABLE_SLIT));
	xml = emit_domain_xml(topo, &domain, NULL);
	g_assert_null(strstr(xml, "<distances>"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/firmware/qemus", test_qemus);
	g_test_add_func("/firmware/topologies", test_topologies);
	g_test_add_func("/firmware/domains", test_domains);
	g_test_add_func("/firmware/hmat", test_hmat);
	g_test_add_func("/firmware/disassembled", test_disassembled);
	g_test_add_func("/firmware/no-slit", test_no_slit);
	return g_test_run();
}
