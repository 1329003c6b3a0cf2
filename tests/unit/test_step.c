// SPDX-License-Identifier: GPL-2.0-only
/* Steps: what the agent is told, what it answers, and what they make of a machine. */
#include "base/error.h"
#include "expect/step.h"
#include "test_expect.h"

#define KERNEL "7.3.4+deb13-cloud-amd64"

/* Two packages of two cores of two threads; siblings are 2n and 2n+1. */
static const struct shape two_packages = {SAPPHIRE_RAPIDS,
					  .packages = 2,
					  .llcs = 1,
					  .cores = 2,
					  .threads = 2,
					  .nodes = 1,
					  .slit = "{other-package: 21}"};

static GPtrArray *parse(const char *const *texts)
{
	g_autoptr(GError) error = NULL;
	GPtrArray *steps = steps_parse(texts, &error);

	g_assert_no_error(error);
	return steps;
}

#define STEPS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Documentation/admin-guide/cgroup-v2.rst: the files of a cpuset partition. */
static void test_actions(void)
{
	g_autoptr(GPtrArray) steps =
		parse(STEPS("offline 5,2-3", "online 2", "smt off", "cpuset a 4-7 root",
			    "write /sys/kernel/debug/sched/verbose Y", "try offline 4"));
	g_autofree char *actions = steps_actions(steps);

	g_assert_cmpstr(actions, ==,
			"write /sys/devices/system/cpu/cpu5/online 0\n"
			"write /sys/devices/system/cpu/cpu2/online 0\n"
			"write /sys/devices/system/cpu/cpu3/online 0\n"
			"write /sys/devices/system/cpu/cpu2/online 1\n"
			"write /sys/devices/system/cpu/smt/control off\n"
			"mount cgroup2 /sys/fs/cgroup\n"
			"write /sys/fs/cgroup/cgroup.subtree_control +cpuset\n"
			"mkdir /sys/fs/cgroup/a\n"
			"write /sys/fs/cgroup/a/cpuset.cpus 4-7\n"
			"write /sys/fs/cgroup/a/cpuset.cpus.partition root\n"
			"write /sys/kernel/debug/sched/verbose Y\n"
			"try write /sys/devices/system/cpu/cpu4/online 0\n");
}

static void test_bad(void)
{
	static const char *const bad[] = {
		"",
		"offline",
		"offline x",
		"offline 1 2",
		"online",
		"smt",
		"smt maybe",
		"cpuset a 0-3",
		"cpuset a/b 0-3 root",
		"cpuset a 0-3 member",
		"write relative 1",
		"write /a/../b 1",
		"write /a",
		"offline  3",
		"reboot now",
		"write /a b\nwrite /c d",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(step) *step = step_parse(bad[i], &error);

		g_assert_null(step);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		g_assert_nonnull(error ? strstr(error->message, "'offline CPUS'") : NULL);
	}
}

