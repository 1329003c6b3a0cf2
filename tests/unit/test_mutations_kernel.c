// SPDX-License-Identifier: GPL-2.0-only
/*
 * A real job as a kernel at fault would have left it: it misread the machine, built other domains,
 * or complained. None may pass; each row names the verdict and the check that must complain.
 */
#include "test_mutations_help.h"

/* The kernel misread the machine. */

static void l3_in_sys(struct spoiled *spoiled)
{
	static const unsigned cpus[] = {0, 1, 2, 3, 16, 17, 18, 19};

	for (unsigned i = 0; i < G_N_ELEMENTS(cpus); i++)
		set_of_cpu(spoiled, cpus[i], "cache/index3/shared_cpu_list", "0-3,16-19\n");
}

/* As consistent as a kernel that believes in one LLC per node would be, on that node. */
static void l3_in_sys_and_domains(struct spoiled *spoiled)
{
	l3_in_sys(spoiled);
	for (unsigned i = 0; i < 8; i++) {
		unsigned cpu = i < 4 ? i : i + 12, pair = cpu & 2u;

		edit_span(spoiled, cpu, 1, pair ? "000c000c" : "00030003", "000f000f",
			  pair ? "2-3,18-19" : "0-1,16-17", "0-3,16-19");
	}
}

static void l2_in_sys(struct spoiled *spoiled)
{
	set_of_cpu(spoiled, 4, "cache/index2/shared_cpu_list", "4-5,20-21\n");
}

static void core_in_sys(struct spoiled *spoiled)
{
	set_of_cpu(spoiled, 4, "topology/core_cpus_list", "4\n");
}

static void package_in_sys(struct spoiled *spoiled)
{
	set_of_cpu(spoiled, 9, "topology/package_cpus_list", "0-31\n");
}

static void node_lost_cpu(struct spoiled *spoiled)
{
	evidence_set(&spoiled->evidence, "sys/devices/system/node/node0/cpulist", "0-2,16-19\n");
}

static void node_swapped_cpu(struct spoiled *spoiled)
{
	evidence_set(&spoiled->evidence, "sys/devices/system/node/node0/cpulist", "0-2,4,16-19\n");
	evidence_set(&spoiled->evidence, "sys/devices/system/node/node1/cpulist", "3,5-7,20-23\n");
}

static void distance_in_sys(struct spoiled *spoiled)
{
	evidence_set(&spoiled->evidence, "sys/devices/system/node/node1/distance", "12 10 32 31\n");
}

static void apic_id_in_cpuinfo(struct spoiled *spoiled)
{
	edit(spoiled, "proc/cpuinfo", "apicid\t\t: 10\n", "apicid\t\t: 99\n");
}

static void model_in_cpuinfo(struct spoiled *spoiled)
{
	GString *text = evidence_find(&spoiled->evidence, "proc/cpuinfo")->text;

	g_assert_cmpuint(g_string_replace(text, "\nmodel\t\t: 1\n", "\nmodel\t\t: 2\n", 0), ==, 32);
}

static void online_lost_cpu(struct spoiled *spoiled)
{
	evidence_set(&spoiled->evidence, "sys/devices/system/cpu/online", "0-30\n");
}

/* CPU 31 has APIC id 31: two threads a core, the second ones last, each id odd. */
static void cpu_not_started(struct spoiled *spoiled)
{
	GString *cpuinfo = evidence_find(&spoiled->evidence, "proc/cpuinfo")->text;

	online_lost_cpu(spoiled);
	g_string_truncate(cpuinfo, (gsize)(strstr(cpuinfo->str, "processor\t: 31") - cpuinfo->str));
	evidence_set(&spoiled->evidence, "sys/devices/system/node/node3/cpulist", "12-15,28-30\n");
	drop(spoiled, "cpuid/pu31");
}

