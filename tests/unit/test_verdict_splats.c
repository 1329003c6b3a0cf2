// SPDX-License-Identifier: GPL-2.0-only
#include "observe/observe.h"
#include "test_verdict_help.h"

static GPtrArray *log_of(const char *text)
{
	return observe_console(text, strlen(text));
}

static struct checks *judge_log(const char *text, const char *known, const struct domain_tree *tree,
				double vcpus_per_host_cpu)
{
	g_autoptr(GPtrArray) log = log_of(text);
	g_autoptr(GPtrArray) known_log = known ? log_of(known) : NULL;
	struct checks *checks = checks_new();

	check_splats(
		&(struct splat_input){
			.name = "kernel.splats",
			.stall_name = "kernel.stalls",
			.log = log,
			.known = known_log,
			.evidence = "kmsg",
			.tree = tree,
			.vcpus_per_host_cpu = vcpus_per_host_cpu,
		},
		checks);
	return checks;
}

/* Lines that Linux prints when something is wrong; the place that prints each is named. */
static const struct {
	const char *name, *text;
} bad_lines[] = {
	/* kernel/panic.c, __warn() through include/asm-generic/bug.h */
	{"warn",
	 "[    0.1] ------------[ cut here ]------------\n"
	 "[    0.100001] WARNING: CPU: 0 PID: 1 at arch/x86/kernel/smpboot.c:400 x+0x1/0x2\n"},
	/* arch/x86/mm/fault.c, show_fault_oops() */
	{"null",
	 "[    0.100000] BUG: kernel NULL pointer dereference, address: 0000000000000008\n"},
	/* arch/x86/kernel/dumpstack.c, __die_header() */
	{"oops", "[    0.100000] Oops: 0000 [#1] PREEMPT SMP NOPTI\n"},
	/* arch/x86/kernel/traps.c, exc_general_protection() */
	{"gpf", "[    0.100000] general protection fault, probably for non-canonical address\n"},
	/* lib/bug.c, report_bug() */
	{"bug", "[    0.100000] kernel BUG at kernel/sched/topology.c:1!\n"},
	/* arch/x86/mm/extable.c, ex_handler_msr() */
	{"msr", "[    0.100000] unchecked MSR access error: WRMSR to 0x1 (tried to write 0x0)\n"},
	/* kernel/sched/topology.c, build_sched_domain() */
	{"borken", "[    0.100000] BUG: arch topology borken\n"},
	/* kernel/locking/lockdep.c, assign_lock_key() */
	{"lockdep", "[    0.100000] INFO: trying to register non-static key.\n"},
	/* kernel/panic.c, panic() */
	{"panic", "[    0.100000] Kernel panic - not syncing: Attempted to kill init!\n"},
};

static void test_bad_line(gconstpointer data)
{
	AUTO(checks) *checks = judge_log(data, NULL, NULL, 0);
	const struct check *check = find_check(checks, "kernel.splats");

	assert_check(checks, "kernel.splats", VERDICT_FAIL, NULL);
	g_assert_nonnull(check->observed);
	g_assert_cmpstr(check->evidence, ==, "kmsg");
	assert_check(checks, "kernel.stalls", VERDICT_PASS, NULL);
}

/* Mitigations print "WARNING" on healthy machines. */
static void test_healthy(void)
{
	AUTO(checks) *checks = judge_log("[    0.000000] Linux version 6.12.117\n"
					 "[    0.100000] Speculative Return Stack Overflow: "
					 "WARNING: See https://kernel.org/\n"
					 "[    0.200000] Speculative Store Bypass: Vulnerable\n",
					 NULL, NULL, 128);

	assert_check(checks, "kernel.splats", VERDICT_PASS, NULL);
	assert_check(checks, "kernel.stalls", VERDICT_PASS, NULL);
}

static void test_empty_log(void)
{
	AUTO(checks) *checks = judge_log("", NULL, NULL, 0);

	assert_check(checks, "kernel.splats", VERDICT_ERROR, NULL);
}

/* The shape of the verbose log is sched_domain_debug_one()'s in kernel/sched/topology.c. */
static const char complaint[] =
	"[    0.700000] CPU4 attaching sched-domain(s):\n"
	"[    0.700000]  domain-0: span=4-5 level=SMT\n"
	"[    0.700000]   groups: 4:{ span=4 }, 5:{ span=5 }\n"
	"[    0.700000]   domain-1: span=4-7 level=MC\n"
	"[    0.700000]    groups: 4:{ span=4-5 }, 6:{ span=6-7 }\n"
	"[    0.700000]   domain-2: span=0-15 level=NUMA\n"
	"[    0.700000]    groups: 4:{ span=4-7 }, 8:{ span=8-11 }, 0:{ span=0-3 }\n"
	"[    0.700000] ERROR: groups don't span domain->span\n"
	"[    0.700000] CPU5 attaching sched-domain(s):\n"
	"[    0.700000]  domain-0: span=4-5 level=SMT\n";

