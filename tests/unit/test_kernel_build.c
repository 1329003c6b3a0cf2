// SPDX-License-Identifier: GPL-2.0-only
/*
 * Building kernels, with a small tree of our own. Messages are those that gcc, ld and the kernel's
 * own Makefiles print.
 */
#include "kernel/kbuild.h"
#include "kernel/kconfig.h"

#include "test_tree.h"

#include "base/error.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

/* Every file of the tree, sorted, blank separated. */
static void list_files(const char *folder, const char *below, GPtrArray *names)
{
	g_autofree char *path = g_build_filename(folder, below, NULL);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *one = g_build_filename(below, name, NULL);
		g_autofree char *whole = g_build_filename(folder, one, NULL);

		if (g_file_test(whole, G_FILE_TEST_IS_DIR))
			list_files(folder, one, names);
		else
			g_ptr_array_add(names, g_steal_pointer(&one));
	}
}

static gint compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *files_of(const struct fixture *fixture)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);

	list_files(fixture->tree, "", names);
	g_ptr_array_sort(names, compare);
	g_ptr_array_add(names, NULL);
	return g_strjoinv(" ", (char **)names->pdata);
}

static void test_in_place(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *image =
		g_build_filename(fixture->tree, "arch", "x86", "boot", "bzImage", NULL);
	g_autofree char *files = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL;

	(void)data;
	put(fixture, ".config", "CONFIG_NR_CPUS=77\n", -1);
	kernel = get(fixture, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(kernel->name, ==, "linux");
	g_assert_true(g_file_test(image, G_FILE_TEST_IS_REGULAR));
	/* What a guest boots is a copy that no later build replaces. */
	g_assert_true(g_str_has_prefix(kernel->image_path, fixture->cache));
	/* Its symbols stay in the tree, which this one made none of. */
	g_assert_cmpstr(kernel->vmlinux, ==, NULL);
	g_assert_true(g_str_has_prefix(kernel->package, "built from /"));
	g_assert_cmpstr(kernel_facts_config(kernel->facts, "NR_CPUS"), ==, "77");
	/* What Linux's own make would have left, and nothing of ours. */
	files = files_of(fixture);
	g_assert_cmpstr(files, ==,
			".config Kconfig Makefile arch/x86/Makefile arch/x86/boot/bzImage image");
	g_assert_nonnull(strstr(fixture->said->str, ", in place\n"));
}

static void test_vmlinux(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *vmlinux = g_build_filename(fixture->tree, "vmlinux", NULL);
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL;

	(void)data;
	put(fixture, ".config", "CONFIG_NR_CPUS=78\n", -1);
	put(fixture, "vmlinux", "x", -1);
	kernel = get(fixture, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(kernel->vmlinux, ==, vmlinux);
}

static void test_in_cache(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *before = files_of(fixture);
	g_autofree char *after = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL, *again = NULL;

	(void)data;
	kernel = get(fixture, &error);
	g_assert_no_error(error);
	g_assert_true(g_str_has_prefix(kernel->image_path, fixture->cache));
	/* kernels/lab.config won over tinyconfig. */
	g_assert_cmpstr(kernel_facts_config(kernel->facts, "SMP"), ==, "y");
	after = files_of(fixture);
	g_assert_cmpstr(after, ==, before);
	g_assert_nonnull(strstr(fixture->said->str, "configuring "));

	g_string_truncate(fixture->said, 0);
	again = get(fixture, &error);
	g_assert_no_error(error);
	g_assert_null(strstr(fixture->said->str, "configuring "));
}

#define NOBODY 65534

static void give_to_nobody(const char *folder)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	g_assert_cmpint(chown(folder, NOBODY, NOBODY), ==, 0);
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_DIR))
			give_to_nobody(path);
		else
			g_assert_cmpint(chown(path, NOBODY, NOBODY), ==, 0);
	}
}

/* Through sudo what is built in the caller's tree is the caller's. */
static void test_owner(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *image =
		g_build_filename(fixture->tree, "arch", "x86", "boot", "bzImage", NULL);
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL;
	struct stat status;

	(void)data;
	if (geteuid() != 0) {
		g_test_skip("it takes root to act for another user");
		return;
	}
	put(fixture, ".config", "CONFIG_SMP=y\n", -1);
	give_to_nobody(fixture->folder);
	g_setenv("SUDO_UID", "65534", TRUE);
	g_setenv("SUDO_GID", "65534", TRUE);
	kernel = get(fixture, &error);
	g_unsetenv("SUDO_UID");
	g_unsetenv("SUDO_GID");
	g_assert_no_error(error);
	g_assert_cmpint(stat(image, &status), ==, 0);
	g_assert_cmpuint(status.st_uid, ==, NOBODY);
}