static void cpu_not_started_on_idle_host(struct spoiled *spoiled)
{
	cpu_not_started(spoiled);
	spoiled->job->result->vcpus_per_host_cpu = 1;
}

static void cpus_numbered_otherwise(struct spoiled *spoiled)
{
	struct member *one = evidence_find(&spoiled->evidence, "cpuid/pu1");
	struct member *two = evidence_find(&spoiled->evidence, "cpuid/pu2");
	GString *text = one->text;

	one->text = two->text;
	two->text = text;
}

/* The domains. */

static void schedstat_version(struct spoiled *spoiled)
{
	edit(spoiled, "proc/schedstat", "version 16", "version 99");
}

static void schedstat_next_version(struct spoiled *spoiled)
{
	edit(spoiled, "proc/schedstat", "version 16", "version 17");
}

static void span_in_schedstat(struct spoiled *spoiled)
{
	schedstat_edit(&spoiled->evidence, 0, 1, "00030003", "00030001");
}

static void span_changed(struct spoiled *spoiled)
{
	edit_span(spoiled, 0, 1, "00030003", "000b0003", "0-1,16-17", "0-1,16-17,19");
}

static void spans_swapped(struct spoiled *spoiled)
{
	edit_span(spoiled, 8, 1, "03000300", "0f000f00", "8-9,24-25", "8-11,24-27");
	edit_span(spoiled, 8, 2, "0f000f00", "03000300", "8-11,24-27", "8-9,24-25");
}

static void top_span_cut(struct spoiled *spoiled)
{
	edit_span(spoiled, 31, 4, "ffffffff", "fffffff7", "0-31", "0-2,4-31");
}

static void span_reaches_offline(struct spoiled *spoiled)
{
	edit_span(spoiled, 31, 4, "ffffffff", "1,ffffffff", "0-31", "0-32");
}

static void own_cpu_left_out(struct spoiled *spoiled)
{
	edit_span(spoiled, 7, 0, "00800080", "00800000", "7,23", "23");
}

static void flag_lost(struct spoiled *spoiled)
{
	edit_debug(spoiled, 0, 1, "flags", " SD_PREFER_SIBLING", "");
}

static void flag_more(struct spoiled *spoiled)
{
	edit_debug(spoiled, 20, 4, "flags", "SD_BALANCE_NEWIDLE ",
		   "SD_BALANCE_NEWIDLE SD_WAKE_BALANCE ");
}

#define DOMAIN1_OF_5 "sys/kernel/debug/sched/domains/cpu5/domain1/"

static void interval_in_debugfs(struct spoiled *spoiled)
{
	edit(spoiled, DOMAIN1_OF_5 "min_interval", "4", "8");
}

static void busy_factor_in_debugfs(struct spoiled *spoiled)
{
	edit(spoiled, DOMAIN1_OF_5 "busy_factor", "16", "32");
}

static void imbalance_in_debugfs(struct spoiled *spoiled)
{
	edit(spoiled, DOMAIN1_OF_5 "imbalance_pct", "117", "125");
}

static void groups_flag_lost(struct spoiled *spoiled)
{
	edit(spoiled, DOMAIN1_OF_5 "groups_flags", "SD_SHARE_CPUCAPACITY ", "");
}

/* arch/x86/kernel/cpu/debugfs.c */
static void llc_id_in_debugfs(struct spoiled *spoiled)
{
	edit(spoiled, "sys/kernel/debug/x86/topo/cpus/5",
	     "\nllc_id:              ", "\nllc_id:              9");
}

static void apic_id_in_debugfs(struct spoiled *spoiled)
{
	edit(spoiled, "sys/kernel/debug/x86/topo/cpus/5", "\napicid:              a",
	     "\napicid:              b");
}

static void name_in_debugfs(struct spoiled *spoiled)
{
	edit_debug(spoiled, 3, 2, "name", "NODE", "PKG");
}

static void name_changed(struct spoiled *spoiled)
{
	name_in_debugfs(spoiled);
	log_edit(&spoiled->evidence, 3, 2, 0, "level=NODE", "level=PKG");
}

