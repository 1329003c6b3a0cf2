// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guests that end badly or send what they should not, each a whole `topolab run`. Verdicts and exit
 * statuses are those of the table in README.md ("Verdicts and exit status"); the sentences are what
 * a user needs to hear.
 */
#include "fault_run.h"

#include <archive.h>
#include <archive_entry.h>
#include <zlib.h>

#define SPOKE "[    0.000000] Linux version 6.12.117 (a@b)\r\n"
#define HELLO "{\"type\":\"hello\",\"agent\":1,\"release\":\"6.12.117\",\"channel\":\"serial\"}\n"
#define BYE   "{\"type\":\"bye\"}\n"

struct guest {
	const char *name;
	const char *console;
	const char *channel;
	void (*more)(struct stub *);
	void (*end)(struct stub *);
	int status; /* of topolab */
	const char *verdict;
	const char *check, *reason;
	unsigned boots; /* 0: one */
};

/* A blob named evidence: @member with one byte in it, gzipped. */
static void say_archive(struct stub *stub, const char *member, unsigned type)
{
	static guint8 buffer[65536];
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	g_autofree char *head = NULL;
	size_t used;

	archive_write_add_filter_gzip(archive);
	archive_write_set_format_ustar(archive);
	g_assert_cmpint(archive_write_open_memory(archive, buffer, sizeof(buffer), &used), ==, 0);
	archive_entry_set_pathname(entry, member);
	archive_entry_set_filetype(entry, type);
	archive_entry_set_perm(entry, 0644);
	if (type == AE_IFLNK)
		archive_entry_set_symlink(entry, "/etc/passwd");
	else
		archive_entry_set_size(entry, 1);
	g_assert_cmpint(archive_write_header(archive, entry), ==, 0);
	if (type != AE_IFLNK)
		g_assert_cmpint(archive_write_data(archive, "x", 1), ==, 1);
	archive_entry_free(entry);
	g_assert_cmpint(archive_write_close(archive), ==, 0);
	archive_write_free(archive);
	head = g_strdup_printf(
		"{\"type\":\"blob\",\"name\":\"evidence\",\"bytes\":%zu,\"crc32\":%lu}\n", used,
		crc32(0, buffer, (uInt)used));
	stub_say(stub, STUB_CHANNEL, head);
	stub_say_bytes(stub, STUB_CHANNEL, buffer, used);
	stub_say(stub, STUB_CHANNEL, "\n" BYE);
}

static void say_parent_path(struct stub *stub)
{
	say_archive(stub, "../../etc/passwd", AE_IFREG);
}

static void say_absolute_path(struct stub *stub)
{
	say_archive(stub, "/etc/passwd", AE_IFREG);
}

static void say_link(struct stub *stub)
{
	say_archive(stub, "proc", AE_IFLNK);
}

/* NULs, escapes, markup and bytes that are no UTF-8, before a line that must still be seen. */
static void say_controls(struct stub *stub)
{
	static const char text[] =
		"[    0.100000] \033]0;owned\007\033[2J <a href=\"x\">&amp; ]]> \xff\xfe\r\n"
		"\0\0[    0.200000] \0BUG: \033[31mred\033[0m ]]>&<\xc3\r\n";

	stub_say_bytes(stub, STUB_CONSOLE, text, sizeof(text) - 1);
}

#define WENT_DOWN "the guest went down by itself: a panic, a triple fault or a reset"
#define NO_PROGRESS                                                                                \
	"the kernel spoke, then made no progress: no byte came from the guest for 4 seconds"
#define NOTHING	 "not one byte came from the kernel: no byte came from the guest for 4 seconds"
#define UNUSABLE "the agent's stream is not usable: "