static void test_bad_try(void)
{
	static const struct {
		const char *text, *words;
	} bad[] = {
		{"try", "is no step"},
		{"try ", "is no step"},
		{"try again", "'again' is no step"},
		{"try offline 2-3", "'try offline 2-3' tries more than one thing"},
		{"try cpuset a 0-3 root", "tries more than one thing"},
		{"try try offline 2", "tries more than one thing"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(step) *step = step_parse(bad[i].text, &error);

		g_assert_null(step);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		g_assert_nonnull(error ? strstr(error->message, bad[i].words) : NULL);
	}
}

static void assert_done(const char *answer, const char *message)
{
	g_autoptr(GPtrArray) steps = parse(STEPS("offline 2-3"));
	g_autoptr(GError) error = NULL;
	bool done = steps_take_answers(steps, answer, &error);

	g_assert_true(done == (message == NULL));
	g_assert_cmpstr(error ? error->message : NULL, ==, message);
}

static void test_answers(void)
{
	assert_done("ok write /sys/devices/system/cpu/cpu2/online 0\n"
		    "ok write /sys/devices/system/cpu/cpu3/online 0",
		    NULL);
	assert_done("ok write /sys/devices/system/cpu/cpu2/online 0\n"
		    "failed 16 write /sys/devices/system/cpu/cpu3/online 0",
		    "the guest could not 'write /sys/devices/system/cpu/cpu3/online 0': Device or "
		    "resource busy");
	assert_done("ok write /sys/devices/system/cpu/cpu2/online 0",
		    "the guest was to 'write /sys/devices/system/cpu/cpu3/online 0' and says "
		    "'nothing'");
	assert_done("ok write /sys/devices/system/cpu/cpu2/online 1",
		    "the guest was to 'write /sys/devices/system/cpu/cpu2/online 0' and says 'ok "
		    "write /sys/devices/system/cpu/cpu2/online 1'");
}

/* EBUSY is 16 on x86, include/uapi/asm-generic/errno-base.h. */
#define REFUSED                                                                                    \
	"failed 16 try write /sys/devices/system/cpu/cpu3/online 0\n"                              \
	"ok write /sys/devices/system/cpu/cpu2/online 0"

/* What was refused has not happened, and what came after it has. */
static void test_refusal(void)
{
	g_autoptr(GPtrArray) steps = parse(STEPS("try offline 3", "offline 2"));
	AUTO(topo) *topo = topo_of(&two_packages);
	AUTO(kernel_facts) *facts = kernel_facts_new(KERNEL, NULL);
	AUTO(situation) *situation = situation_new(topo, facts, "", NULL);
	g_autoptr(GError) error = NULL;
	g_autofree char *refused = step_answer(steps->pdata[0], REFUSED);
	g_autofree char *done = step_answer(steps->pdata[1], REFUSED);
	g_autofree char *unsaid = step_answer(steps->pdata[0], "ok try write /a 0");
	g_autofree char *online = NULL;

	g_assert_cmpstr(refused, ==, "EBUSY");
	g_assert_cmpstr(done, ==, "0");
	g_assert_null(unsaid);
	g_assert_true(steps_take_answers(steps, REFUSED, &error));
	g_assert_no_error(error);
	g_assert_true(steps_apply(steps, topo, situation, &error));
	online = cpus_to_list(situation->online);
	g_assert_cmpstr(online, ==, "0-1,3-7");
}

static struct domain_tree *after_with(const char *release, const char *line,
				      const char *const *texts)
{
	AUTO(topo) *topo = topo_of(&two_packages);
	AUTO(kernel_facts) *facts = kernel_facts_new(release, NULL);
	g_autoptr(GPtrArray) steps = parse(texts);
	g_autoptr(GError) error = NULL;
	AUTO(situation) *situation = situation_new(topo, facts, line, &error);
	struct domain_tree *tree;

	g_assert_true(steps_apply(steps, topo, situation, &error));
	g_assert_no_error(error);
	tree = expect_domains(topo, facts, situation, &error);
	g_assert_no_error(error);
	return tree;
}

static struct domain_tree *after(const char *line, const char *const *texts)
{
	return after_with(KERNEL, line, texts);
}

/* partition_sched_domains(): each partition has domains of its own; offline CPUs are in none. */
static void test_apply(void)
{
	AUTO(domain_tree) *offline = after("", STEPS("offline 1,4-7"));
	AUTO(domain_tree) *back =
		after("maxcpus=2 cpuhp.parallel=off", STEPS("online 2-7", "offline 7", "online 7"));
	AUTO(domain_tree) *parts = after("", STEPS("cpuset a 2-5 root", "offline 4"));
	AUTO(domain_tree) *alone = after("", STEPS("cpuset a 6-7 isolated"));
	AUTO(domain_tree) *threads = after("", STEPS("smt off"));

	assert_chain(offline, 0, "MC 0,2-3");
	assert_chain(offline, 2, "SMT 2-3; MC 0,2-3");
	g_assert_cmpuint(cpus_count(domain_tree_cpus(offline)), ==, 3);
	assert_chain(back, 0, "SMT 0-1; MC 0-3; NUMA 0-7");
	assert_chain(parts, 0, "SMT 0-1; NUMA 0-1,6-7");
	assert_chain(parts, 2, "SMT 2-3; NUMA 2-3,5");
	assert_chain(parts, 5, "NUMA 2-3,5");
	assert_chain(alone, 6, "");
	assert_chain(alone, 4, "SMT 4-5; NUMA 0-5");
	assert_chain(threads, 0, "MC 0,2; NUMA 0,2,4,6");
}

/*
 * __store_smt_control(): "on" does nothing where it is on. 2066f00e5b2d (6.17): it leaves a core
 * alone whose first thread is offline.
 */
static void test_smt_on(void)
{
	AUTO(domain_tree) *left = after("", STEPS("offline 2", "smt on"));
	AUTO(domain_tree) *nosmt = after_with("6.12.117", "nosmt", STEPS("smt on"));
	AUTO(domain_tree) *old =
		after_with("6.12.117", "", STEPS("smt off", "offline 2", "smt on"));
	AUTO(domain_tree) *new = after("", STEPS("smt off", "offline 2", "smt on"));

	assert_chain(left, 0, "SMT 0-1; MC 0-1,3; NUMA 0-1,3-7");
	assert_chain(nosmt, 0, "SMT 0-1; MC 0-3; NUMA 0-7");
	assert_chain(old, 0, "SMT 0-1; MC 0-3; NUMA 0-7");
	assert_chain(new, 0, "SMT 0-1; NUMA 0-1,4-7");
}

static void test_impossible(void)
{
	static const struct {
		const char *line, *step, *words;
	} rows[] = {
		{"", "offline 0", "which no x86 kernel does"},
		{"", "offline 8", "it has 0-7"},
		{"nr_cpus=4", "online 5", "it has 0-3"},
		{"", "cpuset a 6-9 root", "it has 0-7"},
	};
	AUTO(topo) *topo = topo_of(&two_packages);
	AUTO(kernel_facts) *facts = kernel_facts_new(KERNEL, NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autoptr(GPtrArray) steps = parse(STEPS(rows[i].step));
		g_autoptr(GError) error = NULL;
		AUTO(situation) *situation = situation_new(topo, facts, rows[i].line, NULL);

		g_assert_false(steps_apply(steps, topo, situation, &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
		g_assert_nonnull(error ? strstr(error->message, rows[i].words) : NULL);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/step/actions", test_actions);
	g_test_add_func("/step/bad", test_bad);
	g_test_add_func("/step/bad-try", test_bad_try);
	g_test_add_func("/step/answers", test_answers);
	g_test_add_func("/step/refusal", test_refusal);
	g_test_add_func("/step/apply", test_apply);
	g_test_add_func("/step/smt-on", test_smt_on);
	g_test_add_func("/step/impossible", test_impossible);
	return g_test_run();
}
