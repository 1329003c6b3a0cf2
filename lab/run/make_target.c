// SPDX-License-Identifier: GPL-2.0-only
#include "run/make_target.h"

#include "run/compile.h"

#include "base/error.h"
#include "base/spawn.h"
#include "base/tree.h"
#include "kernel/folder_lock.h"
#include "kernel/kbuild.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SELFTESTS "tools/testing/selftests"
/* What clang 16 makes of 7.3's sched_ext selftests the verifier refuses, what 19 makes it takes. */
#define CLANG_LEAST   19
#define CLANG_PACKAGE "clang-19"
#define INSTALL	      "'ci/deps bpf' installs what building it takes"

/* A build that has begun: in a folder of its own, which is gone when it has ended. */
struct build {
	const struct make_target *target;
	const char *clang;
	char *out, *btf; /* absolute; the Makefile's $(OUTPUT) is out/ in @out */
};

/* All of the tree that the selftests' Makefiles, bpftool and libbpf read. */
static const char *const parts[] = {
	"include",
	"kernel/bpf",
	"scripts",
	"tools/arch",
	"tools/bpf",
	"tools/build",
	"tools/include",
	"tools/lib",
	"tools/scripts",
	"tools/sched_ext",
	SELFTESTS "/lib.mk",
	SELFTESTS "/kselftest.h",
	SELFTESTS "/kselftest_harness.h",
};

unsigned make_target_clang_version(const char *text)
{
	static const char words[] = "clang version ";
	const char *found = strstr(text, words);
	const char *number = found ? found + strlen(words) : "";
	g_autofree char *digits = g_strndup(number, strspn(number, G_CSET_DIGITS));
	guint64 version = 0;

	g_ascii_string_to_unsigned(digits, 10, 0, G_MAXUINT, &version, NULL);
	return (unsigned)version;
}

/* The first that is new enough, and what it says of itself. */
static const char *find_clang(char **version, GError **error)
{
	static const char *const names[] = {"clang", CLANG_PACKAGE};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		const char *const argv[] = {names[i], "--version", NULL};

		if (spawn_run(argv, NULL, version, NULL) &&
		    make_target_clang_version(*version) >= CLANG_LEAST)
			return names[i];
		g_clear_pointer(version, g_free);
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_BUILD,
		    "clang %u or newer is missing (there is no such '%s' or '%s' in the "
		    "PATH); " INSTALL,
		    CLANG_LEAST, names[0], names[1]);
	return NULL;
}

static void sum_text(GChecksum *sum, const char *text)
{
	g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
}

static bool sum_part(GChecksum *sum, const char *tree, const char *part, GError **error)
{
	g_autofree char *path = g_build_filename(tree, part, NULL);

	return tree_checksum(path, sum, error);
}

/* Of all that decides what the program will be. */
static char *inputs_sum(const struct make_target *target, const char *clang_version, GError **error)
{
	static const char *const gcc[] = {"gcc", "--version", NULL};
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *folder = g_build_filename(SELFTESTS, target->folder, NULL);
	g_autofree char *gcc_version = NULL;
	g_autoptr(GError) cause = NULL;

	if (!spawn_run(gcc, NULL, &gcc_version, &cause)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_BUILD, "%s; " INSTALL, cause->message);
		return NULL;
	}
	sum_text(sum, target->target);
	sum_text(sum, gcc_version);
	sum_text(sum, clang_version);
	g_checksum_update(sum, g_bytes_get_data(target->btf, NULL),
			  (gssize)g_bytes_get_size(target->btf));
	for (gsize i = 0; i < G_N_ELEMENTS(parts); i++)
		if (!sum_part(sum, target->tree, parts[i], error))
			return NULL;
	if (!sum_part(sum, target->tree, folder, error))
		return NULL;
	return g_strdup(g_checksum_get_string(sum));
}

static bool run_make(const char *const *argv, const char *const *environment, GError **error)
{
	g_autofree char *errors = NULL;
	g_autofree char *first = NULL;
	g_autoptr(GError) cause = NULL;
	struct spawn_options options = {.environment = environment, .errors = &errors};

	if (spawn_run(argv, &options, NULL, &cause))
		return true;
	first = errors ? kbuild_first_error(errors) : NULL;
	g_set_error(error, TOPOLAB_ERROR, ERROR_BUILD, "%s; " INSTALL, first ?: cause->message);
	return false;
}

