// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs that make builds in a tree of selftests: a tree of three Makefiles which do what those
 * of Linux do with what they are given, and a clang that only says its version.
 */
#include "run/make_target.h"

#include "base/error.h"
#include "base/tree.h"

#include <glib/gstdio.h>
#include <string.h>

/* Both note that they ran. OUTPUT ends with a slash in the one and not in the other, as in Linux.
 */
static const char bpftool_makefile[] =
	"bootstrap:\n"
	"\tmkdir -p $(OUTPUT)bootstrap/libbpf/include\n"
	"\ttouch $(OUTPUT)bootstrap/bpftool $(OUTPUT)bootstrap/libbpf/libbpf.a\n"
	"\techo bpftool >>$(CURDIR)/../../../../ran\n";
static const char selftest_makefile[] =
	"$(OUTPUT)/runner: $(VMLINUX_BTF) $(BPFTOOL) $(BPFOBJ)\n"
	"\ttest -d \"$$C_INCLUDE_PATH\"\n"
	"\t$(CLANG) --version >$@\n"
	"\tcat $(VMLINUX_BTF) case.c >>$@\n"
	"\techo '$(LDFLAGS)' >>$@\n"
	"\techo selftest >>$(CURDIR)/../../../../../ran\n"
	"$(OUTPUT)/broken:\n"
	"\t@echo 'case.c:1: fatal error: openssl/evp.h: No such file' >&2; false\n";

struct world {
	char *base, *tree, *path_before;
};

static void write_file(const char *folder, const char *sub, const char *text)
{
	g_autofree char *path = g_build_filename(folder, sub, NULL);
	g_autofree char *parent = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(parent, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

/* In front of the PATH; what is behind may be new enough or not. */
static void set_clang(const struct world *world, const char *name, const char *version)
{
	g_autofree char *sub = g_build_filename("bin", name, NULL);
	g_autofree char *path = g_build_filename(world->base, sub, NULL);
	g_autofree char *text =
		g_strdup_printf("#!/bin/sh\necho 'Debian clang version %s (1)'\n", version);

	write_file(world->base, sub, text);
	g_assert_cmpint(g_chmod(path, 0755), ==, 0);
}

static void set_up(struct world *world, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *cache = NULL;
	g_autofree char *path = NULL;

	world->base = g_dir_make_tmp("target-XXXXXX", NULL);
	world->tree = g_build_filename(world->base, "tree", NULL);
	world->path_before = g_strdup(g_getenv("PATH"));
	cache = g_build_filename(world->base, "cache", NULL);
	path = g_strdup_printf("%s/bin:%s", world->base, world->path_before);
	g_setenv("TOPOLAB_CACHE", cache, TRUE);
	g_setenv("PATH", path, TRUE);
	write_file(world->tree, "tools/bpf/bpftool/Makefile", bpftool_makefile);
	write_file(world->tree, "tools/testing/selftests/x/Makefile", selftest_makefile);
	write_file(world->tree, "tools/testing/selftests/x/case.c", "case 1\n");
	set_clang(world, "clang", "19.1.7");
}

static void tear_down(struct world *world, gconstpointer data G_GNUC_UNUSED)
{
	g_setenv("PATH", world->path_before, TRUE);
	tree_remove(world->base, NULL);
	g_free(world->base);
	g_free(world->tree);
	g_free(world->path_before);
}

static char *build(const struct world *world, const char *name, const char *types, GError **error)
{
	const struct kernel_options options = {0};
	g_autoptr(GBytes) btf = g_bytes_new(types, strlen(types));
	g_autoptr(GBytes) bytes = make_target_program(
		&(struct make_target){
			.tree = world->tree,
			.folder = "x",
			.target = name,
			.btf = btf,
			.options = &options,
		},
		error);

	return bytes ? g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes)) : NULL;
}

static void assert_built(const struct world *world, const char *types, const char *wanted)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = build(world, "runner", types, &error);

	g_assert_no_error(error);
	g_assert_cmpstr(text, ==, wanted);
}