static void level_changed(struct spoiled *spoiled)
{
	g_autofree char *path = g_strdup_printf(DEBUG "level", 3u, 1u);

	evidence_set(&spoiled->evidence, path, "1\n");
}

static void domain_in_schedstat_lost(struct spoiled *spoiled)
{
	GString *text = evidence_find(&spoiled->evidence, "proc/schedstat")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);

	g_ptr_array_remove_index(lines, schedstat_line(lines, 3, 4));
	lines_join(text, lines);
}

static void log_domain_lost(struct spoiled *spoiled, unsigned cpu, unsigned index)
{
	GString *text = evidence_find(&spoiled->evidence, "kmsg")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);

	g_ptr_array_remove_range(lines, log_line(lines, cpu, index), 2);
	log_renumber(lines);
	lines_join(text, lines);
}

/* Everywhere, as if the kernel had never built it. */
static void domain_lost(struct spoiled *spoiled)
{
	domain_in_schedstat_lost(spoiled);
	drop(spoiled, "sys/kernel/debug/sched/domains/cpu3/domain4/");
	log_domain_lost(spoiled, 3, 4);
}

static void chain_lost(struct spoiled *spoiled)
{
	GString *text = evidence_find(&spoiled->evidence, "proc/schedstat")->text;
	GString *log = evidence_find(&spoiled->evidence, "kmsg")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);
	g_autoptr(GPtrArray) log_lines = lines_of(log);

	g_ptr_array_remove_range(lines, schedstat_line(lines, 7, 0), 5);
	lines_join(text, lines);
	drop(spoiled, "sys/kernel/debug/sched/domains/cpu7/");
	g_ptr_array_remove_range(log_lines, log_line(log_lines, 7, 0) - 1, 11);
	log_renumber(log_lines);
	lines_join(log, log_lines);
}

/* As if build_sched_domains() had given up: not one CPU is attached to anything. */
static void domains_lost(struct spoiled *spoiled)
{
	static const char *const parts[] = {"attaching sched-domain", "; ", "domain"};
	GString *text = evidence_find(&spoiled->evidence, "proc/schedstat")->text;
	GString *log = evidence_find(&spoiled->evidence, "kmsg")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);
	g_autoptr(GPtrArray) log_lines = lines_of(log);

	for (guint i = lines->len; i-- > 0;)
		if (g_str_has_prefix(lines->pdata[i], parts[2]))
			g_ptr_array_remove_index(lines, i);
	lines_join(text, lines);
	/* Lines of the trees, and no others, are indented. */
	for (guint i = log_lines->len; i-- > 0;)
		if (strstr(log_lines->pdata[i], parts[0]) ||
		    (strstr(log_lines->pdata[i], parts[1]) &&
		     (strstr(log_lines->pdata[i], " groups: ") ||
		      strstr(log_lines->pdata[i], " domain-"))))
			g_ptr_array_remove_index(log_lines, i);
	log_renumber(log_lines);
	lines_join(log, log_lines);
	drop(spoiled, "sys/kernel/debug/sched/domains/");
}

static void cpu_in_schedstat_lost(struct spoiled *spoiled)
{
	GString *text = evidence_find(&spoiled->evidence, "proc/schedstat")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);

	g_ptr_array_remove_range(lines, lines_find(lines, 0, "cpu7 "), 6);
	lines_join(text, lines);
}

/*
 * Built without CONFIG_SCHED_CLUSTER: levels from MC on are one less, since debugfs counts the rows
 * of the kernel's table (build_sched_topology()). On AMD nothing else shows it.
 */
static void levels_without_cluster(struct spoiled *spoiled)
{
	for (unsigned cpu = 0; cpu < 32; cpu++) {
		for (unsigned i = 1; i < 5; i++) {
			g_autofree char *path = g_strdup_printf(DEBUG "level", cpu, i);
			GString *text = evidence_find(&spoiled->evidence, path)->text;
			int level = atoi(text->str);

			g_string_printf(text, "%d\n", level - 1);
		}
	}
}

