// SPDX-License-Identifier: GPL-2.0-only
/* The MADT against QEMU's own bytes, ACPI 6.5 section 5.2.12, and Intel's disassembler. */
#include "base/spawn.h"
#include "emit/emit.h"
#include "emit_machine.h"

#include <glib/gstdio.h>

/* One package, two L3 of one core of two threads: vCPUs 0-3, APIC ids 0-3. */
#define TINY(order)                                                                                \
	{                                                                                          \
		.cpu = MACHINE_MILAN, .packages = 1, .llcs = 2, .cores = 1, .threads = 2,          \
		.nodes = 1, .distances = "{}", .numbering = order,                                 \
	}

/*
 * The table that QEMU 10.0.2 gives a q35 guest with -smp 4, read from guest memory after the
 * firmware; its OEM revision is 2 instead of 1, its CPU entries are in the order that server
 * firmware has (first threads 0 and 2, then second threads 1 and 3), and its checksum is lower by
 * one for that revision.
 */
/* clang-format off */
static const guint8 tiny_table[] = {
	'A', 'P', 'I', 'C', 0x90, 0, 0, 0, 3, 0x48, 'B', 'O', 'C', 'H', 'S', ' ',
	'B', 'X', 'P', 'C', ' ', ' ', ' ', ' ', 2, 0, 0, 0, 'B', 'X', 'P', 'C', 1, 0, 0, 0,
	0, 0, 0xe0, 0xfe, 1, 0, 0, 0,
	0, 8, 0, 0, 1, 0, 0, 0,
	0, 8, 2, 2, 1, 0, 0, 0,
	0, 8, 1, 1, 1, 0, 0, 0,
	0, 8, 3, 3, 1, 0, 0, 0,
	1, 12, 0, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0, 0,
	2, 10, 0, 0, 2, 0, 0, 0, 0, 0,
	2, 10, 0, 5, 5, 0, 0, 0, 13, 0,
	2, 10, 0, 9, 9, 0, 0, 0, 13, 0,
	2, 10, 0, 10, 10, 0, 0, 0, 13, 0,
	2, 10, 0, 11, 11, 0, 0, 0, 13, 0,
	4, 6, 0xff, 0, 0, 1,
};
/* clang-format on */

static void test_tiny(void)
{
	const struct machine machine = TINY("threads-last");
	AUTO(topo) *topo = machine_load(&machine);
	g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_MADT);

	g_assert_cmpmem(g_bytes_get_data(table, NULL), g_bytes_get_size(table), tiny_table,
			sizeof(tiny_table));
	g_assert_true(topo_replaces_table(topo, TOPO_TABLE_MADT));
}

static void test_not_needed(void)
{
	const struct machine adjacent = TINY("threads-adjacent");
	const struct machine single = {.cpu = MACHINE_MILAN,
				       .packages = 1,
				       .llcs = 2,
				       .cores = 2,
				       .threads = 1,
				       .nodes = 1,
				       .distances = "{}",
				       .numbering = "threads-last"};
	AUTO(topo) *topo = machine_load(&adjacent);
	AUTO(topo) *without_smt = machine_load(&single);

	g_assert_false(topo_replaces_table(topo, TOPO_TABLE_MADT));
	g_assert_false(topo_replaces_table(without_smt, TOPO_TABLE_MADT));
}

struct walked {
	GArray *apic_ids; /* guint32, of the CPU entries in order */
	GArray *uids;
	GString *others; /* type:length of the entries that are not CPUs */
	unsigned n_wide; /* type 9 entries */
};

static guint32 read32(const guint8 *bytes)
{
	return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (guint32)bytes[3] << 24;
}

