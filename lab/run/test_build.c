// SPDX-License-Identifier: GPL-2.0-only
#include "run/test_build.h"

#include "base/error.h"
#include "kernel/btf.h"
#include "kernel/headers.h"
#include "kernel/kbuild.h"
#include "kernel/sources.h"
#include "run/compile.h"
#include "run/make_target.h"

#include <stdio.h>
#include <string.h>

#define SELFTESTS "tools/testing/selftests"

/* What came of a target: a second program of it is the same file, or fails for the same reason. */
struct made {
	GBytes *bytes; /* NULL: @reason */
	char *reason;
};

struct test_builder {
	const struct kernel *kernel;
	const struct kernel_options *options;
	char *selftests;	 /* the tree that the user named; NULL: the kernel's own */
	struct sources *sources; /* NULL: not asked for yet */
	const char *tree;	 /* of @sources */
	char *tree_series;	 /* "6.12"; NULL: it does not say */
	bool own_tree;		 /* it is of the kernel's own series */
	char *headers;		 /* of @tree; NULL: not made yet */
	GBytes *btf;		 /* of @kernel; NULL: not read yet */
	GHashTable *made;	 /* "sched_ext/runner" -> struct made */
};

static void made_release(gpointer data)
{
	struct made *made = data;

	g_clear_pointer(&made->bytes, g_bytes_unref);
	g_free(made->reason);
	g_free(made);
}

struct test_builder *test_builder_new(const struct kernel *kernel, const char *selftests,
				      const struct kernel_options *options)
{
	struct test_builder *builder = g_new0(struct test_builder, 1);

	builder->kernel = kernel;
	builder->options = options;
	builder->selftests = selftests ? g_canonicalize_filename(selftests, NULL) : NULL;
	builder->made = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, made_release);
	return builder;
}

void test_builder_free(struct test_builder *builder)
{
	if (!builder)
		return;
	g_clear_pointer(&builder->sources, sources_close);
	g_clear_pointer(&builder->btf, g_bytes_unref);
	g_hash_table_unref(builder->made);
	g_free(builder->selftests);
	g_free(builder->tree_series);
	g_free(builder->headers);
	g_free(builder);
}

unsigned series_version(const char *series)
{
	unsigned major = 0, minor = 0;

	sscanf(series, "%4u.%4u", &major, &minor);
	return KERNEL_VERSION_OF(major, minor, 0);
}

/* Held until all programs are built: nobody patches it meanwhile. */
static bool open_tree(struct test_builder *builder, const struct guest_test *test, GError **error)
{
	g_autoptr(GError) cause = NULL;

	builder->sources = builder->selftests
				   ? sources_of_user(builder->selftests)
				   : kernel_sources(builder->kernel, builder->options, &cause);
	if (builder->sources) {
		builder->tree = builder->sources->tree;
		return true;
	}
	if (!g_error_matches(cause, TOPOLAB_ERROR, ERROR_UNSUPPORTED)) {
		g_propagate_error(error, g_steal_pointer(&cause));
		return false;
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "the programs of the test '%s' are part of the kernel's sources: %s; name a "
		    "tree with --selftests",
		    test->name, cause->message);
	return false;
}

/* Without the patch level, as trees of sources are told apart. */
static unsigned kernel_series(const struct test_builder *builder)
{
	return kernel_facts_version(builder->kernel->facts) & ~1023u;
}

static bool find_tree(struct test_builder *builder, const struct guest_test *test, GError **error)
{
	unsigned series = kernel_series(builder);

	if (builder->tree)
		return true;
	if (!open_tree(builder, test, error) || !kbuild_check_tree(builder->tree, error))
		return false;
	builder->tree_series = kernel_tree_series(builder->tree);
	builder->own_tree = builder->tree_series && series_version(builder->tree_series) == series;
	if (!builder->own_tree)
		kernel_say(builder->options,
			   "'%s' is of Linux %s, and '%s' of %u.%u: what is skipped is not held "
			   "against the kernel",
			   builder->tree, builder->tree_series ?: "without a version",
			   builder->kernel->name, series >> 20, series >> 10 & 1023);
	return true;
}

bool test_builder_open(struct test_builder *builder, const struct guest_test *test, bool *own,
		       GError **error)
{
	if (test->selftests && !find_tree(builder, test, error))
		return false;
	*own = !test->selftests || builder->own_tree;
	return true;
}

static void add_flag(GPtrArray *flags, const char *option, const char *folder, const char *sub)
{
	g_autofree char *path = g_build_filename(folder, sub, NULL);

	g_ptr_array_add(flags, g_strconcat(option, path, NULL));
}

