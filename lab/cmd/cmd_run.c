// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"
#include "base/options.h"
#include "cmd/command.h"
#include "kernel/kernel.h"
#include "run/accel.h"
#include "run/gdb.h"
#include "run/run.h"
#include "run/tests.h"

#include <string.h>

enum {
	KEY_ACCEL = 256,
	KEY_CONNECT,
	KEY_TIMEOUT,
	KEY_DEADLINE,
	KEY_DUMP_MEMORY,
	KEY_GDB,
	KEY_OFFLINE,
	KEY_NO_BUILD,
	KEY_FORMAT,
	KEY_QUIET,
	KEY_TEST,
	KEY_SELFTESTS,
	KEY_SCHEDULER,
	KEY_REQUIRE_ALL,
	KEY_BISECT,
	KEY_SHARD,
	KEY_APPEND,
	KEY_STEP,
};

static const struct argp_option run_options[] = {
	{.name = "kernel",
	 .key = 'k',
	 .arg = "K",
	 .doc = "Boot K: a name from kernels/, a bzImage or a tree by path; may be repeated "
		"(default " KERNEL_DEFAULT ")"},
	{.name = "test",
	 .key = KEY_TEST,
	 .arg = "T",
	 .doc = "Judge T beside the sched domains, which are always judged: a test or a group of "
		"`topolab list tests`, or a test's folder by path; may be repeated"},
	{.name = "selftests",
	 .key = KEY_SELFTESTS,
	 .arg = "DIR",
	 .doc = "Take the kernel's selftests from the Linux tree DIR (default: the "
		"kernel's own sources, fetched if need be)"},
	{.name = "scheduler",
	 .key = KEY_SCHEDULER,
	 .arg = "FILE",
	 .doc = "Run FILE, a static program that loads a sched_ext scheduler, in each machine: it "
		"must be enabled, stay so under load and end without an error (the test "
		"sched-ext)"},
	{.name = "append",
	 .key = KEY_APPEND,
	 .arg = "ARGS",
	 .doc = "Boot with these kernel arguments as well"},
	{.name = "step",
	 .key = KEY_STEP,
	 .arg = "STEP",
	 .doc = "Before the guest is judged: 'offline CPUS', 'online CPUS', 'smt on', 'smt off', "
		"'cpuset NAME CPUS root' (or isolated), 'write FILE TEXT', or 'try' and one of "
		"these that "
		"the kernel may refuse; may be repeated"},
	{.name = "accel",
	 .key = KEY_ACCEL,
	 .arg = "auto|kvm|tcg",
	 .doc = "auto takes KVM if a kernel boots under it, else TCG"},
	{.name = "connect",
	 .key = KEY_CONNECT,
	 .arg = "URI",
	 .doc = "Run the guests on this libvirt instead of an embedded one"},
	{.name = "jobs",
	 .key = 'j',
	 .arg = "N",
	 .doc = "Run up to N guests at a time (default 1), as many as this host has CPUs and "
		"memory for"},
	{.name = "output",
	 .key = 'o',
	 .arg = "DIR",
	 .doc = "Put the results into DIR, which must be empty or new (default "
		"results/<UTC>-<pid>)"},
	{.name = "format",
	 .key = KEY_FORMAT,
	 .arg = "F",
	 .doc = "Print the report in the format F (default text)"},
	{.name = "timeout",
	 .key = KEY_TIMEOUT,
	 .arg = "S",
	 .doc = "End a guest after S seconds without progress (default 30); scaled by accelerator "
		"and vCPUs"},
	{.name = "deadline",
	 .key = KEY_DEADLINE,
	 .arg = "S",
	 .doc = "End a guest after S seconds, whatever it does"},
	{.name = "gdb",
	 .key = KEY_GDB,
	 .arg = "unix|PORT",
	 .flags = OPTION_ARG_OPTIONAL,
	 .doc = "Freeze the one guest until gdb lets it run, on a socket of its own (the default) "
		"or on PORT of 127.0.0.1; the command to type is printed"},
	{.name = "dump-memory",
	 .key = KEY_DUMP_MEMORY,
	 .doc = "Before a guest is ended by --timeout or --deadline, write its memory to "
		"memory.elf, for gdb and drgn"},
	{.name = "offline",
	 .key = KEY_OFFLINE,
	 .doc = "Fetch nothing: kernels come from the cache"},
	{.name = "no-build",
	 .key = KEY_NO_BUILD,
	 .doc = "Of a kernel's tree take the bzImage that is there"},
	{.name = "bisect",
	 .key = KEY_BISECT,
	 .doc = "Exit as git bisect run wants it: 0 PASS, 1 FAIL or TIMEOUT, 125 when the commit "
		"does not build or was not judged, 128 for bad usage"},
	{.name = "require-all",
	 .key = KEY_REQUIRE_ALL,
	 .doc = "Exit with 77 if anything was skipped, and nothing worse happened"},
	{.name = "shard",
	 .key = KEY_SHARD,
	 .arg = "I/N",
	 .doc = "Boot the Ith of N shares of the jobs, which together are all of them, each once; "
		"see matrix"},
	{.name = "quiet", .key = KEY_QUIET, .doc = "No progress on stderr"},
	{.name = "verbose", .key = 'v', .doc = "Report more"},
	{0},
};