/* Another compiler, linker or ARCH than before would build all of the tree anew. */
static void test_same_tools(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *path = g_build_filename(fixture->tree, "tools", NULL);
	g_autofree char *llvm = NULL, *gcc = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *first = NULL, *second = NULL;

	(void)data;
	put(fixture, "Makefile",
	    MAKEFILE MAKE_IMAGE "\t@echo '$(CC) llvm=$(LLVM) arch=$(ARCH)' >tools\n", -1);
	put(fixture, ".config", "CONFIG_SMP=y\nCONFIG_LD_IS_LLD=y\n", -1);
	put(fixture, "init/.main.o.cmd", "savedcmd_init/main.o := ccache clang -Wp,-MMD,x\n", -1);
	first = get(fixture, &error);
	g_assert_no_error(error);
	g_assert_true(g_file_get_contents(path, &llvm, NULL, NULL));
	g_assert_cmpstr(llvm, ==, "ccache clang llvm=1 arch=\n");

	put(fixture, ".config", "CONFIG_SMP=y\n# CONFIG_LD_IS_LLD is not set\n", -1);
	put(fixture, "init/.main.o.cmd", "cmd_init/main.o := gcc-12 -Wp,-MMD,x\n", -1);
	second = get(fixture, &error);
	g_assert_no_error(error);
	g_assert_true(g_file_get_contents(path, &gcc, NULL, NULL));
	g_assert_cmpstr(gcc, ==, "gcc-12 llvm= arch=\n");
}

/* Kconfig drops an option whose dependencies are not met. What it does not know is only told. */
static void test_dropped(struct fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL, *again = NULL;

	(void)data;
	put(fixture, "Makefile",
	    MAKEFILE "\t@sed -i '/^CONFIG_NUMA=/d' $(OUT)/.config\n" MAKE_IMAGE, -1);
	kernel = get(fixture, &error);
	g_assert_no_error(error);
	g_assert_nonnull(strstr(fixture->said->str, " does not know these options: NUMA\n"));

	put(fixture, "init/Kconfig", "menuconfig NUMA\n\tbool\n", -1);
	g_assert_true(tree_remove(fixture->cache, NULL));
	again = get(fixture, &error);
	g_assert_null(again);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_BUILD);
	g_assert_nonnull(strstr(error->message, "its Kconfig drops NUMA; the config is '"));
}

/* @recipe of bzImage; the error that it must end in. */
static void assert_fails(struct fixture *fixture, const char *recipe, int code, const char *says)
{
	g_autofree char *makefile =
		g_strdup_printf("%sbzImage:\n\t@echo '  CC      a.o'\n\t@%s\n", MAKEFILE, recipe);
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL;

	put(fixture, "Makefile", makefile, -1);
	kernel = get(fixture, &error);
	g_assert_null(kernel);
	g_assert_error(error, TOPOLAB_ERROR, code);
	if (error && !strstr(error->message, says))
		g_test_fail_printf("'%s' does not say '%s'", error->message, says);
	/* What make printed is there to be read. */
	g_assert_nonnull(strstr(error->message, "log' is '") ?: strstr(error->message, "log is '"));
}

static void test_fails(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	assert_fails(fixture,
		     "echo \"kernel/sched/topology.c:12:3: error: expected ';'\" >&2; exit 1",
		     ERROR_BUILD,
		     "' does not build: kernel/sched/topology.c:12:3: error: expected ';'; the "
		     "whole log is '");
	assert_fails(fixture, "exit 1", ERROR_BUILD, "' does not build: make");
	assert_fails(fixture, "kill -KILL $$PPID", ERROR_LAB, "' was ended by signal 9 (Killed)");
}