static GPtrArray *flags_of(const struct test_builder *builder, const struct guest_test *test,
			   const struct guest_program *program, const char *folder)
{
	GPtrArray *flags = g_ptr_array_new_with_free_func(g_free);

	/* As selftests/lib.mk has them. */
	g_ptr_array_add(flags, g_strdup("-D_GNU_SOURCE="));
	g_ptr_array_add(flags, g_strconcat("-I", folder, NULL));
	if (test->selftests) {
		add_flag(flags, "-I", builder->tree, SELFTESTS);
		for (guint i = 0; i < test->include->len; i++)
			add_flag(flags, "-I", builder->tree, test->include->pdata[i]);
		g_ptr_array_add(flags, g_strdup("-isystem"));
		g_ptr_array_add(flags, g_strdup(builder->headers));
	}
	for (guint i = 0; i < program->flags->len; i++)
		g_ptr_array_add(flags, g_strdup(program->flags->pdata[i]));
	return flags;
}

/* Why it cannot be had from that tree, or NULL. Fills @sources. */
static char *tree_lack(const struct test_builder *builder, const struct guest_program *program,
		       const char *folder, GPtrArray *sources)
{
	if (program->since && builder->tree_series &&
	    series_version(builder->tree_series) < series_version(program->since))
		return g_strdup_printf("it tests what kernels have since %s, and '%s' is of Linux "
				       "%s",
				       program->since, builder->tree, builder->tree_series);
	for (guint i = 0; i < program->sources->len; i++) {
		char *path = g_build_filename(folder, program->sources->pdata[i], NULL);

		g_ptr_array_add(sources, path);
		if (!g_file_test(path, G_FILE_TEST_IS_REGULAR))
			return g_strdup_printf("there is no '%s'", path);
	}
	for (guint i = 0; i < program->helpers->len; i++) {
		g_autofree char *path = g_build_filename(folder, program->helpers->pdata[i], NULL);

		if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
			g_ptr_array_add(sources, g_steal_pointer(&path));
	}
	return NULL;
}

/* Is it the kernel's or the tree's doing that the program cannot be had? Then @reason says so. */
static bool is_lack(GError *cause, char **reason)
{
	if (g_error_matches(cause, TOPOLAB_ERROR, ERROR_BUILD))
		*reason = g_strdup_printf("it does not build: %s", cause->message);
	else if (g_error_matches(cause, TOPOLAB_ERROR, ERROR_UNSUPPORTED))
		*reason = g_strdup(cause->message);
	return *reason != NULL;
}

static GBytes *make(struct test_builder *builder, const struct guest_test *test, const char *target,
		    GError **error)
{
	if (!builder->btf)
		builder->btf = kernel_btf(builder->kernel->image_path, error);
	return builder->btf ? make_target_program(
				      &(struct make_target){
					      .tree = builder->tree,
					      .folder = test->selftests,
					      .target = target,
					      .btf = builder->btf,
					      .options = builder->options,
				      },
				      error)
			    : NULL;
}

/* Once for all programs of the target. */
static const struct made *made_of(struct test_builder *builder, const struct guest_test *test,
				  const char *target, GError **error)
{
	g_autofree char *key = g_build_filename(test->selftests, target, NULL);
	struct made *made = g_hash_table_lookup(builder->made, key);
	g_autoptr(GError) cause = NULL;

	if (made)
		return made;
	made = g_new0(struct made, 1);
	made->bytes = make(builder, test, target, &cause);
	if (!made->bytes && !is_lack(cause, &made->reason)) {
		made_release(made);
		g_propagate_error(error, g_steal_pointer(&cause));
		return NULL;
	}
	g_hash_table_insert(builder->made, g_steal_pointer(&key), made);
	return made;
}

static bool take_made(struct test_builder *builder, const struct guest_test *test,
		      const char *target, GBytes **bytes, char **reason, GError **error)
{
	const struct made *made = made_of(builder, test, target, error);

	if (!made)
		return false;
	*bytes = made->bytes ? g_bytes_ref(made->bytes) : NULL;
	*reason = g_strdup(made->reason);
	return true;
}

static bool compile(struct test_builder *builder, const struct guest_test *test,
		    const struct guest_program *program, const char *folder,
		    const GPtrArray *sources, GBytes **bytes, char **reason, GError **error)
{
	g_autoptr(GPtrArray) flags = NULL;
	g_autoptr(GError) cause = NULL;

	if (test->selftests && !builder->headers)
		builder->headers = kernel_headers(builder->tree, builder->options, error);
	if (test->selftests && !builder->headers)
		return false;
	flags = flags_of(builder, test, program, folder);
	*bytes = compile_program(
		&(struct compile){
			.folder = folder,
			.sources = sources,
			.flags = flags,
			.options = builder->options,
		},
		&cause);
	if (*bytes || is_lack(cause, reason))
		return true;
	g_propagate_error(error, g_steal_pointer(&cause));
	return false;
}

bool test_builder_build(struct test_builder *builder, const struct guest_test *test,
			const struct guest_program *program, GBytes **bytes, char **reason,
			GError **error)
{
	g_autofree char *folder =
		test->selftests ? g_build_filename(builder->tree, SELFTESTS, test->selftests, NULL)
				: g_strdup(test->folder);
	g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(g_free);

	*bytes = NULL;
	*reason = tree_lack(builder, program, folder, sources);
	if (*reason)
		return true;
	if (program->target)
		return take_made(builder, test, program->target, bytes, reason, error);
	return compile(builder, test, program, folder, sources, bytes, reason, error);
}