/* bpftool, as far as it makes headers of types and of BPF programs, with a libbpf.a of its own. */
static bool build_bpftool(const struct build *build, const char *jobs, GError **error)
{
	g_autofree char *folder = g_build_filename(build->target->tree, "tools/bpf/bpftool", NULL);
	g_autofree char *output = g_strdup_printf("OUTPUT=%s/bpftool/", build->out);
	const char *const argv[] = {"make", "-s", jobs, "-C", folder, output, "bootstrap", NULL};

	return run_make(argv, NULL, error);
}

/*
 * libbpf is bpftool's: left to themselves the Makefiles would build one more, and a shared one with
 * it, which they cannot when all is linked statically. What is not needed of the libraries costs
 * nothing; libelf needs libzstd since elfutils 0.189.
 */
static bool build_program(const struct build *build, const char *jobs, GError **error)
{
	const char *out = build->out;
	g_autofree char *folder =
		g_build_filename(build->target->tree, SELFTESTS, build->target->folder, NULL);
	g_autofree char *output = g_strdup_printf("OUTPUT=%s/out", out);
	g_autofree char *bpftool = g_strdup_printf("BPFTOOL=%s/bpftool/bootstrap/bpftool", out);
	g_autofree char *libbpf =
		g_strdup_printf("BPFOBJ=%s/bpftool/bootstrap/libbpf/libbpf.a", out);
	g_autofree char *headers =
		g_strdup_printf("C_INCLUDE_PATH=%s/bpftool/bootstrap/libbpf/include", out);
	g_autofree char *btf = g_strdup_printf("VMLINUX_BTF=%s", build->btf);
	g_autofree char *clang = g_strdup_printf("CLANG=%s", build->clang);
	g_autofree char *target = g_build_filename(out, "out", build->target->target, NULL);
	const char *const environment[] = {headers, NULL};
	const char *const argv[] = {
		"make",
		"-s",
		jobs,
		"-C",
		folder,
		output,
		bpftool,
		libbpf,
		btf,
		clang,
		"LDFLAGS=-static -s -lelf -lz -lzstd -lpthread",
		target,
		NULL,
	};

	return run_make(argv, environment, error);
}

static bool build_all(const struct build *build, const char *result, GError **error)
{
	g_autofree char *jobs = g_strdup_printf("-j%u", g_get_num_processors());
	g_autofree char *made = g_build_filename(build->out, "out", build->target->target, NULL);

	if (!g_file_set_contents(build->btf, g_bytes_get_data(build->target->btf, NULL),
				 (gssize)g_bytes_get_size(build->target->btf), error) ||
	    !build_bpftool(build, jobs, error) || !build_program(build, jobs, error))
		return false;
	if (rename(made, result) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot rename '%s' to '%s': %s", made, result,
		    g_strerror(errno));
	return false;
}

static bool make_folder(const char *folder, const char *name, GError **error)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	if (g_mkdir_with_parents(path, 0755) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make '%s': %s", path,
		    g_strerror(errno));
	return false;
}

static bool make_program(const struct make_target *target, const char *clang, const char *path,
			 GError **error)
{
	g_autofree char *out = g_strconcat(path, ".part", NULL);
	g_autofree char *btf = g_build_filename(out, "btf", NULL);
	const struct build build = {.target = target, .clang = clang, .out = out, .btf = btf};
	bool ok;

	/* The lock is ours: whoever left one is gone. */
	if (!tree_remove(out, error) || !make_folder(out, "bpftool", error) ||
	    !make_folder(out, "out", error))
		return false;
	kernel_say(target->options, "building '%s' of the selftests '%s', which takes minutes once",
		   target->target, target->folder);
	ok = build_all(&build, path, error);
	return tree_remove(out, ok ? error : NULL) && ok;
}

GBytes *make_target_program(const struct make_target *target, GError **error)
{
	g_autofree char *sources = g_build_filename(target->tree, SELFTESTS, target->folder, NULL);
	g_autofree char *version = NULL;
	const char *clang = find_clang(&version, error);
	g_autofree char *folder = clang ? compile_store(sources, error) : NULL;
	int lock = folder ? folder_lock(folder, sources, target->options, error) : -1;
	g_autofree char *sum = lock >= 0 ? inputs_sum(target, version, error) : NULL;
	g_autofree char *path = sum ? g_build_filename(folder, sum, NULL) : NULL;
	GBytes *bytes = NULL;
	char *data;
	gsize length;

	if (path &&
	    (g_file_test(path, G_FILE_TEST_EXISTS) || make_program(target, clang, path, error)) &&
	    g_file_get_contents(path, &data, &length, error))
		bytes = g_bytes_new_take(data, length);
	if (lock >= 0)
		close(lock);
	return bytes;
}