static void config_unknown(struct spoiled *spoiled)
{
	struct saved_job *job = spoiled->job;

	kernel_facts_unref(job->facts);
	job->facts = kernel_facts_new(job->result->kernel_release, NULL);
}

static void unknown_without_cluster(struct spoiled *spoiled)
{
	levels_without_cluster(spoiled);
	config_unknown(spoiled);
}

static void unknown_span_changed(struct spoiled *spoiled)
{
	span_changed(spoiled);
	config_unknown(spoiled);
}

/* The log. */

static void group_lost_cpu(struct spoiled *spoiled)
{
	log_edit(&spoiled->evidence, 0, 4, 1, "span=8-15,24-31", "span=8-15,24-30");
}

static void group_reaches_out(struct spoiled *spoiled)
{
	log_edit(&spoiled->evidence, 0, 1, 1, "span=1,17", "span=1-2,17");
}

static void group_balanced_from_outside(struct spoiled *spoiled)
{
	log_edit(&spoiled->evidence, 0, 1, 1, "span=1,17", "span=1,17 mask=2");
}

static void groups_begin_elsewhere(struct spoiled *spoiled)
{
	log_edit(&spoiled->evidence, 0, 0, 1, "0:{ span=0 ", "16:{ span=16 ");
	log_edit(&spoiled->evidence, 0, 0, 1, "16:{ span=16 }", "0:{ span=0 }");
}

static void group_id_other(struct spoiled *spoiled)
{
	log_edit(&spoiled->evidence, 0, 1, 1, " 1:{ span=1,17", " 0:{ span=1,17");
}

/* CPU 9 has no group in its node's domain; the lines are sched_domain_debug_one()'s. */
static void groups_replaced(struct spoiled *spoiled, const char *const *records)
{
	GString *text = evidence_find(&spoiled->evidence, "kmsg")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);
	guint at = log_line(lines, 9, 2) + 1;

	g_ptr_array_remove_index(lines, at);
	for (unsigned i = 0; records[i]; i++)
		g_ptr_array_insert(lines, (int)(at + i), g_strdup(records[i]));
	log_renumber(lines);
	lines_join(text, lines);
}

static void first_group_empty(struct spoiled *spoiled)
{
	static const char *const records[] = {
		"7,0,600000,-;    groups:", "3,0,600000,-;ERROR: empty group",
		"3,0,600000,-;ERROR: groups don't span domain->span", NULL};

	groups_replaced(spoiled, records);
}

static void group_null(struct spoiled *spoiled)
{
	static const char *const records[] = {
		"7,0,600000,-;    groups:", "4,0,600000,-;", "3,0,600000,-;ERROR: group is NULL",
		"3,0,600000,-;ERROR: groups don't span domain->span", NULL};

	groups_replaced(spoiled, records);
}

static void record_lost(struct spoiled *spoiled)
{
	GString *text = evidence_find(&spoiled->evidence, "kmsg")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);

	g_ptr_array_remove_index(lines, log_line(lines, 9, 2) + 1);
	lines_join(text, lines);
}

static void groups_lost(struct spoiled *spoiled)
{
	GString *text = evidence_find(&spoiled->evidence, "kmsg")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);

	g_ptr_array_remove_index(lines, log_line(lines, 9, 2) + 1);
	log_renumber(lines);
	lines_join(text, lines);
}

static void log_cut(struct spoiled *spoiled)
{
	GString *text = evidence_find(&spoiled->evidence, "kmsg")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);
	guint at = log_line(lines, 20, 0);

	g_ptr_array_remove_range(lines, at, lines->len - at);
	lines_join(text, lines);
}

