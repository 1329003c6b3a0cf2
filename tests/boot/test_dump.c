// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel with debug information that hangs, in slow mode: what names it gives to where it stands,
 * and a dump of its memory, opened by drgn as README.md tells to.
 */
#include "fault_run.h"

#include "kernel/kernel.h"
#include "kernel/symbols.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

#define KERNEL "lab-6.12+debug"
#define JOB    "small/" KERNEL
/* Of 0.0.x. */
#define DRGN_PATCH 31

static const char *skip_reason;

/* One run for all tests here. */
static struct {
	struct fault_place place;
	struct fault_run run;
	char *vmlinux, *memory, *banner;
} dump;

static void use_hostile_init(struct fault_place *place)
{
	g_autofree char *usual = g_path_get_dirname(place->program);
	g_autofree char *machine = fault_text("/", place->machine);
	g_autofree char *text = g_strconcat(machine, "boot: [hostile=wait]\n", NULL);

	g_free(place->program);
	place->program = g_build_filename(usual, "hostile", "topolab", NULL);
	g_assert_true(g_file_set_contents(place->machine, text, -1, NULL));
}

static void find_vmlinux(void)
{
	struct kernel_options options = {0};
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = kernel_get(KERNEL, &options, &error);
	AUTO(symbols) *symbols = NULL;

	g_assert_no_error(error);
	dump.vmlinux = kernel_vmlinux(kernel);
	symbols = dump.vmlinux ? symbols_open(dump.vmlinux, &error) : NULL;
	g_assert_no_error(error);
	dump.banner = symbols ? g_strdup(symbols_banner(symbols)) : NULL;
	if (!dump.vmlinux)
		skip_reason = "this " KERNEL " was built before vmlinux was kept; 'topolab cache "
			      "prune' makes room for another";
}

static void dump_make(void)
{
	fault_place_set_up(&dump.place, NULL);
	use_hostile_init(&dump.place);
	dump.run =
		fault_start(&dump.place, "run", "--kernel " KERNEL " --timeout 20 --dump-memory");
	g_assert_cmpint(fault_end(&dump.run), ==, 1);
	dump.memory = g_build_filename(dump.run.folder, JOB, "memory.elf", NULL);
}

static void dump_remove(void)
{
	fault_run_clear(&dump.run);
	fault_place_tear_down(&dump.place, NULL);
	g_free(dump.vmlinux);
	g_free(dump.memory);
	g_free(dump.banner);
}

static bool skipped(const char *program)
{
	g_autofree char *path = program ? g_find_program_in_path(program) : NULL;

	if (skip_reason)
		g_test_skip(skip_reason);
	else if (program && !path)
		g_test_skip_printf("this host has no '%s'", program);
	return skip_reason || (program && !path);
}

/* What a program says to @input, errors too. */
static char *answer_of(const char *const *argv, const char *input)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GSubprocess) process =
		g_subprocess_newv(argv,
				  G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
					  G_SUBPROCESS_FLAGS_STDERR_MERGE,
				  &error);
	g_autoptr(GBytes) in = g_bytes_new(input, strlen(input));
	g_autoptr(GBytes) out = NULL;
	char *text;

	g_assert_no_error(error);
	g_subprocess_communicate(process, in, NULL, &out, NULL, &error);
	g_assert_no_error(error);
	text = g_strndup(g_bytes_get_data(out, NULL), g_bytes_get_size(out));
	g_test_message("%s", text);
	return text;
}

static void assert_says(const char *text, const char *word)
{
	if (!strstr(text, word))
		g_test_fail_printf("'%s' is not in:\n%s", word, text);
}

/* "drgn 0.0.22 (using ...)": Debian 12's finds no page tables in a dump of physical memory. */
static bool drgn_is_old(void)
{
	const char *const argv[] = {"drgn", "--version", NULL};
	g_autofree char *text = answer_of(argv, "");
	unsigned major, minor, patch;

	if (sscanf(text, "drgn %u.%u.%u", &major, &minor, &patch) != 3) {
		g_test_fail_printf("drgn does not say its version but '%s'", text);
		return false;
	}
	if (major || minor || patch >= DRGN_PATCH)
		return false;
	g_test_skip_printf("drgn is 0.0.%u; 0.0.%u is known to read such dumps", patch, DRGN_PATCH);
	return true;
}

/* Memory of all kinds: the image, per-CPU data, slabs, and the stack of a task that sleeps. */
static void test_drgn(void)
{
	static const char script[] =
		"print(prog['linux_banner'].string_().decode())\n"
		"print('CPUs', list(drgn.helpers.linux.cpumask.for_each_online_cpu(prog)))\n"
		"task = drgn.helpers.linux.pid.find_task(prog, 1)\n"
		"print('task 1 is', task.comm.string_().decode())\n"
		"print(prog.stack_trace(task))\n";
	const char *const argv[] = {"drgn", "-q", "-c", dump.memory, "-s", dump.vmlinux, NULL};
	g_autofree char *text = NULL;

	if (skipped("drgn") || drgn_is_old())
		return;
	text = answer_of(argv, script);
	assert_says(text, dump.banner);
	assert_says(text, "CPUs [0, 1]");
	/* hostile_init.c waits in pause(). */
	assert_says(text, "task 1 is init");
	assert_says(text, " __do_sys_pause (");
	assert_says(text, "kernel/signal.c:");
}

/* What sysrq made it print, in lines of source of drivers/tty/sysrq.c and of idle CPUs. */
static void test_traces(void)
{
	g_autofree char *folder = NULL;
	g_autofree char *traces = NULL;
	g_autofree char *report = NULL;

	if (skipped(NULL))
		return;
	folder = g_build_filename(dump.run.folder, JOB, NULL);
	traces = fault_text(folder, "traces.log");
	report = fault_text("/", dump.run.output);
	assert_says(traces, " (drivers/tty/sysrq.c:");
	assert_says(traces, "do_idle+0x");
	assert_says(traces, " (kernel/sched/idle.c:");
	assert_says(report, "  traces    traces.log: the console with ");
	assert_says(report, " (arch/x86/");
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/dump/drgn", test_drgn);
	g_test_add_func("/dump/traces", test_traces);
	if (!g_test_slow()) {
		skip_reason = "it builds a debug kernel, in slow mode only";
		return g_test_run();
	}
	find_vmlinux();
	if (skip_reason)
		return g_test_run();
	dump_make();
	status = g_test_run();
	dump_remove();
	return status;
}
