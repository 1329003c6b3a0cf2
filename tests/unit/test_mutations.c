// SPDX-License-Identifier: GPL-2.0-only
/*
 * A real job whose evidence is damaged, or is that of another machine, or whose guest ended badly.
 * None may pass; each row names the verdict and the check that must complain.
 */
#include "test_mutations_help.h"

/* The archive. */

static void write_part(struct spoiled *spoiled, gsize (*part)(gsize length))
{
	g_autoptr(GBytes) whole = evidence_write(&spoiled->evidence);

	spoiled->archive = g_bytes_new_from_bytes(whole, 0, part(g_bytes_get_size(whole)));
}

static gsize half(gsize length)
{
	return length / 2;
}

static gsize all_but_trailer(gsize length)
{
	return length - 8;
}

static gsize none(gsize length)
{
	return length - length;
}

static void archive_half(struct spoiled *spoiled)
{
	write_part(spoiled, half);
}

static void archive_no_trailer(struct spoiled *spoiled)
{
	write_part(spoiled, all_but_trailer);
}

static void archive_empty(struct spoiled *spoiled)
{
	write_part(spoiled, none);
}

static void archive_bit(struct spoiled *spoiled)
{
	g_autoptr(GBytes) whole = evidence_write(&spoiled->evidence);
	gsize length;
	guint8 *data = g_memdup2(g_bytes_get_data(whole, &length), g_bytes_get_size(whole));

	data[length / 2] ^= 0x10;
	spoiled->archive = g_bytes_new_take(data, length);
}

static void manifest_lost(struct spoiled *spoiled)
{
	g_ptr_array_remove(spoiled->evidence.members,
			   evidence_find(&spoiled->evidence, "manifest"));
}

static void manifest_counts_more(struct spoiled *spoiled)
{
	g_ptr_array_remove(spoiled->evidence.members,
			   evidence_find(&spoiled->evidence, "proc/cmdline"));
}

static void manifest_tells_error(struct spoiled *spoiled)
{
	g_string_append(evidence_find(&spoiled->evidence, "manifest")->text,
			"error: proc/schedstat: Input/output error\n");
}

static void agent_is_newer(struct spoiled *spoiled)
{
	edit(spoiled, "manifest", "agent: 1", "agent: 2");
}

static void insert_member(struct spoiled *spoiled, const char *path, const char *text)
{
	struct member *member = evidence_add(&spoiled->evidence, path, text, strlen(text));

	/* The manifest stays last. */
	g_ptr_array_steal_index(spoiled->evidence.members, spoiled->evidence.members->len - 1);
	g_ptr_array_insert(spoiled->evidence.members, 0, member);
	evidence_recount(&spoiled->evidence);
}

static void member_twice(struct spoiled *spoiled)
{
	insert_member(spoiled, "proc/schedstat", "x");
}

static void member_outside(struct spoiled *spoiled)
{
	insert_member(spoiled, "../../etc/passwd", "x");
}

/* Members lost, as if the agent had never found them. */

static void log_lost(struct spoiled *spoiled)
{
	drop(spoiled, "kmsg");
}

static void schedstat_lost(struct spoiled *spoiled)
{
	drop(spoiled, "proc/schedstat");
}

static void debugfs_lost(struct spoiled *spoiled)
{
	drop(spoiled, "sys/kernel/debug/sched/domains");
}

static void debugfs_cpu_lost(struct spoiled *spoiled)
{
	drop(spoiled, "sys/kernel/debug/sched/domains/cpu5/");
}

static void debugfs_level_lost(struct spoiled *spoiled)
{
	drop(spoiled, "sys/kernel/debug/sched/domains/cpu5/domain1/level");
}

static void cpuinfo_lost(struct spoiled *spoiled)
{
	drop(spoiled, "proc/cpuinfo");
}

static void cmdline_lost(struct spoiled *spoiled)
{
	drop(spoiled, "proc/cmdline");
}

static void cpuid_lost(struct spoiled *spoiled)
{
	drop(spoiled, "cpuid/pu5");
}

static void caches_lost(struct spoiled *spoiled)
{
	drop(spoiled, "sys/devices/system/cpu/cpu5/cache/");
}

static void nodes_lost(struct spoiled *spoiled)
{
	drop(spoiled, "sys/devices/system/node/");
}

static void srat_lost(struct spoiled *spoiled)
{
	drop(spoiled, "sys/firmware/acpi/tables/SRAT");
}

static void slit_lost(struct spoiled *spoiled)
{
	drop(spoiled, "sys/firmware/acpi/tables/SLIT");
}

static void madt_lost(struct spoiled *spoiled)
{
	drop(spoiled, "sys/firmware/acpi/tables/APIC");
}

/* The guest was not given the machine. */

static void other_release(struct spoiled *spoiled)
{
	edit(spoiled, "proc/sys/kernel/osrelease", "6.12.", "6.13.");
}

