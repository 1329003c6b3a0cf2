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

static struct domain_tree *after(const char *line, const char *const *texts)
{
	AUTO(topo) *topo = topo_of(&two_packages);
	AUTO(kernel_facts) *facts = kernel_facts_new(KERNEL, NULL);
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

/* "offline 3" leaves MC at 4 to 8 ms on 6.12.117 and makes it 3 to 6 on 6.1.192, by their boots. */
static void test_weight_of_the_gone(void)
{
	static const struct {
		const char *release, *step;
		gint64 min_interval;
	} cases[] = {
		{"6.1.192", "offline 3", 3}, {"6.12.117", "offline 3", -1},
		{"6.12.117", "smt off", -1}, {"6.12.117", "online 3", 4},
		{"7.3.4", "offline 3", 3},
	};
	const struct shape shape = {SAPPHIRE_RAPIDS, .packages = 1, .llcs = 1,
				    .cores = 4,	     .threads = 1,  .nodes = 1};
	AUTO(topo) *topo = topo_of(&shape);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(kernel_facts) *facts = kernel_facts_new(cases[i].release, NULL);
		g_autoptr(GPtrArray) steps = parse(STEPS(cases[i].step));
		AUTO(situation) *situation = situation_new(topo, facts, "", NULL);
		AUTO(domain_tree) *tree = NULL;

		g_assert_true(steps_apply(steps, topo, situation, NULL));
		tree = expect_domains(topo, facts, situation, NULL);
		g_assert_cmpint(domain_tree_get(tree, 0, 0)->number[DOMAIN_MIN_INTERVAL], ==,
				cases[i].min_interval);
	}
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
	g_test_add_func("/step/weight-of-the-gone", test_weight_of_the_gone);
	g_test_add_func("/step/impossible", test_impossible);
	return g_test_run();
}