static const struct guest guests[] = {
	{
		.name = "panic",
		.console = SPOKE "[    0.1] Kernel panic - not syncing: IO-APIC + timer doesn't "
				 "work!\r\n",
		.end = stub_reset,
		.status = 1,
		.verdict = "FAIL",
		.check = "guest.ending",
		.reason = WENT_DOWN,
	},
	{
		/* What it says is Richard W.M. Jones', LKML, 5 July 2023. */
		.name = "stale-breakpoint",
		.console = SPOKE "[    3.093098] int3: 0000 [#1] PREEMPT SMP NOPTI\r\n"
				 "[    3.093098] Code: 83 e3 01 0f 85 54 ff ff ff 41 8b 4f 20 66 "
				 "<90> f7 c1 00 00 10 00 0f 84 23 01 00 00\r\n",
		.end = stub_reset,
		.status = 3,
		.verdict = "ERROR",
		.check = "lab.emulator",
		.reason = "QEMU's TCG executed a breakpoint that the kernel had already taken out "
			  "of its code, a race in QEMU: int3: 0000 [#1] PREEMPT SMP NOPTI",
		.boots = 3,
	},
	{
		.name = "controls",
		.console = SPOKE,
		.more = say_controls,
		.end = stub_reset,
		.status = 1,
		.verdict = "FAIL",
		.check = "console.splats",
		.reason = "the kernel printed what no healthy kernel prints",
	},
	{
		.name = "triple-fault",
		.console = SPOKE,
		.end = stub_triple_fault,
		.status = 1,
		.verdict = "FAIL",
		.check = "guest.ending",
		.reason = WENT_DOWN,
	},
	{
		.name = "reset-without-a-byte",
		.end = stub_reset,
		.status = 1,
		.verdict = "FAIL",
		.check = "guest.ending",
		.reason = WENT_DOWN,
	},
	{
		.name = "spin",
		.console = SPOKE,
		.end = stub_spin,
		.status = 1,
		.verdict = "TIMEOUT",
		.check = "guest.ending",
		.reason = NO_PROGRESS,
	},
	{
		.name = "halt-with-interrupts-off",
		.console = SPOKE,
		.end = stub_halt,
		.status = 1,
		.verdict = "TIMEOUT",
		.check = "guest.ending",
		.reason = NO_PROGRESS,
	},
	{
		.name = "never-speaks",
		.end = stub_spin,
		.status = 3,
		.verdict = "ERROR",
		.check = "guest.ending",
		.reason = NOTHING,
	},
	{
		.name = "hang-while-gathering",
		.console = SPOKE,
		.channel = HELLO,
		.end = stub_halt,
		.status = 1,
		.verdict = "TIMEOUT",
		.check = "guest.ending",
		.reason = NO_PROGRESS,
	},
	{
		.name = "poweroff-without-evidence",
		.console = SPOKE,
		.end = stub_poweroff,
		.status = 3,
		.verdict = "ERROR",
		.check = "evidence.channel",
		.reason = "the guest was done and sent no evidence",
	},
	{
		.name = "garbage",
		.console = SPOKE,
		.channel = "\x01\x02\xff{]\033[31m\n",
		.end = stub_poweroff,
		.status = 3,
		.verdict = "ERROR",
		.check = "evidence.channel",
	},
	{
		.name = "cut",
		.console = SPOKE,
		.channel = HELLO "{\"type\":\"blob\",\"name\":\"evidence\",\"bytes\":9000,"
				 "\"crc32\":1}\nabc",
		.end = stub_poweroff,
		.status = 3,
		.verdict = "ERROR",
		.check = "evidence.channel",
		.reason = UNUSABLE "the agent's stream, record 2 at byte 67: blob 'evidence' of "
				   "9000 bytes and a newline was cut short after 3 bytes",
	},
	{
		.name = "lies-about-its-length",
		.console = SPOKE,
		.channel = HELLO "{\"type\":\"blob\",\"name\":\"evidence\",\"bytes\":"
				 "9007199254740993,\"crc32\":1}\nabc\n" BYE,
		.end = stub_poweroff,
		.status = 3,
		.verdict = "ERROR",
		.check = "evidence.channel",
		.reason =
			UNUSABLE "the agent's stream, record 2 at byte 67: blob 'evidence' claims "
				 "9007199254740993 bytes, the limit is 67108864",
	},
	{
		.name = "parent-path",
		.console = SPOKE,
		.channel = HELLO,
		.more = say_parent_path,
		.end = stub_poweroff,
		.status = 3,
		.verdict = "ERROR",
		.check = "evidence.archive",
		.reason = "the evidence holds '../../etc/passwd', which is not a plain file below "
			  "its root",
	},
	{
		.name = "absolute-path",
		.console = SPOKE,
		.channel = HELLO,
		.more = say_absolute_path,
		.end = stub_poweroff,
		.status = 3,
		.verdict = "ERROR",
		.check = "evidence.archive",
		.reason = "the evidence holds '/etc/passwd', which is not a plain file below its "
			  "root",
	},
	{
		.name = "link",
		.console = SPOKE,
		.channel = HELLO,
		.more = say_link,
		.end = stub_poweroff,
		.status = 3,
		.verdict = "ERROR",
		.check = "evidence.archive",
		.reason = "the evidence holds 'proc', which is not a plain file below its root",
	},
};

