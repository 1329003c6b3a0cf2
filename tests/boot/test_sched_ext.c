// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's selftests of sched_ext, in slow mode: built from the sources of Debian's 7.3 with
 * all their BPF programs and passed there; Debian's 6.12 has no sched_ext, and is not given them.
 */
#include "../run_topolab.h"

/* Registered by the sources of 7.3, with what its runner's -t takes as a part of the name. */
static const struct wanted {
	const char *program;
	unsigned cases; /* 0: the exit status tells */
} wanted[] = {
	{"create_dsq", 1},
	{"dequeue", 3}, /* dequeue_iter, dequeue_remote */
	{"enq_last_no_enq_fails", 1},
	{"ddsp_bogus_dsq_fail", 1},
	{"ddsp_vtimelocal_fail", 1},
	{"dsp_local_on", 1},
	{"enable_cmask", 1},
	{"enq_select_cpu", 1},
	{"exit", 1},
	{"hotplug", 1},
	{"maximal", 1},
	{"maybe_null", 1},
	{"minimal", 1},
	{"non_scx_kfunc_deny", 1},
	{"numa", 1},
	{"allowed_cpus", 1},
	{"peek_dsq", 1},
	{"prog_run", 1},
	{"select_cpu_dfl", 2},	    /* select_cpu_dfl_nodispatch */
	{"select_cpu_dispatch", 3}, /* select_cpu_dispatch_bad_dsq, select_cpu_dispatch_dbl_dsp */
	{"select_cpu_vtime", 1},
	{"rt_stall", 0},
	{"example", 1},
	{"total_bw", 1},
	{"cyclic_kick_wait", 1},
};

static const char *check_text(const json_t *json, const char *name, const char *key)
{
	const json_t *check;
	size_t i;

	json_array_foreach (json_object_get(json, "checks"), i, check)
		if (g_strcmp0(json_string_value(json_object_get(check, "name")), name) == 0)
			return json_string_value(json_object_get(check, key));
	g_test_fail_printf("there is no check '%s'", name);
	return NULL;
}

static void assert_check(const json_t *json, const char *program, const char *verdict,
			 const char *reason)
{
	g_autofree char *name = g_strconcat("test.sched-ext-selftests.", program, NULL);
	const char *said = check_text(json, name, "reason");

	g_test_message("%s: %s", name, said);
	g_assert_cmpstr(check_text(json, name, "verdict"), ==, verdict);
	if (!g_str_has_prefix(said ? said : "", reason))
		g_test_fail_printf("%s: '%s' does not begin with '%s'", name, said, reason);
}

static void assert_7_3(const char *folder)
{
	json_t *json = result_load(folder, "nps1-mini/debian-7.3");

	for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++) {
		g_autofree char *subtests =
			g_strdup_printf("%u subtests passed after ", wanted[i].cases);

		assert_check(json, wanted[i].program, "PASS",
			     wanted[i].cases ? subtests : "exited with 0");
	}
	assert_check(json, "nohz_tick", "SKIP", "all subtests were skipped: nohz_tick");
	/* It has 256. */
	assert_check(json, "init_enable_count", "SKIP",
		     "it needs a machine with 1024 MiB of memory");
	json_decref(json);
}

static void assert_6_12(const char *folder)
{
	json_t *json = result_load(folder, "nps1-mini/debian-6.12");

	assert_check(json, "create_dsq", "SKIP",
		     "it needs CONFIG_SCHED_CLASS_EXT, which this kernel is built without");
	g_assert_cmpstr(check_text(json, "tests.run", "verdict"), ==, "SKIP");
	json_decref(json);
}

static void test_selftests(void)
{
	g_autofree char *folder = NULL;
	struct topolab_run run;

	if (!g_test_slow()) {
		g_test_skip(
			"sched_ext's selftests are built and run in slow mode (make check-all)");
		return;
	}
	folder = g_dir_make_tmp("topolab-scx-XXXXXX", NULL);
	run = topolab_run("run nps1-mini --kernel debian-7.3 --kernel debian-6.12 "
			  "--test sched-ext-selftests -o %s",
			  folder);
	g_assert_cmpint(run.status, ==, 0);
	assert_7_3(folder);
	assert_6_12(folder);
	topolab_run_clear(&run);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/sched-ext/selftests", test_selftests);
	return g_test_run();
}