static void madt_not_taken(struct spoiled *spoiled)
{
	edit(spoiled, "kmsg", "ACPI: Table Upgrade: override [APIC-", "ACPI: Table APIC: [");
}

/* Types and lengths of MADT entries: ACPI 6.5, 5.2.12; type 0 is eight bytes, its id the fourth. */
static void madt_swapped(struct spoiled *spoiled)
{
	GString *table = evidence_find(&spoiled->evidence, "sys/firmware/acpi/tables/APIC")->text;
	char *first = table->str + 44, *second = first + 8, id = first[3];

	g_assert_true(first[0] == 0 && first[1] == 8 && second[0] == 0 && second[1] == 8);
	first[3] = second[3];
	second[3] = id;
	table_sum(table);
}

/* An entry's third byte is the processor UID, its fifth to eighth are flags. */
static void madt_uid_changed(struct spoiled *spoiled)
{
	GString *table = evidence_find(&spoiled->evidence, "sys/firmware/acpi/tables/APIC")->text;

	table->str[44 + 2] = 77;
	table_sum(table);
}

static void madt_flags_changed(struct spoiled *spoiled)
{
	GString *table = evidence_find(&spoiled->evidence, "sys/firmware/acpi/tables/APIC")->text;

	table->str[44 + 8 + 4] |= 2;
	table_sum(table);
}

static void possible_more(struct spoiled *spoiled)
{
	GString *text = evidence_find(&spoiled->evidence, "sys/devices/system/cpu/possible")->text;

	g_string_assign(text, "0-4095\n");
}

/* ACPI 6.5, 5.2.17: 36 bytes of header, 8 of a count, then the matrix. */
static void slit_changed(struct spoiled *spoiled)
{
	GString *table = evidence_find(&spoiled->evidence, "sys/firmware/acpi/tables/SLIT")->text;

	g_assert_cmpint(table->str[45], ==, 12);
	table->str[45] = 13;
	table_sum(table);
}

static void slit_sum_wrong(struct spoiled *spoiled)
{
	evidence_find(&spoiled->evidence, "sys/firmware/acpi/tables/SLIT")->text->str[45] = 13;
}

/* ACPI 6.5, 5.2.16.1: 48 bytes of header, then entries of 16, the domain in the third. */
static void srat_moved(struct spoiled *spoiled)
{
	GString *table = evidence_find(&spoiled->evidence, "sys/firmware/acpi/tables/SRAT")->text;

	g_assert_true(table->str[48] == 0 && table->str[49] == 16 && table->str[50] == 0);
	table->str[50] = 1;
	table_sum(table);
}

static void apic_id_changed(struct spoiled *spoiled)
{
	/* Leaf 0xb, EDX; CPU 5 is the first thread of the sixth core, APIC id 10. */
	edit(spoiled, "cpuid/pu5", "5 b 0 0 0 => 1 2 100 a", "5 b 0 0 0 => 1 2 100 c");
}

static void edit_dumps(struct spoiled *spoiled, const char *old, const char *new)
{
	for (unsigned cpu = 0; cpu < 32; cpu++) {
		g_autofree char *path = g_strdup_printf("cpuid/pu%u", cpu);

		edit(spoiled, path, old, new);
	}
}

static void family_changed(struct spoiled *spoiled)
{
	/* Leaf 1, EAX: family 15 + 0xa = 25; 0xb is 26. */
	edit_dumps(spoiled, "1 1 0 0 0 => a00f11 ", "1 1 0 0 0 => b00f11 ");
}

static void l3_width_changed(struct spoiled *spoiled)
{
	/* Leaf 0x8000001d, EAX 25:14: threads that share the L3, less one; 3 becomes 7. */
	edit_dumps(spoiled, "5 8000001d 0 3 0 => c163 ", "5 8000001d 0 3 0 => 1c163 ");
}

/* Around the evidence. */

static void console_panic(struct spoiled *spoiled)
{
	spoiled->console = "[   99.000000] Kernel panic - not syncing: Attempted to kill init!\n";
}

static void rebooted(struct spoiled *spoiled)
{
	spoiled->job->result->ending = ENDING_REBOOT;
}

static void stood_still(struct spoiled *spoiled)
{
	spoiled->job->result->ending = ENDING_STALLED;
}

static void channel_cut(struct spoiled *spoiled)
{
	spoiled->job->result->channel_problem = g_strdup("the stream ends before it said bye");
}

static void isolated_cpus(struct spoiled *spoiled)
{
	edit(spoiled, "proc/cmdline", "sched_verbose", "sched_verbose isolcpus=3");
}

static void unknown_argument(struct spoiled *spoiled)
{
	edit(spoiled, "proc/cmdline", "sched_verbose", "sched_verbose possible_cpus=3");
}

/* drivers/base/cpu.c, print_cpus_kernel_max(): NR_CPUS - 1; the machine has 32. */
static void kernel_max_small(struct spoiled *spoiled)
{
	insert_member(spoiled, "sys/devices/system/cpu/kernel_max", "15\n");
}

