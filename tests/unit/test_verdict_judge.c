// SPDX-License-Identifier: GPL-2.0-only
/* Jobs without evidence, or with evidence that is none: the table of verdicts. */
#include "test_verdict_help.h"
#include "topo/load.h"

static const char machine[] = "name: four\n"
			      "title: four CPUs\n"
			      "reference: {cpu: x, packages: x, l3_per_package: x, cores_per_l3: x,"
			      " threads_per_core: x, nodes_per_package: x, memory_per_node: x,"
			      " distances: x, numbering: x}\n"
			      "cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"
			      "packages: 1\n"
			      "l3_per_package: 1\n"
			      "cores_per_l3: 4\n"
			      "threads_per_core: 1\n"
			      "nodes_per_package: 1\n"
			      "memory_per_node: 512M\n"
			      "distances: [[10]]\n"
			      "numbering: threads-last\n";

static const char booted[] = "[    0.000000] Linux version 6.12.117\n[    0.900000] Run /init\n";
static const char panicked[] =
	"[    0.000000] Linux version 6.12.117\n"
	"[    0.500000] Kernel panic - not syncing: IO-APIC + timer doesn't work!\n";
/* As Debian's 6.12 prints it when its initramfs has no /init. */
static const char rootless[] =
	"[    0.000000] Linux version 6.12.117\n"
	"[    0.500000] Kernel panic - not syncing: VFS: Unable to mount root fs on "
	"unknown-block(0,0)\n";
static const char splat_then_rootless[] =
	"[    0.400000] BUG: kernel NULL pointer dereference, address: 0000000000000000\n"
	"[    0.500000] Kernel panic - not syncing: VFS: Unable to mount root fs on "
	"unknown-block(0,0)\n";
/* Richard W.M. Jones, LKML, 5 July 2023; the second as if the breakpoint were in the memory. */
static const char stale_breakpoint[] =
	"[    3.093098] int3: 0000 [#1] PREEMPT SMP NOPTI\n"
	"[    3.093098] Code: 41 8b 4f 20 66 <90> f7 c1 00 00\n"
	"[    3.093098] Kernel panic - not syncing: Fatal exception\n";
static const char breakpoint[] = "[    3.093098] int3: 0000 [#1] PREEMPT SMP NOPTI\n"
				 "[    3.093098] Code: 41 8b 4f 20 cc <90> f7 c1 00 00\n";
static const char stalled[] =
	"[    0.000000] Linux version 6.12.117\n"
	"[   60.000000] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\n";

