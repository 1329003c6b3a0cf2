// SPDX-License-Identifier: GPL-2.0-only
/* The last look at guests that hang: Linux with hostile_init.c, which waits for ever, and stubs. */
#include "fault_run.h"

#include <elf.h>

#define LINUX_JOB "small/debian-6.12"
#define STUB_JOB  "small/stub"

static guint count(const char *text, const char *word)
{
	guint n = 0;

	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		n++;
	return n;
}

static char *job_file(const struct fault_run *run, const char *job, const char *name)
{
	g_autofree char *folder = g_build_filename(run->folder, job, NULL);

	return fault_text(folder, name);
}

/* The machine has two vCPUs. */
static void assert_registers(const struct fault_run *run, const char *job)
{
	g_autofree char *text = job_file(run, job, "registers.txt");

	g_assert_cmpuint(count(text, "CPU#"), ==, 2);
	g_assert_cmpuint(count(text, "IP="), ==, 2);
}

static const char *part_problem(const json_t *look, const char *part)
{
	const json_t *parts = json_object_get(look, "parts");

	g_assert_nonnull(json_object_get(parts, part));
	return json_string_value(json_object_get(parts, part));
}

static void assert_verdict(const json_t *result, const char *verdict, const char *ending)
{
	g_assert_cmpstr(json_string_value(json_object_get(result, "verdict")), ==, verdict);
	g_assert_cmpstr(json_string_value(json_object_get(result, "ending")), ==, ending);
}

/* An ELF core of all that the machine has: 192 MiB, and firmware's flash below 4 GiB. */
static void assert_memory(const struct fault_run *run)
{
	g_autofree char *path = g_build_filename(run->folder, LINUX_JOB, "memory.elf", NULL);
	g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);
	Elf64_Ehdr header;
	guint64 loaded = 0;

	g_assert_nonnull(file);
	memcpy(&header, g_mapped_file_get_contents(file), sizeof(header));
	g_assert_cmpmem(header.e_ident, SELFMAG, ELFMAG, SELFMAG);
	g_assert_cmpint(header.e_type, ==, ET_CORE);
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment,
		       g_mapped_file_get_contents(file) + header.e_phoff + i * sizeof(segment),
		       sizeof(segment));
		if (segment.p_type == PT_LOAD && segment.p_paddr < (256u << 20))
			loaded += segment.p_filesz;
		g_assert_cmpuint(segment.p_offset + segment.p_filesz, <=,
				 g_mapped_file_get_length(file));
	}
	g_assert_cmpuint(loaded, ==, 192u << 20);
}

/* drivers/tty/sysrq.c, sysrq_showallcpus_op and sysrq_showstate_blocked_op */
static void assert_sysrq(const struct fault_run *run, const json_t *look)
{
	g_autofree char *console = job_file(run, LINUX_JOB, "console.log");
	gint64 unasked = json_integer_value(json_object_get(look, "console_bytes"));
	const char *title = strstr(console, "sysrq: Show backtrace of all active CPUs");
	const char *blocked = strstr(console, "sysrq: Show Blocked State");

	g_assert_cmpstr(part_problem(look, "sysrq-l"), ==, NULL);
	g_assert_cmpstr(part_problem(look, "sysrq-w"), ==, NULL);
	g_assert_nonnull(title);
	if (!title)
		return;
	g_assert_true(title - console >= unasked && blocked > title);
	g_assert_nonnull(strstr(title, "NMI backtrace for cpu 0"));
	g_assert_nonnull(strstr(title, "NMI backtrace for cpu 1"));
}

static void use_hostile_init(struct fault_place *place)
{
	g_autofree char *usual = g_path_get_dirname(place->program);
	g_autofree char *machine = fault_text("/", place->machine);
	g_autofree char *text = g_strconcat(machine, "boot: [hostile=wait]\n", NULL);

	g_free(place->program);
	place->program = g_build_filename(usual, "hostile", "topolab", NULL);
	g_assert_true(g_file_set_contents(place->machine, text, -1, NULL));
}

