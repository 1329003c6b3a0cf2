// SPDX-License-Identifier: GPL-2.0-only
/*
 * git bisect run with topolab, through a history of 8 commits of a small kernel tree. Its kernels
 * are stubs that send evidence of real ones: of 7.3, which makes Granite Rapids in SNC-3 right, and
 * of 6.1, which does not (commit 4d6dd05d07d0 and the rework 528d89a4707e). In between lie two
 * commits that do not build and one whose guest sends nothing.
 */
#include "fault_run.h"

#include <zlib.h>

#define SAVED TOPOLAB_SOURCE "/tests/saved/gnr-snc3-mini-"

/* What decides about groups and levels is the same in Debian's configs of both. */
#define CONFIG                                                                                     \
	"# Linux/x86 6.12.0 Kernel Configuration\n"                                                \
	"CONFIG_ACPI_TABLE_UPGRADE=y\nCONFIG_NR_CPUS=8192\nCONFIG_NUMA=y\nCONFIG_SMP=y\n"          \
	"CONFIG_SCHED_CACHE=y\nCONFIG_SCHED_CLUSTER=y\nCONFIG_SCHED_DEBUG=y\n"                     \
	"CONFIG_SCHED_MC=y\nCONFIG_SCHED_MC_PRIO=y\nCONFIG_SCHED_SMT=y\nCONFIG_X86_X2APIC=y\n"

#define MAKEFILE                                                                                   \
	"bzImage:\n"                                                                               \
	"\t@mkdir -p arch/x86/boot\n"                                                              \
	"\t@cp image arch/x86/boot/bzImage\n"
#define BROKEN                                                                                     \
	"bzImage:\n"                                                                               \
	"\t@echo \"kernel/sched/topology.c:1:1: error: unknown type name 'strcut'\" >&2; exit 1\n"

static char *in_tree(const struct fault_place *place, const char *name)
{
	return g_build_filename(place->folder, "linux", name, NULL);
}