/* What ran since this was last asked. */
static void assert_ran(const struct world *world, const char *wanted)
{
	g_autofree char *path = g_build_filename(world->base, "ran", NULL);
	g_autofree char *text = NULL;

	g_file_get_contents(path, &text, NULL, NULL);
	g_assert_cmpstr(text ? text : "", ==, wanted);
	g_unlink(path);
}

#define BUILT(version, types, number)                                                              \
	"Debian clang version " version " (1)\n" types "case " number                              \
	"\n-static -s -lelf -lz -lzstd -lpthread\n"

static void test_cache(struct world *world, gconstpointer data G_GNUC_UNUSED)
{
	assert_built(world, "types 1\n", BUILT("19.1.7", "types 1\n", "1"));
	assert_ran(world, "bpftool\nselftest\n");
	/* Nothing changed. */
	assert_built(world, "types 1\n", BUILT("19.1.7", "types 1\n", "1"));
	assert_ran(world, "");
	/* The kernel's types, a source, the compiler. */
	assert_built(world, "types 2\n", BUILT("19.1.7", "types 2\n", "1"));
	assert_ran(world, "bpftool\nselftest\n");
	write_file(world->tree, "tools/testing/selftests/x/case.c", "case 2\n");
	assert_built(world, "types 2\n", BUILT("19.1.7", "types 2\n", "2"));
	assert_ran(world, "bpftool\nselftest\n");
	set_clang(world, "clang", "20.1.0");
	assert_built(world, "types 2\n", BUILT("20.1.0", "types 2\n", "2"));
	assert_ran(world, "bpftool\nselftest\n");
	/* What lies elsewhere in the tree: a helper of all selftests, libbpf. */
	write_file(world->tree, "tools/lib/bpf/libbpf.c", "libbpf 2\n");
	assert_built(world, "types 2\n", BUILT("20.1.0", "types 2\n", "2"));
	assert_ran(world, "bpftool\nselftest\n");
	assert_built(world, "types 1\n", BUILT("20.1.0", "types 1\n", "2"));
}

/* Debian 12's clang is 16, and clang-19 lies beside it. */
static void test_clang(struct world *world, gconstpointer data G_GNUC_UNUSED)
{
	g_autoptr(GError) error = NULL;

	set_clang(world, "clang", "16.0.6");
	set_clang(world, "clang-19", "19.1.4");
	assert_built(world, "types 1\n", BUILT("19.1.4", "types 1\n", "1"));
	set_clang(world, "clang-19", "18.1.8");
	g_assert_null(build(world, "runner", "types 1\n", &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_BUILD);
	g_assert_cmpstr(error->message, ==,
			"clang 19 or newer is missing (there is no such 'clang' or 'clang-19' in "
			"the PATH); 'ci/deps bpf' installs what building it takes");
}

static void test_broken(struct world *world, gconstpointer data G_GNUC_UNUSED)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(build(world, "broken", "types 1\n", &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_BUILD);
	g_assert_cmpstr(error->message, ==,
			"case.c:1: fatal error: openssl/evp.h: No such file; 'ci/deps bpf' "
			"installs what building it takes");
	/* One that failed leaves nothing behind that would pass for it. */
	g_clear_error(&error);
	g_assert_null(build(world, "broken", "types 1\n", &error));
}

/* As Debian, upstream, Ubuntu and gcc say it. */
static void test_version(void)
{
	g_assert_cmpuint(make_target_clang_version("Debian clang version 19.1.7 (3~deb12u1)\n"), ==,
			 19);
	g_assert_cmpuint(make_target_clang_version("clang version 20.1.0\n"), ==, 20);
	g_assert_cmpuint(make_target_clang_version("Ubuntu clang version 18.1.3 (1ubuntu1)\n"), ==,
			 18);
	g_assert_cmpuint(make_target_clang_version("gcc (Debian 12.2.0-14+deb12u1) 12.2.0\n"), ==,
			 0);
}

static void add(const char *path, void (*test)(struct world *, gconstpointer))
{
	g_test_add(path, struct world, NULL, set_up, test, tear_down);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	add("/make-target/cache", test_cache);
	add("/make-target/clang", test_clang);
	add("/make-target/broken", test_broken);
	g_test_add_func("/make-target/version", test_version);
	return g_test_run();
}