static void walk(GBytes *table, struct walked *walked)
{
	gsize length;
	const guint8 *data = g_bytes_get_data(table, &length);

	*walked = (struct walked){.apic_ids = g_array_new(FALSE, FALSE, 4),
				  .uids = g_array_new(FALSE, FALSE, 4),
				  .others = g_string_new(NULL)};
	g_assert_cmpuint(read32(data + 4), ==, length);
	for (gsize at = 44; at < length; at += data[at + 1]) {
		const guint8 *entry = data + at;
		guint32 apic_id, uid;

		if (entry[0] == 0) { /* 5.2.12.2 */
			apic_id = entry[3];
			uid = entry[2];
			g_assert_cmpuint(read32(entry + 4), ==, 1);
		} else if (entry[0] == 9) { /* 5.2.12.12 */
			apic_id = read32(entry + 4);
			uid = read32(entry + 12);
			g_assert_cmpuint(read32(entry + 8), ==, 1);
			walked->n_wide++;
		} else {
			g_string_append_printf(walked->others, "%u:%u ", entry[0], entry[1]);
			continue;
		}
		g_array_append_val(walked->apic_ids, apic_id);
		g_array_append_val(walked->uids, uid);
	}
}

static void walked_clear(struct walked *walked)
{
	g_array_unref(walked->apic_ids);
	g_array_unref(walked->uids);
	g_string_free(walked->others, TRUE);
}

/* First threads of the six L3, then second ones; the UID is QEMU's index of the position. */
static void test_sparse(void)
{
	static const guint32 apic_ids[] = {0x00, 0x10, 0x20, 0x40, 0x50, 0x60,
					   0x01, 0x11, 0x21, 0x41, 0x51, 0x61};
	static const guint32 uids[] = {0, 16, 32, 48, 64, 80, 1, 17, 33, 49, 65, 81};
	const struct machine machine = MACHINE_SPARSE;
	AUTO(topo) *topo = machine_load(&machine);
	g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_MADT);
	struct walked walked;

	g_assert_true(topo_replaces_table(topo, TOPO_TABLE_MADT));
	walk(table, &walked);
	g_assert_cmpmem(walked.apic_ids->data, walked.apic_ids->len * 4, apic_ids,
			sizeof(apic_ids));
	g_assert_cmpmem(walked.uids->data, walked.uids->len * 4, uids, sizeof(uids));
	walked_clear(&walked);
}

/*
 * 1 bit of thread, 3 of core, 3 of L3, 1 of package leave no hole: CPU n < 128 is first thread of
 * core n, APIC id 2n, and CPU 128 + n is its second, 2n + 1. Only id 255 needs a type 9 entry.
 */
static void test_nps4(void)
{
	const struct machine machine = MACHINE_NPS4;
	AUTO(topo) *topo = machine_load(&machine);
	g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_MADT);
	struct walked walked;

	walk(table, &walked);
	g_assert_cmpuint(walked.apic_ids->len, ==, 256);
	for (guint cpu = 0; cpu < walked.apic_ids->len; cpu++) {
		guint32 expected = cpu < 128 ? 2 * cpu : 2 * (cpu - 128) + 1;

		g_assert_cmpuint(g_array_index(walked.apic_ids, guint32, cpu), ==, expected);
		g_assert_cmpuint(g_array_index(walked.uids, guint32, cpu), ==, expected);
	}
	g_assert_cmpuint(walked.n_wide, ==, 1);
	g_assert_cmpstr(walked.others->str, ==, "1:12 2:10 2:10 2:10 2:10 2:10 4:6 10:12 ");
	walked_clear(&walked);
}

/*
 * 2 packages x 5 cores x 2 threads on Intel: 1 bit of thread, 3 of core, so the second package
 * starts at APIC id 16 while its vCPUs, which the UIDs are, start at 10.
 */