static void put(const struct fault_place *place, const char *name, const char *text)
{
	g_autofree char *path = in_tree(place, name);
	g_autofree char *folder = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

/* Runs git in the tree; its standard output, which the caller frees. */
static char *git(const struct fault_place *place, int wanted, const char *arguments)
{
	g_autofree char *tree = in_tree(place, NULL);
	g_autofree char *line = g_strdup_printf(
		"git -c user.name=a -c user.email=a@b -c init.defaultBranch=main %s", arguments);
	g_auto(GStrv) argv = NULL;
	g_autofree char *errors = NULL;
	g_autoptr(GError) error = NULL;
	char *output = NULL;
	int status;

	g_assert_true(g_shell_parse_argv(line, NULL, &argv, NULL));
	g_spawn_sync(tree, argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, &errors, &status,
		     &error);
	g_assert_no_error(error);
	g_test_message("%s\n%s%s", line, output, errors);
	g_assert_cmpint(WIFEXITED(status) ? WEXITSTATUS(status) : -1, ==, wanted);
	return output;
}

static void commit(const struct fault_place *place, const char *title)
{
	g_autofree char *arguments = g_strdup_printf("commit -q -a -m '%s' --allow-empty", title);
	g_autofree char *output = NULL;

	put(place, "title", title);
	output = git(place, 0, arguments);
}

/* An image that is @release and sends the evidence of @saved; NULL: it sends none. */
static void put_image(const struct fault_place *place, const char *release, const char *saved)
{
	g_autofree char *path = in_tree(place, "image");
	g_autofree char *evidence_path = g_strdup_printf(SAVED "%s/evidence.tar.gz", saved);
	g_autofree char *hello =
		g_strdup_printf("{\"type\":\"hello\",\"agent\":1,\"release\":\"%s\","
				"\"channel\":\"serial\"}\n",
				release);
	g_autofree char *spoke =
		g_strdup_printf("[    0.000000] Linux version %s (a@b)\r\n", release);
	struct stub stub = stub_new();

	memset(stub.image + 0x400, 0, 40);
	memcpy(stub.image + 0x400, release, strlen(release));
	stub_say(&stub, STUB_CONSOLE, spoke);
	stub_say(&stub, STUB_CHANNEL, hello);
	if (saved) {
		g_autofree char *evidence = NULL;
		g_autofree char *head = NULL;
		gsize length;

		g_assert_true(g_file_get_contents(evidence_path, &evidence, &length, NULL));
		head = g_strdup_printf("{\"type\":\"blob\",\"name\":\"evidence\",\"bytes\":%zu,"
				       "\"crc32\":%lu}\n",
				       length, crc32(0, (guint8 *)evidence, (uInt)length));
		stub_say(&stub, STUB_CHANNEL, head);
		stub_say_bytes(&stub, STUB_CHANNEL, evidence, length);
		stub_say(&stub, STUB_CHANNEL, "\n{\"type\":\"bye\"}\n");
	}
	stub_poweroff(&stub);
	stub_write(&stub, path);
}

static void set_up(struct fault_place *place, gconstpointer data)
{
	g_autofree char *cache = NULL;

	fault_place_set_up(place, data);
	/* What is built here is of no use to anybody later. */
	cache = g_build_filename(place->folder, "cache", NULL);
	g_setenv("TOPOLAB_CACHE", cache, TRUE);
}

static void make_history(const struct fault_place *place)
{
	put(place, "Kconfig", "");
	put(place, "arch/x86/Makefile", "");
	put(place, "Makefile", MAKEFILE);
	put(place, ".config", CONFIG);
	put(place, ".gitignore", ".config\nbzImage\n");
	put_image(place, "7.3.4+deb13-cloud-amd64", "7.3");
	g_free(git(place, 0, "init -q"));
	put(place, "title", "");
	g_free(git(place, 0, "add -A"));
	commit(place, "1 right");
	commit(place, "2 right");
	put_image(place, "7.3.4+deb13-cloud-amd64", NULL);
	commit(place, "3 sends nothing");
	/* The middle of what is asked for first. */
	put(place, "Makefile", BROKEN);
	commit(place, "4 does not build");
	put(place, "Makefile", MAKEFILE);
	put_image(place, "7.3.4+deb13-cloud-amd64", "7.3");
	commit(place, "5 right");
	put_image(place, "6.1.0-57-cloud-amd64", "6.1");
	commit(place, "6 guilty");
	put(place, "Makefile", BROKEN);
	commit(place, "7 does not build");
	put(place, "Makefile", MAKEFILE);
	commit(place, "8 wrong");
}

static void test_bisect(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *arguments = NULL;
	g_autofree char *output = NULL;
	g_autofree char *guilty = NULL;
	g_autofree char *status = NULL;

	make_history(place);
	g_free(git(place, 0, "bisect start HEAD HEAD~7"));
	arguments = g_strdup_printf("bisect run %s run --bisect --accel tcg gnr-snc3-mini "
				    "--kernel . --quiet",
				    place->program);
	output = git(place, 0, arguments);
	guilty = git(place, 0, "log -1 --format=%s refs/bisect/bad");
	g_assert_cmpstr(guilty, ==, "6 guilty\n");
	g_assert_nonnull(strstr(output, "is the first bad commit"));
	/* Neither the builds nor the results show up in the user's tree. */
	g_free(git(place, 0, "bisect reset"));
	status = git(place, 0, "status --porcelain");
	g_assert_cmpstr(status, ==, "");
}

/* What git is told of one commit of each kind. */
static void test_steps(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	static const struct {
		unsigned before_head;
		int status;
		const char *says;
	} steps[] = {
		{6, 0, "topolab: exit 0 (1 pass, "},
		{5, 125, "evidence.channel"},
		{4, 125, "' does not build: kernel/sched/topology.c:1:1: error: "},
		{2, 1, "topolab: exit 1 (0 pass, 1 fail, "},
	};
	g_autofree char *tree = in_tree(place, NULL);

	make_history(place);
	for (unsigned i = 0; i < G_N_ELEMENTS(steps); i++) {
		g_autofree char *checkout =
			g_strdup_printf("checkout -q main~%u", steps[i].before_head);
		g_autofree char *results = g_strdup_printf("%s/r%u", place->folder, i);
		struct topolab_run run;

		g_free(git(place, 0, checkout));
		run = topolab_run("run --bisect --accel tcg gnr-snc3-mini --kernel %s -o %s", tree,
				  results);
		g_assert_cmpint(run.status, ==, steps[i].status);
		g_assert_true(strstr(run.output, steps[i].says) ||
			      strstr(run.errors, steps[i].says));
		topolab_run_clear(&run);
	}
}

/* A word that is wrong must not make a commit bad: any status from 1 to 124 would. */
static void test_usage(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	static const char *const lines[] = {
		"run --bisect",
		"run --bisect no-such-machine --kernel /no/such",
		"run --bisect --no-such-option nps1-mini",
		"run --bis nps1-mini --kernel no-such-kernel",
		"run --bisect nps1-mini --jobs many",
		"run nps1-mini --accel none --bisect",
	};

	(void)place;
	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		struct topolab_run run = topolab_run("%s", lines[i]);

		g_assert_cmpint(run.status, ==, 128);
		topolab_run_clear(&run);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add("/bisect/history", struct fault_place, NULL, set_up, test_bisect,
		   fault_place_tear_down);
	g_test_add("/bisect/steps", struct fault_place, NULL, set_up, test_steps,
		   fault_place_tear_down);
	g_test_add("/bisect/usage", struct fault_place, NULL, set_up, test_usage,
		   fault_place_tear_down);
	return g_test_run();
}
