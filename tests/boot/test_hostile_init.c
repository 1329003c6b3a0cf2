// SPDX-License-Identifier: GPL-2.0-only
/*
 * Linux itself with a first program that means harm (hostile_init.c), in the agent's place: the
 * binary runs from a folder of its own, beside another file named agent.
 */
#include "fault_run.h"

struct mode {
	const char *name;
	int status; /* of topolab */
	const char *verdict;
	const char *check, *reason;
	const char *console; /* what the kernel must have said; NULL: anything */
};

static const struct mode modes[] = {
	{
		.name = "die",
		.status = 1,
		.verdict = "FAIL",
		.check = "console.splats",
		.reason = "the kernel printed what no healthy kernel prints",
		/* kernel/exit.c, do_exit() of PID 1 */
		.console = "Kernel panic - not syncing: Attempted to kill init!",
	},
	{
		.name = "reboot",
		.status = 1,
		.verdict = "FAIL",
		.check = "guest.ending",
		.reason = "the guest went down by itself: a panic, a triple fault or a reset",
		/* kernel/reboot.c, kernel_restart() */
		.console = "reboot: Restarting system",
	},
	{
		.name = "stream",
		.status = 3,
		.verdict = "ERROR",
		.check = "guest.ending",
		.reason = "the guest sent more than any guest should: the guest sent more than "
			  "67108864 bytes to its 'channel.bin'",
	},
};

static void test_mode(struct fault_place *place, gconstpointer data)
{
	const struct mode *mode = data;
	g_autofree char *machine = fault_text("/", place->machine);
	g_autofree char *text = g_strdup_printf("%sboot: [hostile=%s]\n", machine, mode->name);
	g_autofree char *usual = g_path_get_dirname(place->program);
	char *program = g_build_filename(usual, "hostile", "topolab", NULL);
	struct fault_run run;
	g_autofree char *folder = NULL;
	g_autofree char *console = NULL;

	g_assert_true(g_file_set_contents(place->machine, text, -1, NULL));
	g_free(place->program);
	place->program = program;
	run = fault_start(place, "run", "--kernel debian-6.12");
	g_assert_cmpint(fault_end(&run), ==, mode->status);
	assert_job_check(&run, "small/debian-6.12", mode->check, mode->verdict, mode->reason);
	assert_results_are_whole(&run);
	folder = g_build_filename(run.folder, "small", "debian-6.12", NULL);
	console = fault_text(folder, "console.log");
	if (mode->console)
		g_assert_nonnull(strstr(console, mode->console));
	fault_run_clear(&run);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(modes); i++) {
		g_autofree char *name = g_strdup_printf("/hostile-init/%s", modes[i].name);

		g_test_add(name, struct fault_place, &modes[i], fault_place_set_up, test_mode,
			   fault_place_tear_down);
	}
	return g_test_run();
}