static void config_small(struct spoiled *spoiled)
{
	kernel_facts_set_config(spoiled->job->facts, "CONFIG_SMP=y\nCONFIG_NR_CPUS=16\n");
}

static const struct mutation mutations[] = {
	{"archive-half", archive_half, VERDICT_ERROR, "evidence.archive"},
	{"archive-no-trailer", archive_no_trailer, VERDICT_ERROR, "evidence.archive"},
	{"archive-empty", archive_empty, VERDICT_ERROR, "evidence.archive"},
	{"archive-bit", archive_bit, VERDICT_ERROR, "evidence.archive"},
	{"manifest-lost", manifest_lost, VERDICT_ERROR, "evidence.archive"},
	{"manifest-counts-more", manifest_counts_more, VERDICT_ERROR, "evidence.archive"},
	{"manifest-tells-error", manifest_tells_error, VERDICT_ERROR, "evidence.archive"},
	{"agent-is-newer", agent_is_newer, VERDICT_ERROR, "evidence.archive"},
	{"member-twice", member_twice, VERDICT_ERROR, "evidence.archive"},
	{"member-outside", member_outside, VERDICT_ERROR, "evidence.archive"},
	{"log-lost", log_lost, VERDICT_ERROR, "evidence.log"},
	{"schedstat-lost", schedstat_lost, VERDICT_ERROR, "domains.observed"},
	{"debugfs-lost", debugfs_lost, VERDICT_ERROR, "domains.cpus"},
	{"debugfs-cpu-lost", debugfs_cpu_lost, VERDICT_ERROR, "domains.observed"},
	{"debugfs-level-lost", debugfs_level_lost, VERDICT_ERROR, "domains.cpus"},
	{"cpuinfo-lost", cpuinfo_lost, VERDICT_ERROR, "kernel.witness"},
	{"cmdline-lost", cmdline_lost, VERDICT_ERROR, "kernel.arguments"},
	{"cpuid-lost", cpuid_lost, VERDICT_ERROR, "guest.cpuid"},
	{"caches-lost", caches_lost, VERDICT_FAIL, "kernel.caches"},
	{"nodes-lost", nodes_lost, VERDICT_FAIL, "kernel.numa"},
	{"srat-lost", srat_lost, VERDICT_ERROR, "guest.srat"},
	{"slit-lost", slit_lost, VERDICT_ERROR, "guest.slit"},
	{"madt-lost", madt_lost, VERDICT_ERROR, "guest.witness"},
	{"other-release", other_release, VERDICT_ERROR, "guest.release"},
	{"madt-not-taken", madt_not_taken, VERDICT_ERROR, "guest.table-upgrade"},
	{"madt-swapped", madt_swapped, VERDICT_ERROR, "guest.madt-order"},
	{"madt-uid-changed", madt_uid_changed, VERDICT_ERROR, "guest.madt-order"},
	{"madt-flags-changed", madt_flags_changed, VERDICT_ERROR, "guest.madt-order"},
	{"possible-more", possible_more, VERDICT_FAIL, "kernel.possible"},
	{"slit-changed", slit_changed, VERDICT_ERROR, "guest.slit"},
	{"slit-sum-wrong", slit_sum_wrong, VERDICT_ERROR, "guest.witness"},
	{"srat-moved", srat_moved, VERDICT_ERROR, "guest.srat"},
	{"apic-id-changed", apic_id_changed, VERDICT_ERROR, "guest.madt"},
	{"family-changed", family_changed, VERDICT_ERROR, "guest.cpuid"},
	{"l3-width-changed", l3_width_changed, VERDICT_ERROR, "guest.cpuid"},
	{"console-panic", console_panic, VERDICT_FAIL, "console.splats"},
	{"rebooted", rebooted, VERDICT_FAIL, "guest.ending"},
	{"stood-still", stood_still, VERDICT_TIMEOUT, "guest.ending"},
	{"channel-cut", channel_cut, VERDICT_ERROR, "evidence.channel"},
	{"kernel-max-small", kernel_max_small, VERDICT_SKIP, "guest.room"},
	{"config-small", config_small, VERDICT_SKIP, "guest.room"},
	{"isolated-cpus", isolated_cpus, VERDICT_FAIL, "invariants.present"},
	{"unknown-argument", unknown_argument, VERDICT_SKIP, "kernel.arguments"},
};

/* Taking the archive apart and putting it together spoils nothing by itself. */
static void test_unspoiled(void)
{
	AUTO(saved_job) *job = subject_open();
	struct spoiled spoiled = {.job = job};

	if (!job)
		return;
	spoiled.evidence = evidence_read(job->evidence);
	judge_spoiled(&spoiled);
	tell_checks(job->result->judgement->checks);
	g_assert_cmpstr(verdict_name(result_verdict(job->result)), ==, "PASS");
	evidence_clear(&spoiled.evidence);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/mutations/lab/none", test_unspoiled);
	mutations_add("lab", mutations, G_N_ELEMENTS(mutations));
	return g_test_run();
}