static const struct scene_row {
	const char *name;
	enum ending ending;
	const char *console, *channel_problem, *evidence;
	double vcpus_per_host_cpu;
	enum verdict verdict;
	const char *check; /* that carries it */
	bool emulated;
} situations[] = {
	{"panic", ENDING_REBOOT, panicked, "cut", NULL, 1, VERDICT_FAIL, "console.splats"},
	{"stale-breakpoint", ENDING_REBOOT, stale_breakpoint, NULL, NULL, 1, VERDICT_ERROR,
	 "lab.emulator", true},
	{"stale-breakpoint-then-stall", ENDING_STALLED, stale_breakpoint, NULL, NULL, 1,
	 VERDICT_ERROR, "lab.emulator", true},
	{"stale-breakpoint-under-kvm", ENDING_REBOOT, stale_breakpoint, NULL, NULL, 1, VERDICT_FAIL,
	 "console.splats", false},
	{"breakpoint", ENDING_REBOOT, breakpoint, NULL, NULL, 1, VERDICT_FAIL, "console.splats",
	 true},
	{"no-root", ENDING_REBOOT, rootless, NULL, NULL, 1, VERDICT_ERROR, "guest.ending"},
	{"no-root-without-reboot", ENDING_STALLED, rootless, NULL, NULL, 1, VERDICT_ERROR,
	 "guest.ending"},
	{"splat-then-no-root", ENDING_REBOOT, splat_then_rootless, NULL, NULL, 1, VERDICT_FAIL,
	 "console.splats"},
	{"triple-fault", ENDING_REBOOT, booted, NULL, NULL, 1, VERDICT_FAIL, "guest.ending"},
	{"stall", ENDING_STALLED, booted, NULL, NULL, 1, VERDICT_TIMEOUT, "guest.ending"},
	{"panic-without-reboot", ENDING_STALLED, panicked, NULL, NULL, 1, VERDICT_FAIL,
	 "console.splats"},
	{"rcu-stall", ENDING_STALLED, stalled, NULL, NULL, 8, VERDICT_ERROR, "console.stalls"},
	{"rcu-stall-on-idle-host", ENDING_STALLED, stalled, NULL, NULL, 1, VERDICT_FAIL,
	 "console.stalls"},
	{"silent", ENDING_SILENT, "", NULL, NULL, 1, VERDICT_ERROR, "guest.ending"},
	{"died", ENDING_DIED, booted, NULL, NULL, 1, VERDICT_ERROR, "guest.ending"},
	{"crashed", ENDING_CRASHED, booted, NULL, NULL, 1, VERDICT_ERROR, "lab.emulator", true},
	{"crashed-under-kvm", ENDING_CRASHED, booted, NULL, NULL, 1, VERDICT_ERROR, "guest.ending",
	 false},
	{"died-at-once", ENDING_DIED, NULL, NULL, NULL, 1, VERDICT_ERROR, "guest.ending"},
	{"starved", ENDING_STARVED, booted, NULL, NULL, 1, VERDICT_ERROR, "guest.ending"},
	{"flooded", ENDING_FLOODED, booted, NULL, NULL, 1, VERDICT_ERROR, "guest.ending"},
	{"stopped", ENDING_STOPPED, booted, NULL, NULL, 1, VERDICT_ERROR, "guest.ending"},
	{"no-evidence", ENDING_POWEROFF, booted, NULL, NULL, 1, VERDICT_ERROR, "evidence.channel"},
	{"empty-console", ENDING_POWEROFF, "", NULL, NULL, 1, VERDICT_ERROR, "evidence.console"},
	{"channel-cut", ENDING_POWEROFF, booted, "it was cut", NULL, 1, VERDICT_ERROR,
	 "evidence.channel"},
	{"evidence-garbage", ENDING_POWEROFF, booted, NULL, "garbage", 1, VERDICT_ERROR,
	 "evidence.archive"},
	{"evidence-empty", ENDING_POWEROFF, booted, NULL, "", 1, VERDICT_ERROR, "evidence.archive"},
};

static void test_situation(gconstpointer data)
{
	const struct scene_row *situation = data;
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_load_text(machine, strlen(machine), "four.yaml", &error);
	AUTO(kernel_facts) *facts = kernel_facts_new("6.12.117", NULL);
	AUTO(judgement) *judgement = NULL;
	g_autoptr(GBytes) evidence = NULL;

	g_assert_no_error(error);
	if (situation->evidence)
		evidence = g_bytes_new_static(situation->evidence, strlen(situation->evidence));
	judgement = judge(&(struct verdict_input){
		.topo = topo,
		.facts = facts,
		.ending = situation->ending,
		.channel_problem = situation->channel_problem,
		.console = situation->console,
		.console_length = situation->console ? strlen(situation->console) : 0,
		.evidence = evidence,
		.vcpus_per_host_cpu = situation->vcpus_per_host_cpu,
		.emulated = situation->emulated,
	});
	g_assert_cmpstr(verdict_name(checks_verdict(judgement->checks)), ==,
			verdict_name(situation->verdict));
	assert_check(judgement->checks, situation->check, situation->verdict, NULL);
	g_assert_null(judgement->observed);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(situations); i++) {
		g_autofree char *path = g_strdup_printf("/verdict/judge/%s", situations[i].name);

		g_test_add_data_func(path, &situations[i], test_situation);
	}
	return g_test_run();
}