static void test_no_tree(struct fixture *fixture, gconstpointer data)
{
	struct kernel_options options = {.no_build = true};
	g_autoptr(GError) none = NULL, unbuilt = NULL;

	(void)data;
	g_assert_null(kernel_get(fixture->folder, &options, &none));
	g_assert_error(none, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_nonnull(strstr(none->message, "' is no Linux tree: there is no Makefile, "));
	put(fixture, ".config", "", 0);
	g_assert_null(kernel_get(fixture->tree, &options, &unbuilt));
	g_assert_error(unbuilt, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_nonnull(strstr(unbuilt->message, "cannot read kernel '"));
}

static void test_no_build(struct fixture *fixture, gconstpointer data)
{
	struct kernel_options options = {.no_build = true};
	const struct utimbuf later = {G_MAXINT32, G_MAXINT32};
	g_autofree char *config = g_build_filename(fixture->tree, ".config", NULL);
	g_autoptr(GError) error = NULL, newer = NULL;
	AUTO(kernel) *built = NULL, *taken = NULL, *refused = NULL;

	(void)data;
	put(fixture, ".config", "CONFIG_SMP=y\n", -1);
	built = get(fixture, &error);
	g_assert_no_error(error);
	put(fixture, "Makefile", "bzImage:\n\tfalse\n", -1);
	taken = kernel_get(fixture->tree, &options, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(taken->sha256, ==, built->sha256);

	g_assert_cmpint(utime(config, &later), ==, 0);
	refused = kernel_get(fixture->tree, &options, &newer);
	g_assert_null(refused);
	g_assert_error(newer, TOPOLAB_ERROR, ERROR_INPUT);
	g_assert_nonnull(strstr(newer->message, "which may be built with another config"));
}

static void test_no_make(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *before = g_strdup(g_getenv("PATH"));
	g_autoptr(GError) error = NULL;

	(void)data;
	put(fixture, ".config", "", 0);
	g_setenv("PATH", fixture->folder, TRUE);
	g_assert_null(get(fixture, &error));
	g_setenv("PATH", before, TRUE);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_nonnull(strstr(error->message, "' needs 'make', which this host lacks"));
}

static void test_first_error(void)
{
	static const struct {
		const char *log, *error;
	} cases[] = {
		{"  CC      a.o\nIn file included from a.c:1:\na.h:3:10: fatal error: b.h: No such "
		 "file or directory\ncompilation terminated.\nmake[3]: *** [a.o] Error 1\n",
		 "a.h:3:10: fatal error: b.h: No such file or directory"},
		{"a.c:1:2: warning: x\na.c:7:2: error: 'y' undeclared\na.c:9:2: error: z\n",
		 "a.c:7:2: error: 'y' undeclared"},
		{"  LD      vmlinux\nld: kernel/sched/core.o: in function "
		 "`f':\ncore.c:(.text+0x1): "
		 "undefined reference to `g'\n",
		 "core.c:(.text+0x1): undefined reference to `g'"},
		{"make[1]: *** No rule to make target 'a.c', needed by 'a.o'.  Stop.\n",
		 "make[1]: *** No rule to make target 'a.c', needed by 'a.o'.  Stop."},
		{"***\n*** The source tree is not clean, please run 'make ARCH=x86_64 mrproper'\n",
		 "*** The source tree is not clean, please run 'make ARCH=x86_64 mrproper'"},
		{"/bin/sh: 1: flex: not found\nmake[2]: *** [scripts/Makefile.host:9: "
		 "scripts/kconfig/lexer.lex.c] Error 127\n",
		 "/bin/sh: 1: flex: not found"},
		{"a.S: Assembler messages:\na.S:3: Error: no such instruction: `x'\n",
		 "a.S:3: Error: no such instruction: `x'"},
		{"Makefile:256: *** source directory cannot contain spaces or colons.  Stop.\n",
		 "Makefile:256: *** source directory cannot contain spaces or colons.  Stop."},
		{"make[1]: *** Waiting for unfinished jobs....\n", NULL},
		{"  CC      a.o\nmake: *** [Makefile:224: __sub-make] Terminated\n", NULL},
		{"", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *error = kbuild_first_error(cases[i].log);

		g_assert_cmpstr(error, ==, cases[i].error);
	}
}

static void test_compiler(void)
{
	static const struct {
		const char *command, *compiler;
	} cases[] = {
		/* 6.12 and 6.1 */
		{"savedcmd_init/main.o := gcc -Wp,-MMD,init/.main.o.d -nostdinc\n", "gcc"},
		{"cmd_init/main.o := ccache gcc -Wp,-MMD,init/.main.o.d\n", "ccache gcc"},
		{"savedcmd_init/main.o := clang -Wp,-MMD,init/.main.o.d\n", "clang"},
		{"savedcmd_x := gcc\nsource_x := a -b\n", NULL},
		{" :=  -x", NULL},
		{"", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *compiler = kbuild_compiler(cases[i].command);

		g_assert_cmpstr(compiler, ==, cases[i].compiler);
	}
}

#define TEST(name, function)                                                                       \
	g_test_add("/kernel/build/" name, struct fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	TEST("in-place", test_in_place);
	TEST("vmlinux", test_vmlinux);
	TEST("in-cache", test_in_cache);
	TEST("owner", test_owner);
	TEST("same-tools", test_same_tools);
	TEST("dropped", test_dropped);
	TEST("fails", test_fails);
	TEST("no-tree", test_no_tree);
	TEST("no-build", test_no_build);
	TEST("no-make", test_no_make);
	g_test_add_func("/kernel/build/first-error", test_first_error);
	g_test_add_func("/kernel/build/compiler", test_compiler);
	return g_test_run();
}