static void log_without_domains(struct spoiled *spoiled)
{
	GString *text = evidence_find(&spoiled->evidence, "kmsg")->text;
	g_autoptr(GPtrArray) lines = lines_of(text);
	guint at = lines_find(lines, 0, ";CPU0 attaching");

	g_ptr_array_remove_range(lines, at, lines->len - at);
	lines_join(text, lines);
}

static void log_bug(struct spoiled *spoiled)
{
	log_append(&spoiled->evidence,
		   "BUG: kernel NULL pointer dereference, address: 0000000000000008");
}

static void log_warning(struct spoiled *spoiled)
{
	log_append(&spoiled->evidence, "------------[ cut here ]------------");
}

static void log_complaint(struct spoiled *spoiled)
{
	log_append(&spoiled->evidence, "ERROR: groups don't span domain->span");
}

static void log_stall(struct spoiled *spoiled)
{
	log_append(&spoiled->evidence, "rcu: INFO: rcu_preempt self-detected stall on CPU");
}

static void log_garbage(struct spoiled *spoiled)
{
	g_string_prepend(evidence_find(&spoiled->evidence, "kmsg")->text, "hello\n");
}

static const struct mutation mutations[] = {
	{"l3-in-sys", l3_in_sys, VERDICT_FAIL, "kernel.caches"},
	{"l3-in-sys-and-domains", l3_in_sys_and_domains, VERDICT_FAIL, "kernel.caches"},
	{"l3-in-domains-too", l3_in_sys_and_domains, VERDICT_FAIL, "domains.rules"},
	{"l2-in-sys", l2_in_sys, VERDICT_FAIL, "kernel.caches"},
	{"core-in-sys", core_in_sys, VERDICT_FAIL, "kernel.topology"},
	{"package-in-sys", package_in_sys, VERDICT_FAIL, "kernel.topology"},
	{"node-lost-cpu", node_lost_cpu, VERDICT_FAIL, "kernel.numa"},
	{"node-swapped-cpu", node_swapped_cpu, VERDICT_FAIL, "kernel.numa"},
	{"distance-in-sys", distance_in_sys, VERDICT_FAIL, "kernel.numa"},
	{"apic-id-in-cpuinfo", apic_id_in_cpuinfo, VERDICT_FAIL, "kernel.cpus"},
	{"model-in-cpuinfo", model_in_cpuinfo, VERDICT_FAIL, "kernel.cpus"},
	{"online-lost-cpu", online_lost_cpu, VERDICT_ERROR, "kernel.witness"},
	{"cpu-not-started", cpu_not_started, VERDICT_ERROR, "kernel.presence"},
	{"cpu-not-started-idle", cpu_not_started_on_idle_host, VERDICT_FAIL, "kernel.presence"},
	{"cpus-numbered-otherwise", cpus_numbered_otherwise, VERDICT_FAIL, "kernel.presence"},
	{"schedstat-version", schedstat_version, VERDICT_ERROR, "domains.observed"},
	{"schedstat-next-version", schedstat_next_version, VERDICT_ERROR, "domains.observed"},
	{"span-in-schedstat", span_in_schedstat, VERDICT_ERROR, "domains.observed"},
	{"span-changed", span_changed, VERDICT_FAIL, "domains.rules"},
	{"span-changed-disjoint", span_changed, VERDICT_FAIL, "invariants.disjoint"},
	{"spans-swapped", spans_swapped, VERDICT_FAIL, "domains.rules"},
	{"spans-swapped-nested", spans_swapped, VERDICT_FAIL, "invariants.nested"},
	{"spans-swapped-ordered", spans_swapped, VERDICT_FAIL, "invariants.ordered"},
	{"span-reaches-offline", span_reaches_offline, VERDICT_FAIL, "invariants.online"},
	{"top-span-cut", top_span_cut, VERDICT_FAIL, "invariants.meet"},
	{"own-cpu-left-out", own_cpu_left_out, VERDICT_FAIL, "invariants.own-span"},
	{"flag-lost", flag_lost, VERDICT_FAIL, "domains.rules"},
	{"flag-more", flag_more, VERDICT_FAIL, "domains.rules"},
	{"interval", interval_in_debugfs, VERDICT_FAIL, "domains.rules"},
	{"interval-invariant", interval_in_debugfs, VERDICT_FAIL, "invariants.intervals"},
	{"busy-factor", busy_factor_in_debugfs, VERDICT_FAIL, "domains.rules"},
	{"imbalance-pct", imbalance_in_debugfs, VERDICT_FAIL, "domains.rules"},
	{"groups-flag-lost", groups_flag_lost, VERDICT_FAIL, "domains.rules"},
	{"llc-id-in-debugfs", llc_id_in_debugfs, VERDICT_FAIL, "kernel.ids"},
	{"apic-id-in-debugfs", apic_id_in_debugfs, VERDICT_FAIL, "kernel.ids"},
	{"name-in-debugfs", name_in_debugfs, VERDICT_ERROR, "domains.observed"},
	{"name-changed", name_changed, VERDICT_FAIL, "domains.rules"},
	{"level-changed", level_changed, VERDICT_FAIL, "domains.rules"},
	{"domain-in-schedstat-lost", domain_in_schedstat_lost, VERDICT_ERROR, "domains.observed"},
	{"domain-lost", domain_lost, VERDICT_FAIL, "domains.rules"},
	{"domain-lost-meet", domain_lost, VERDICT_FAIL, "invariants.meet"},
	{"chain-lost", chain_lost, VERDICT_FAIL, "invariants.present"},
	{"without-cluster", levels_without_cluster, VERDICT_FAIL, "domains.rules"},
	{"unknown-without-cluster", unknown_without_cluster, VERDICT_SKIP, "domains.rules"},
	{"unknown-span-changed", unknown_span_changed, VERDICT_FAIL, "domains.rules"},
	{"domains-lost", domains_lost, VERDICT_FAIL, "invariants.present"},
	{"domains-lost-rules", domains_lost, VERDICT_FAIL, "domains.rules"},
	{"group-id-other", group_id_other, VERDICT_FAIL, "domains.rules"},
	{"first-group-empty", first_group_empty, VERDICT_FAIL, "invariants.groups-cover"},
	{"group-null", group_null, VERDICT_FAIL, "invariants.groups-cover"},
	{"cpu-in-schedstat-lost", cpu_in_schedstat_lost, VERDICT_ERROR, "domains.cpus"},
	{"group-lost-cpu", group_lost_cpu, VERDICT_FAIL, "invariants.groups-cover"},
	{"group-reaches-out", group_reaches_out, VERDICT_FAIL, "invariants.groups-cover"},
	{"group-balanced-from-outside", group_balanced_from_outside, VERDICT_FAIL,
	 "invariants.balance-mask"},
	{"groups-begin-elsewhere", groups_begin_elsewhere, VERDICT_FAIL, "invariants.first-group"},
	{"record-lost", record_lost, VERDICT_ERROR, "evidence.log"},
	{"groups-lost", groups_lost, VERDICT_ERROR, "domains.cpus"},
	{"log-cut", log_cut, VERDICT_ERROR, "domains.observed"},
	{"log-without-domains", log_without_domains, VERDICT_ERROR, "domains.cpus"},
	{"log-bug", log_bug, VERDICT_FAIL, "kernel.splats"},
	{"log-warning", log_warning, VERDICT_FAIL, "kernel.splats"},
	{"log-complaint", log_complaint, VERDICT_FAIL, "kernel.splats"},
	{"log-stall", log_stall, VERDICT_ERROR, "kernel.stalls"},
	{"log-garbage", log_garbage, VERDICT_ERROR, "evidence.log"},
};

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	mutations_add("kernel", mutations, G_N_ELEMENTS(mutations));
	return g_test_run();
}