static void test_holes(void)
{
	static const guint32 apic_ids[] = {0, 2, 4, 6, 8, 16, 18, 20, 22, 24,
					   1, 3, 5, 7, 9, 17, 19, 21, 23, 25};
	static const guint32 uids[] = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18,
				       1, 3, 5, 7, 9, 11, 13, 15, 17, 19};
	const struct machine machine = {.cpu = MACHINE_SPR,
					.packages = 2,
					.llcs = 1,
					.cores = 5,
					.threads = 2,
					.nodes = 1,
					.distances = "{other-package: 21}",
					.numbering = "threads-last"};
	AUTO(topo) *topo = machine_load(&machine);
	g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_MADT);
	struct walked walked;

	walk(table, &walked);
	g_assert_cmpmem(walked.apic_ids->data, walked.apic_ids->len * 4, apic_ids,
			sizeof(apic_ids));
	g_assert_cmpmem(walked.uids->data, walked.uids->len * 4, uids, sizeof(uids));
	g_assert_cmpuint(walked.n_wide, ==, 0);
	walked_clear(&walked);
}

/* The sum of all bytes is zero, 5.2.6. */
static void test_checksum(void)
{
	const struct machine machines[] = {TINY("threads-last"), MACHINE_NPS4};

	for (gsize i = 0; i < G_N_ELEMENTS(machines); i++) {
		AUTO(topo) *topo = machine_load(&machines[i]);
		g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_MADT);
		const guint8 *data = g_bytes_get_data(table, NULL);
		guint8 sum = 0;

		for (gsize at = 0; at < g_bytes_get_size(table); at++)
			sum = (guint8)(sum + data[at]);
		g_assert_cmpuint(sum, ==, 0);
	}
}

static unsigned count(const char *text, const char *word)
{
	unsigned n = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

static void test_disassembled(void)
{
	const struct machine machine = MACHINE_NPS4;
	AUTO(topo) *topo = machine_load(&machine);
	g_autoptr(GBytes) table = emit_table(topo, TOPO_TABLE_MADT);
	g_autofree char *iasl = g_find_program_in_path("iasl");
	g_autofree char *folder = g_dir_make_tmp("topolab-test-XXXXXX", NULL);
	g_autofree char *aml = g_build_filename(folder, "apic.aml", NULL);
	g_autofree char *dsl = g_build_filename(folder, "apic.dsl", NULL);
	const char *const argv[] = {"iasl", "-d", aml, NULL};
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;

	if (!iasl) {
		g_rmdir(folder);
		g_test_skip("iasl is not installed");
		return;
	}
	g_assert_true(g_file_set_contents(aml, g_bytes_get_data(table, NULL),
					  (gssize)g_bytes_get_size(table), NULL));
	spawn_run(argv, NULL, NULL, &error);
	g_assert_no_error(error);
	if (g_file_get_contents(dsl, &text, NULL, NULL)) {
		g_assert_cmpuint(count(text, "[Processor Local APIC]"), ==, 255);
		g_assert_cmpuint(count(text, "[Processor Local x2APIC]"), ==, 1);
		g_assert_cmpuint(count(text, "[I/O APIC]"), ==, 1);
		g_assert_cmpuint(count(text, "[Interrupt Source Override]"), ==, 5);
		g_assert_cmpuint(count(text, "[Local APIC NMI]"), ==, 1);
		g_assert_cmpuint(count(text, "[Local x2APIC NMI]"), ==, 1);
		g_assert_null(strstr(text, "Incorrect checksum"));
		g_assert_null(strstr(text, "Unknown"));
	} else {
		g_test_fail_printf("iasl wrote no '%s'", dsl);
	}
	g_unlink(aml);
	g_unlink(dsl);
	g_rmdir(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/madt/tiny", test_tiny);
	g_test_add_func("/madt/not-needed", test_not_needed);
	g_test_add_func("/madt/nps4", test_nps4);
	g_test_add_func("/madt/holes", test_holes);
	g_test_add_func("/madt/checksum", test_checksum);
	g_test_add_func("/madt/disassembled", test_disassembled);
	g_test_add_func("/madt/sparse", test_sparse);
	return g_test_run();
}