static bool run_option(int key, const char *value, void *settings, GError **error)
{
	struct run_options *options = settings;

	switch (key) {
	case 'k':
		option_append(&options->kernels, value);
		return true;
	case 'j':
		return option_number("--jobs", value, 1, 64, &options->jobs, error);
	case 'o':
		options->folder = value;
		return true;
	case 'v':
		options->verbose = true;
		return true;
	case KEY_TEST:
		option_append(&options->tests, value);
		return true;
	case KEY_SELFTESTS:
		options->selftests = value;
		return true;
	case KEY_SCHEDULER:
		options->scheduler = value;
		option_append(&options->tests, TEST_SCHEDULER);
		return true;
	case KEY_APPEND:
		options->append = value;
		return true;
	case KEY_STEP:
		option_append(&options->steps, value);
		return true;
	case KEY_ACCEL:
		options->accel = accel_require(value, error);
		return options->accel != NULL;
	case KEY_CONNECT:
		options->uri = value;
		return true;
	case KEY_TIMEOUT:
		return option_number("--timeout", value, 1, 86400, &options->timeout_seconds,
				     error);
	case KEY_DEADLINE:
		return option_number("--deadline", value, 1, 86400, &options->deadline_seconds,
				     error);
	case KEY_GDB:
		return gdb_option(value, options, error);
	case KEY_DUMP_MEMORY:
		options->debug.dump_memory = true;
		return true;
	case KEY_OFFLINE:
		options->offline = true;
		return true;
	case KEY_NO_BUILD:
		options->no_build = true;
		return true;
	case KEY_FORMAT:
		options->format = report_format_require(value, error);
		return options->format != NULL;
	case KEY_BISECT:
		options->bisect = true;
		return true;
	case KEY_REQUIRE_ALL:
		options->require_all = true;
		return true;
	case KEY_SHARD:
		return shard_parse(value, &options->shard, error);
	case KEY_QUIET:
		options->quiet = true;
		return true;
	default:
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "run has no option %d", key);
		return false;
	}
}

static int run_run(char **arguments, void *settings, GError **error)
{
	struct run_options *options = settings;
	int status;

	options->topologies = arguments;
	options->accel = options->accel ?: "auto";
	options->jobs = options->jobs ?: 1;
	options->format = options->format ?: report_format_find("text");
	status = gdb_check(options, error) ? run_all(options, error) : 2;
	g_strfreev(options->kernels);
	g_strfreev(options->tests);
	g_strfreev(options->steps);
	return status;
}

/* getopt_long() takes a beginning for the whole. */
static bool asks_for_bisect(char **argv)
{
	for (unsigned i = 0; argv[i]; i++)
		if (g_str_has_prefix(argv[i], "--b") && g_str_has_prefix("--bisect", argv[i]))
			return true;
	return false;
}

/* To git bisect run any status from 1 to 124 says that the commit is bad. */
static int run_error_status(char **argv, const GError *error)
{
	if (!asks_for_bisect(argv))
		return error ? error_exit_status(error) : 2;
	return !error || g_error_matches(error, TOPOLAB_ERROR, ERROR_INPUT) ? BISECT_ABORT
									    : BISECT_SKIP;
}

const struct command command_run = {
	.name = "run",
	.arguments = "TOPOLOGY...",
	.summary = "Boot machines and judge what their kernels make of them",
	.details =
		"TOPOLOGY is a name from topologies/ or a file. Exit status: 0 pass; 1 a failure "
		"or a timeout; 2 bad usage or input; 3 the lab or the host failed; 77 everything "
		"was skipped.",
	.notes = report_format_notes,
	.options = run_options,
	.min_arguments = 1,
	.max_arguments = G_MAXUINT,
	.settings_size = sizeof(struct run_options),
	.option = run_option,
	.error_status = run_error_status,
	.run = run_run,
};