static void test_groups_lack_cpus(void)
{
	AUTO(domain_tree) *tree = tree_of_scx_1434();
	AUTO(checks) *checks = NULL;
	const struct check *check;

	g_ptr_array_remove_index(domain_tree_get(tree, 4, 2)->groups, 2);
	checks = judge_log(complaint, NULL, tree, 0);
	assert_check(checks, "kernel.splats", VERDICT_FAIL, "4");
	check = find_check(checks, "kernel.splats");
	g_assert_cmpint(check->level, ==, 2);
	g_assert_cmpstr(check->observed, ==, "ERROR: groups don't span domain->span");
	/* tree_of_scx_1434(): the third group of CPU 4's top domain is 12-15. */
	g_assert_nonnull(strstr(check->reason, "the groups of NUMA lack CPUs 12-15 of its span"));
}

/* Without a tree, or one that does not go so far, the CPU and the level are still named. */
static void test_groups_without_tree(void)
{
	AUTO(domain_tree) *small = domain_tree_new();
	AUTO(checks) *with_none = judge_log(complaint, NULL, NULL, 0);
	AUTO(checks) *with_small = judge_log(complaint, NULL, small, 0);

	assert_check(with_none, "kernel.splats", VERDICT_FAIL, "4");
	assert_check(with_small, "kernel.splats", VERDICT_FAIL, "4");
}

/* A WARN right after the domains were printed is not about the last of them. */
static void test_other_splat_has_no_cpu(void)
{
	AUTO(checks) *checks = judge_log(
		"[    0.700000] CPU4 attaching sched-domain(s):\n"
		"[    0.700000]  domain-0: span=4-5 level=SMT\n"
		"[    0.700000]   groups: 4:{ span=4 }, 5:{ span=5 }\n"
		"[    0.700000] root domain span: 0-15\n"
		"[    0.700000] BUG: kernel NULL pointer dereference, address: 0000000000000008\n",
		NULL, NULL, 0);

	assert_check(checks, "kernel.splats", VERDICT_FAIL, NULL);
}

static void test_known_lines_are_left_out(void)
{
	AUTO(checks) *checks = judge_log(complaint, complaint, NULL, 0);

	assert_check(checks, "kernel.splats", VERDICT_PASS, NULL);
}

/* A healthy line of another CPU came between the cut and the warning, on the console alone. */
static void test_known_lines_excuse_no_splat(void)
{
	AUTO(checks) *checks =
		judge_log("[    9.000000] ------------[ cut here ]------------\n"
			  "[    0.100000] random: crng init done\n"
			  "[    9.000001] WARNING: CPU: 0 PID: 1 at kernel/cpu.c:1 x+0x1/0x2\n",
			  "[    0.100000] random: crng init done\n", NULL, 0);

	assert_check(checks, "kernel.splats", VERDICT_FAIL, NULL);
}

static const char stall[] =
	"[   60.000000] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:\n";
static const char lockup[] =
	"[   60.000000] watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [swapper/0:1]\n";
/* kernel/rcu/tree_exp.h, kernel/rcu/tasks.h, kernel/workqueue.c, kernel/hung_task.c */
static const char expedited[] = "[   60.000000] rcu: INFO: rcu_preempt detected expedited stalls "
				"on CPUs/tasks: { 3-.... } 5251 jiffies s: 53 root: 0x8/.\n";
static const char tasks[] = "[   60.000000] INFO: rcu_tasks detected stalls on tasks:\n";
static const char workqueue[] = "[   60.000000] BUG: workqueue lockup - pool cpus=3 node=0 "
				"flags=0x0 nice=0 stuck for 31s!\n";
static const char hung[] =
	"[  242.000000] INFO: task swapper/0:1 blocked for more than 120 seconds.\n";

/* The contract: a stall or a lockup on an overloaded host is the host's. */
static void test_stalls(void)
{
	static const char *const lines[] = {stall, lockup, expedited, tasks, workqueue, hung};

	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		AUTO(checks) *overloaded = judge_log(lines[i], NULL, NULL, 128);
		AUTO(checks) *idle = judge_log(lines[i], NULL, NULL, 1);

		assert_check(overloaded, "kernel.stalls", VERDICT_ERROR, NULL);
		assert_check(overloaded, "kernel.splats", VERDICT_PASS, NULL);
		assert_check(idle, "kernel.stalls", VERDICT_FAIL, NULL);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/verdict/splats/healthy", test_healthy);
	g_test_add_func("/verdict/splats/empty", test_empty_log);
	g_test_add_func("/verdict/splats/groups", test_groups_lack_cpus);
	g_test_add_func("/verdict/splats/no-tree", test_groups_without_tree);
	g_test_add_func("/verdict/splats/no-cpu", test_other_splat_has_no_cpu);
	g_test_add_func("/verdict/splats/known", test_known_lines_are_left_out);
	g_test_add_func("/verdict/splats/known-excuse", test_known_lines_excuse_no_splat);
	g_test_add_func("/verdict/splats/stalls", test_stalls);
	for (unsigned i = 0; i < G_N_ELEMENTS(bad_lines); i++) {
		g_autofree char *path =
			g_strdup_printf("/verdict/splats/line/%s", bad_lines[i].name);

		g_test_add_data_func(path, bad_lines[i].text, test_bad_line);
	}
	return g_test_run();
}
