// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test programs in a guest: of the kernel's selftests, with the tests' own stand-in for a tree; and
 * a folder of programs that end in every way.
 */
#include "../run_topolab.h"

#define TREE	TOPOLAB_SOURCE "/tests/boot/linux"
#define HOSTILE TOPOLAB_SOURCE "/tests/boot/programs/hostile"

struct wanted {
	const char *check, *verdict, *reason; /* @reason: how it begins */
};

/* 2 s are 4 s under TCG and 2 s under KVM, so that the number is not held to. */
static const struct wanted wanted[] = {
	{"test.membarrier.single_thread", "PASS", "1 subtests passed"},
	{"test.membarrier.multi_thread", "PASS", "1 subtests passed"},
	{"test.hostile.good", "PASS", "exited with 0"},
	{"test.hostile.twice", "PASS", "exited with 0"},
	{"test.hostile.fails", "FAIL", "exited with 7; its last line: status 7"},
	{"test.hostile.skips", "SKIP", "it skipped itself; its last line: status 4"},
	{"test.hostile.crashes", "FAIL",
	 "it was ended by signal 11 (Segmentation fault), without a word"},
	{"test.hostile.sleeps", "TIMEOUT", "it was not done after "},
	{"test.hostile.floods", "TIMEOUT", "it was not done after "},
	{"test.hostile.talks", "PASS", "exited with 0"},
	{"test.hostile.breeds", "PASS", "exited with 0"},
	{"test.hostile.kills", "PASS", "exited with 0"},
	{"test.hostile.nested", "FAIL", "subtest outer/wrong failed"},
	{"test.hostile.short", "FAIL",
	 "its KTAP is not whole (it has 2 results where 3 were planned) and it exited with 0"},
	{"test.hostile.new", "SKIP", "it tests what kernels have since 99.0"},
	{"test.hostile.unbuilt", "SKIP", "it does not build: "},
	{"test.hostile.lacking", "SKIP",
	 "it needs CONFIG_THIS_IS_NO_OPTION, which this kernel is built without"},
	{"test.hostile.vast", "SKIP", "it needs a machine with 1048576 MiB of memory"},
	{"test.hostile.freezes", "FAIL", "1 processes of it did not end when they were killed"},
	/* Nor do they count against a program that comes later. */
	{"test.hostile.late", "PASS", "exited with 0"},
	{"tests.run", "PASS", "16 of 20 programs were given to the guest"},
};

static const json_t *find(const json_t *json, const char *list, const char *name)
{
	const json_t *entry;
	size_t i;

	json_array_foreach (json_object_get(json, list), i, entry)
		if (g_strcmp0(json_string_value(json_object_get(entry, "name")), name) == 0)
			return entry;
	g_test_fail_printf("there is no '%s' in '%s'", name, list);
	return NULL;
}

static void assert_check(const json_t *json, const struct wanted *row)
{
	const json_t *check = find(json, "checks", row->check);
	const char *reason = json_string_value(json_object_get(check, "reason"));

	g_test_message("%s", row->check);
	g_assert_cmpstr(json_string_value(json_object_get(check, "verdict")), ==, row->verdict);
	if (!g_str_has_prefix(reason ? reason : "", row->reason))
		g_test_fail_printf("%s: '%s' does not begin with '%s'", row->check, reason,
				   row->reason);
}

static void assert_output(const char *job, const char *name, const char *wanted_text)
{
	g_autofree char *file = g_strconcat(name, ".log", NULL);
	g_autofree char *path = g_build_filename(job, "tests", file, NULL);
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, wanted_text);
}

static gsize output_length(const char *job, const char *name)
{
	g_autofree char *path = g_build_filename(job, "tests", name, NULL);
	g_autofree char *text = NULL;
	gsize length = 0;

	g_assert_true(g_file_get_contents(path, &text, &length, NULL));
	return length;
}

static void assert_everything(const char *folder)
{
	g_autofree char *job = g_build_filename(folder, "nps1-mini", "debian-6.12", NULL);
	json_t *json = result_load(folder, "nps1-mini/debian-6.12");

	for (gsize i = 0; i < G_N_ELEMENTS(wanted); i++)
		assert_check(json, &wanted[i]);
	assert_output(job, "hostile.good", "two words of the test\n");
	assert_output(job, "hostile.late", "two words of the test\n");
	assert_output(job, "hostile.twice", "once\nonce\n");
	assert_output(job, "hostile.sleeps", "asleep\n");
	assert_output(job, "hostile.breeds", "bred\n");
	/* base/test_job.h: 1 MiB is kept; it prints 272 times 4 KiB. */
	g_assert_cmpuint(output_length(job, "hostile.talks.log"), ==, 1048576);
	g_assert_cmpint(json_integer_value(json_object_get(find(json, "programs", "hostile.talks"),
							   "dropped")),
			==, 65536);
	json_decref(json);
}

/* From its files alone every verdict comes out as it was. */
static void assert_judged_alike(const char *folder)
{
	struct topolab_run run = topolab_run("judge --write %s", folder);

	g_assert_cmpint(run.status, ==, 1);
	topolab_run_clear(&run);
	assert_everything(folder);
}

static void test_programs(void)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-programs-XXXXXX", NULL);
	struct topolab_run run =
		topolab_run("run nps1-mini --test membarrier --test %s --selftests %s -o %s",
			    HOSTILE, TREE, folder);

	/* README.md: 1 is FAIL or TIMEOUT. */
	g_assert_cmpint(run.status, ==, 1);
	g_assert_nonnull(strstr(run.errors, "testing hostile.floods"));
	assert_everything(folder);
	topolab_run_clear(&run);
	assert_judged_alike(folder);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/programs/run", test_programs);
	return g_test_run();
}