static void test_linux(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run;
	g_autofree char *report = NULL;
	json_t *result, *look;

	use_hostile_init(place);
	run = fault_start(place, "run", "--kernel debian-6.12 --timeout 10 --dump-memory");
	g_assert_cmpint(fault_end(&run), ==, 1);
	result = result_load(run.folder, LINUX_JOB);
	look = json_object_get(result, "look");
	assert_verdict(result, "TIMEOUT", "stalled");
	assert_registers(&run, LINUX_JOB);
	g_assert_cmpstr(part_problem(look, "registers"), ==, NULL);
	g_assert_cmpstr(part_problem(look, "memory"), ==, NULL);
	assert_memory(&run);
	assert_sysrq(&run, look);
	assert_job_check(&run, LINUX_JOB, "console.splats", "PASS", NULL);
	report = fault_text("/", run.output);
	g_assert_nonnull(strstr(report, "  look      registers.txt; memory.elf; sysrq-l: "));
	g_assert_nonnull(strstr(report, " at 0xffffffff"));
	assert_results_are_whole(&run);
	json_decref(result);
	fault_run_clear(&run);
}

static struct fault_run start_stub(const struct fault_place *place, void (*end)(struct stub *),
				   const char *options)
{
	g_autofree char *kernel = g_build_filename(place->folder, "stub", NULL);
	g_autofree char *arguments = g_strdup_printf("--kernel %s %s", kernel, options);
	struct stub stub = stub_new();

	stub_say(&stub, STUB_CONSOLE, "[    0.000000] Linux version 6.12.117 (a@b)\r\n");
	end(&stub);
	stub_write(&stub, kernel);
	return fault_start(place, "run", arguments);
}

/* A kernel that takes no keys: that is said, and its registers are there. */
static void test_deaf(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_stub(place, stub_halt, "--timeout 2");
	json_t *result, *look, *first;

	g_assert_cmpint(fault_end(&run), ==, 1);
	result = result_load(run.folder, STUB_JOB);
	look = json_object_get(result, "look");
	assert_verdict(result, "TIMEOUT", "stalled");
	assert_registers(&run, STUB_JOB);
	g_assert_true(
		g_str_has_prefix(part_problem(look, "sysrq-l"), "the kernel did not answer: "));
	g_assert_null(json_object_get(json_object_get(look, "parts"), "memory"));
	/* Its code lies below the 1 MiB of real mode, and the second CPU was never started. */
	first = json_array_get(json_object_get(look, "places"), 0);
	g_assert_cmpstr(json_string_value(json_object_get(first, "vcpus")), ==, "0");
	g_assert_cmpstr(json_string_value(json_object_get(first, "state")), ==, "halted");
	assert_results_are_whole(&run);
	json_decref(result);
	fault_run_clear(&run);
}

/* It speaks without end, so that only the deadline ends it. */
static void test_deadline(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_stub(place, stub_dots, "--deadline 15");
	json_t *result;

	g_assert_cmpint(fault_end(&run), ==, 3);
	result = result_load(run.folder, STUB_JOB);
	assert_verdict(result, "ERROR", "stopped");
	g_assert_cmpstr(json_string_value(json_object_get(result, "ending_detail")), ==,
			"the deadline of 15 seconds passed");
	assert_registers(&run, STUB_JOB);
	assert_results_are_whole(&run);
	json_decref(result);
	fault_run_clear(&run);
}

/* QEMU stops answering while it is looked at: the verdict is the same, after vm/patience.c's time.
 */
static void test_wedged(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_stub(place, stub_halt, "--timeout 2");
	json_t *result;
	gint64 begun;
	pid_t qemu;

	g_assert_true(fault_wait_for(&run, ": booting"));
	qemu = fault_wait_process(place, &run, "qemu-system-");
	g_assert_true(fault_wait_for(&run, ": looking"));
	kill(qemu, SIGSTOP);
	begun = g_get_monotonic_time();
	g_assert_cmpint(fault_end(&run), ==, 1);
	/* A part's time, and what ending takes on a busy host; not all parts' after one another. */
	g_assert_cmpint(g_get_monotonic_time() - begun, <, 50 * G_USEC_PER_SEC);
	result = result_load(run.folder, STUB_JOB);
	assert_verdict(result, "TIMEOUT", "stalled");
	assert_results_are_whole(&run);
	json_decref(result);
	fault_run_clear(&run);
}

/* Ctrl-C does not wait for the look. */
static void test_interrupted(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start_stub(place, stub_halt, "--timeout 2");

	g_assert_true(fault_wait_for(&run, ": looking"));
	kill(run.pid, SIGINT);
	g_assert_cmpint(fault_end(&run), ==, 1);
	assert_results_are_whole(&run);
	fault_run_clear(&run);
}

#define TEST(name)                                                                                 \
	g_test_add("/look/" #name, struct fault_place, NULL, fault_place_set_up, test_##name,      \
		   fault_place_tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	TEST(linux);
	TEST(deaf);
	TEST(deadline);
	TEST(wedged);
	TEST(interrupted);
	return g_test_run();
}