/* No byte of a guest reaches the user's terminal as a command to it. */
static void assert_output_is_printable(const struct fault_run *run)
{
	const char *const files[] = {run->output, run->errors};

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *text = fault_text("/", files[i]);

		g_assert_true(g_utf8_validate(text, -1, NULL));
		for (const char *p = text; *p; p++)
			g_assert_true((guchar)*p >= 0x20 || *p == '\n');
	}
}

/* The guest was booted so often, and of each boot its files are there. */
static void assert_boots(const struct fault_run *run, const json_t *result, unsigned boots)
{
	g_assert_cmpint(json_integer_value(json_object_get(result, "boots")), ==, boots);
	for (unsigned i = 1; i <= boots; i++) {
		g_autofree char *aside = g_strdup_printf("small/.stub-boot-%u/result.json", i);
		g_autofree char *path = g_build_filename(run->folder, aside, NULL);

		g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS) == (i < boots));
	}
}

static bool is_starved(const struct fault_run *run)
{
	json_t *result = result_load(run->folder, "small/stub");
	bool starved =
		g_strcmp0(json_string_value(json_object_get(result, "ending")), "starved") == 0;

	json_decref(result);
	return starved;
}

static void test_guest(struct fault_place *place, gconstpointer data)
{
	const struct guest *guest = data;
	g_autofree char *kernel = g_build_filename(place->folder, "stub", NULL);
	g_autofree char *arguments = g_strdup_printf("--kernel %s --timeout 2", kernel);
	struct stub stub = stub_new();
	struct fault_run run;
	json_t *result;
	int status;

	if (guest->console)
		stub_say(&stub, STUB_CONSOLE, guest->console);
	if (guest->channel)
		stub_say(&stub, STUB_CHANNEL, guest->channel);
	if (guest->more)
		guest->more(&stub);
	guest->end(&stub);
	stub_write(&stub, kernel);
	run = fault_start(place, "run", arguments);
	status = fault_end(&run);
	if (is_starved(&run)) {
		g_test_skip("this host is too busy to tell a guest that hangs from one that waits");
		g_assert_cmpint(status, ==, 3);
		fault_run_clear(&run);
		return;
	}
	g_assert_cmpint(status, ==, guest->status);
	result = result_load(run.folder, "small/stub");
	g_assert_cmpstr(json_string_value(json_object_get(result, "verdict")), ==, guest->verdict);
	assert_boots(&run, result, MAX(guest->boots, 1));
	json_decref(result);
	assert_job_check(&run, "small/stub", guest->check, guest->verdict, guest->reason);
	assert_results_are_whole(&run);
	assert_output_is_printable(&run);
	fault_run_clear(&run);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(guests); i++) {
		g_autofree char *name = g_strdup_printf("/hostile/%s", guests[i].name);

		g_test_add(name, struct fault_place, &guests[i], fault_place_set_up, test_guest,
			   fault_place_tear_down);
	}
	return g_test_run();
}
