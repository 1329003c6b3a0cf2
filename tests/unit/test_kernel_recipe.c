// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernels that are built from sources that topolab unpacks: an archive and a git repository of a
 * small tree. What was built tells by the last line of its image what the scheduler's file said.
 */
#include "kernel/cache_store.h"
#include "kernel/kernel_file.h"
#include "kernel/recipe.h"

#include "test_tree.h"

#include "base/error.h"
#include "base/spawn.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define SCHED "kernel/sched/fair.c"
/* As Kconfig does, of two lines for one option the last is left. */
#define LAST_LINES                                                                                 \
	"\t@tac $(OUT)/.config | awk '{ n = $$0; sub(/^# /, \"\", n);"                             \
	" sub(/(=.*| is not set)$$/, \"\", n) } !seen[n]++' >$(OUT)/c; mv $(OUT)/c "               \
	"$(OUT)/.config\n"
#define RECIPE_MAKEFILE                                                                            \
	MAKEFILE LAST_LINES "bzImage:\n"                                                           \
			    "\t@mkdir -p $(OUT)/arch/x86/boot\n"                                   \
			    "\t@cat image " SCHED " >$(OUT)/arch/x86/boot/bzImage\n"               \
			    "\t@sed 's/^/symbols of /' " SCHED " >$(OUT)/vmlinux\n"

static const char patch_two[] = "--- a/" SCHED "\n+++ b/" SCHED "\n@@ -1 +1 @@\n-one\n+two\n";
static const char patch_three[] = "--- a/" SCHED "\n+++ b/" SCHED "\n@@ -1 +1 @@\n-two\n+three\n";
static const char patch_new[] = "--- /dev/null\n+++ b/new.c\n@@ -0,0 +1 @@\n+new\n";

static void write_file(const struct fixture *fixture, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(fixture->folder, name, NULL);
	g_autofree char *folder = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void run_in(const char *folder, const char *line)
{
	g_auto(GStrv) argv = g_strsplit(line, " ", -1);
	struct spawn_options options = {.folder = folder};
	g_autoptr(GError) error = NULL;

	g_assert_true(spawn_run((const char *const *)argv, &options, NULL, &error));
	g_assert_no_error(error);
}

static void make_tarball(struct fixture *fixture)
{
	run_in(fixture->folder, "tar -czf linux.tar.gz linux");
}

static void recipe_set_up(struct fixture *fixture, gconstpointer data)
{
	set_up(fixture, data);
	put(fixture, "Makefile", RECIPE_MAKEFILE, -1);
	put(fixture, "Kconfig", "config SMP\n\tbool\nconfig EXTRA\n\tbool\n", -1);
	put(fixture, SCHED, "one\n", -1);
	write_file(fixture, "k.yaml", "title: t\ntarball:\n  path: linux.tar.gz\n");
	write_file(fixture, "two.patch", patch_two);
	write_file(fixture, "three.patch", patch_three);
	make_tarball(fixture);
}

static struct kernel *get_file(struct fixture *fixture, const char *name, GError **error)
{
	struct kernel_options options = {.progress = keep_said, .data = fixture->said};
	g_autofree char *path = g_build_filename(fixture->folder, name, NULL);

	g_string_truncate(fixture->said, 0);
	return kernel_get(path, &options, error);
}

/* What the image that was built from the kernel file @name ends with. */
static void assert_built(struct fixture *fixture, const char *name, const char *last)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = get_file(fixture, name, &error);
	g_autofree char *image = NULL;
	gsize length;

	g_assert_no_error(error);
	g_assert_true(g_file_get_contents(kernel->image_path, &image, &length, NULL));
	g_assert_cmpmem(image + LENGTH, length - LENGTH, last, strlen(last));
}

static bool said(const struct fixture *fixture, const char *text)
{
	return strstr(fixture->said->str, text) != NULL;
}

static void assert_fails(struct fixture *fixture, const char *name, int code, const char *says)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = get_file(fixture, name, &error);

	g_assert_null(kernel);
	g_assert_error(error, TOPOLAB_ERROR, code);
	if (error && !strstr(error->message, says))
		g_test_fail_printf("'%s' does not say '%s'", error->message, says);
}

static void test_tarball(struct fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL;

	(void)data;
	kernel = get_file(fixture, "k.yaml", &error);
	g_assert_no_error(error);
	g_assert_cmpstr(kernel->name, ==, "k");
	g_assert_true(g_str_has_prefix(kernel->package, "built from tarball-"));
	g_assert_cmpstr(kernel_facts_config(kernel->facts, "SMP"), ==, "y");
	g_assert_true(said(fixture, "unpacking '"));
	g_assert_true(said(fixture, "building '"));
	/* The same inputs: nothing is unpacked, configured or made. */
	assert_built(fixture, "k.yaml", "one\n");
	g_assert_cmpstr(fixture->said->str, ==, "");
	/* Another archive is another kernel. */
	put(fixture, SCHED, "uno\n", -1);
	make_tarball(fixture);
	assert_built(fixture, "k.yaml", "uno\n");
}

static void assert_vmlinux(const struct kernel *kernel, const char *wanted)
{
	g_autofree char *beside = g_path_get_dirname(kernel->image_path);
	g_autofree char *path = g_build_filename(beside, "vmlinux", NULL);
	g_autofree char *found = kernel_vmlinux(kernel);
	g_autofree char *text = NULL;

	g_assert_cmpstr(found, ==, wanted ? path : NULL);
	g_assert_true(!wanted || g_file_get_contents(path, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, wanted);
}

static guint64 cached_bytes(const struct kernel *kernel)
{
	g_autofree char *folder = g_path_get_dirname(kernel->image_path);
	g_autoptr(GPtrArray) entries = cache_entries(NULL);

	for (guint i = 0; i < entries->len; i++) {
		const struct cache_entry *entry = entries->pdata[i];

		if (strcmp(entry->path, folder) == 0)
			return entry->bytes;
	}
	return 0;
}

/* What another series builds in the same tree takes no kernel's symbols away. */
static void test_vmlinux(struct fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *one = NULL, *two = NULL, *again = NULL;
	g_autofree char *path = NULL;
	guint64 bytes;

	(void)data;
	write_file(fixture, "two.yaml",
		   "title: t\ntarball:\n  path: linux.tar.gz\n  patches: two.patch\n");
	one = get_file(fixture, "k.yaml", &error);
	g_assert_no_error(error);
	two = get_file(fixture, "two.yaml", &error);
	g_assert_no_error(error);
	assert_vmlinux(one, "symbols of one\n");
	assert_vmlinux(two, "symbols of two\n");
	/* An entry without one, of an older topolab's, is not built again for it. */
	path = kernel_vmlinux(one);
	bytes = cached_bytes(one);
	g_assert_cmpint(unlink(path), ==, 0);
	g_assert_cmpuint(cached_bytes(one), ==, bytes - strlen("symbols of one\n"));
	again = get_file(fixture, "k.yaml", &error);
	g_assert_no_error(error);
	g_assert_cmpstr(fixture->said->str, ==, "");
	assert_vmlinux(again, NULL);
}

static void test_patches(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	write_file(fixture, "two.yaml",
		   "title: t\ntarball:\n  path: linux.tar.gz\n  patches: two.patch\n");
	write_file(fixture, "three.yaml",
		   "title: t\ntarball:\n  path: linux.tar.gz\n"
		   "  patches: two.patch three.patch\n");
	assert_built(fixture, "three.yaml", "three\n");
	assert_built(fixture, "two.yaml", "two\n");
	/* One tree serves them all. */
	g_assert_false(said(fixture, "unpacking '"));
	assert_built(fixture, "k.yaml", "one\n");
	g_assert_false(said(fixture, "unpacking '"));
	/* A patch that changes is another kernel, whatever its file is called. */
	write_file(fixture, "two.patch",
		   "--- a/" SCHED "\n+++ b/" SCHED "\n@@ -1 +1 @@\n-one\n+zwei\n");
	assert_built(fixture, "two.yaml", "zwei\n");
}

static void test_series(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	write_file(fixture, "s.yaml", "title: t\ntarball:\n  path: linux.tar.gz\n  patches: s\n");
	write_file(fixture, "s/series", "# by hand\na.patch\n\nb.patch # the second\n");
	write_file(fixture, "s/a.patch", patch_two);
	write_file(fixture, "s/b.patch", patch_three);
	assert_built(fixture, "s.yaml", "three\n");
	write_file(fixture, "s/series", "b.patch\n");
	assert_fails(fixture, "s.yaml", ERROR_BUILD, "s/b.patch' does not apply to '");
	write_file(fixture, "s/series", "c.patch\n");
	assert_fails(fixture, "s.yaml", ERROR_INPUT, "the patch '");
}

/* A patch that is refused costs nothing; a tree that was left half-patched is not built. */
static void test_broken(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *sources = g_build_filename(fixture->cache, "sources", NULL);
	g_autoptr(GDir) dir = NULL;
	g_autofree char *version = NULL;
	g_autofree char *sched = NULL;
	const char *name;

	(void)data;
	write_file(fixture, "bad.yaml",
		   "title: t\ntarball:\n  path: linux.tar.gz\n  patches: new.patch three.patch\n");
	write_file(fixture, "new.patch", patch_new);
	write_file(fixture, "two.yaml",
		   "title: t\ntarball:\n  path: linux.tar.gz\n  patches: two.patch\n");
	assert_fails(fixture, "bad.yaml", ERROR_BUILD, "three.patch' does not apply to '");
	assert_built(fixture, "k.yaml", "one\n");
	g_assert_false(said(fixture, "unpacking '"));

	dir = g_dir_open(sources, 0, NULL);
	name = g_dir_read_name(dir);
	version = g_build_filename(sources, name, "version", NULL);
	sched = g_build_filename(sources, name, "tree", SCHED, NULL);
	g_assert_cmpint(unlink(version), ==, 0);
	g_assert_true(g_file_set_contents(sched, "half\n", -1, NULL));
	assert_built(fixture, "two.yaml", "two\n");
	g_assert_true(said(fixture, "unpacking '"));
}

static void test_bad_tarball(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *path = g_build_filename(fixture->folder, "linux.tar.gz", NULL);
	g_autofree char *archive = NULL;
	gsize length;

	(void)data;
	g_assert_true(g_file_get_contents(path, &archive, &length, NULL));
	g_assert_true(g_file_set_contents(path, archive, (gssize)length / 2, NULL));
	assert_fails(fixture, "k.yaml", ERROR_INPUT, "linux.tar.gz' is no archive that can be ");
	write_file(fixture, "linux.tar.gz", "hello\n");
	assert_fails(fixture, "k.yaml", ERROR_INPUT, "linux.tar.gz' is no archive that can be ");
	g_assert_cmpint(unlink(path), ==, 0);
	assert_fails(fixture, "k.yaml", ERROR_INPUT, "cannot read the archive '");
}

/* What leaves the folder that it is unpacked into is not unpacked. */
static void test_outside(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *outside = g_build_filename(fixture->folder, "outside", NULL);

	(void)data;
	put(fixture, "x", "x", 1);
	run_in(fixture->folder,
	       "tar -czf linux.tar.gz -P --transform s,linux/x,linux/../../../../outside, linux");
	assert_fails(fixture, "k.yaml", ERROR_LAB, "cannot unpack '");
	g_assert_false(g_file_test(outside, G_FILE_TEST_EXISTS));
}

static void git(struct fixture *fixture, const char *line)
{
	g_autofree char *whole = g_strconcat("git -c user.name=n -c user.email=e@x ", line, NULL);

	run_in(fixture->tree, whole);
}

static void test_git(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	git(fixture, "init --quiet");
	git(fixture, "add .");
	git(fixture, "commit --quiet -m a");
	git(fixture, "tag v1");
	put(fixture, SCHED, "uno\n", -1);
	git(fixture, "commit --quiet -a -m b");
	write_file(fixture, "v1.yaml",
		   "title: t\ngit:\n  repository: linux\n  ref: v1\n  patches: two.patch\n");
	write_file(fixture, "head.yaml", "title: t\ngit:\n  repository: linux\n  ref: HEAD\n");
	write_file(fixture, "v2.yaml", "title: t\ngit:\n  repository: linux\n  ref: v2\n");
	/* What is not committed is not built. */
	put(fixture, SCHED, "dirty\n", -1);
	assert_built(fixture, "v1.yaml", "two\n");
	assert_built(fixture, "head.yaml", "uno\n");
	/* A branch that moves on is another kernel. */
	git(fixture, "commit --quiet -a -m c");
	assert_built(fixture, "head.yaml", "dirty\n");
	assert_built(fixture, "v1.yaml", "two\n");
	assert_fails(fixture, "v2.yaml", ERROR_INPUT, "linux' has no commit 'v2': ");
}

static void test_fragments(struct fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL;

	(void)data;
	write_file(fixture, "f.yaml",
		   "title: t\ntarball:\n  path: linux.tar.gz\n  fragments: a.config b.config\n");
	write_file(fixture, "a.config", "CONFIG_EXTRA=m\nCONFIG_NR_CPUS=64\n");
	write_file(fixture, "b.config", "CONFIG_EXTRA=y\n# CONFIG_SCHED_CLUSTER is not set\n");
	kernel = get_file(fixture, "f.yaml", &error);
	g_assert_no_error(error);
	g_assert_cmpstr(kernel_facts_config(kernel->facts, "EXTRA"), ==, "y");
	g_assert_cmpstr(kernel_facts_config(kernel->facts, "NR_CPUS"), ==, "64");
	g_assert_cmpstr(kernel_facts_config(kernel->facts, "SCHED_CLUSTER"), ==, "n");
	g_assert_nonnull(strstr(kernel->package, " with a.config, b.config"));
	write_file(fixture, "b.config", "CONFIG_ABSENT=y\n");
	/* An option of the base may be another version's; what is asked for beside it must be. */
	put(fixture, "Makefile",
	    MAKEFILE "\t@sed -i '/^CONFIG_[AN]/d' $(OUT)/.config\nbzImage:\n\t@false\n", -1);
	make_tarball(fixture);
	assert_fails(fixture, "f.yaml", ERROR_BUILD, "its Kconfig drops ABSENT, NR_CPUS; ");
	write_file(fixture, "f.yaml",
		   "title: t\ntarball:\n  path: linux.tar.gz\n  fragments: none.config\n");
	assert_fails(fixture, "f.yaml", ERROR_INPUT, "none.config' cannot be read: ");
}

/* "+NAME" puts a fragment of kernels/ behind the file's own. */
static void test_plus(struct fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *base = NULL, *kernel = NULL;

	(void)data;
	/* One archive, two configs: neither may be taken for the other. */
	base = get_file(fixture, "k.yaml", &error);
	g_assert_no_error(error);
	g_assert_cmpstr(kernel_facts_config(base->facts, "SCHED_CLUSTER"), ==, "y");
	kernel = get_file(fixture, "k.yaml+no-cluster", &error);
	g_assert_no_error(error);
	g_assert_cmpstr(kernel->name, ==, "k+no-cluster");
	g_assert_cmpstr(kernel_facts_config(kernel->facts, "SCHED_CLUSTER"), ==, "n");
	g_assert_nonnull(strstr(kernel->package, " with no-cluster.config"));
	assert_fails(fixture, "k.yaml+fish", ERROR_INPUT,
		     "there is no config fragment 'fish'; kernels/ has debug, ");
	write_file(fixture, "i.yaml", "title: t\nfile:\n  image: linux/image\n");
	assert_fails(fixture, "i.yaml+debug", ERROR_INPUT,
		     "kernel 'i' is not built here, so nothing can be put on its config "
		     "('+debug')");
	put(fixture, ".config", "", 0);
	assert_fails(fixture, "linux+debug", ERROR_INPUT,
		     "linux' is built with the .config that lies in it, to which '");
}

static void test_split(void)
{
	static const struct {
		const char *which, *plain, *fragments;
	} rows[] = {
		{"lab-6.12", "lab-6.12", ""},	   {"lab-6.12+debug+rt", "lab-6.12", "debug rt"},
		{"../linux+rt", "../linux", "rt"}, {"c++/linux", "c++/linux", ""},
		{".+debug", ".", "debug"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_auto(GStrv) fragments = NULL;
		g_autofree char *plain = kernel_split_fragments(rows[i].which, &fragments);
		g_autofree char *joined = g_strjoinv(" ", fragments);

		g_assert_cmpstr(plain, ==, rows[i].plain);
		g_assert_cmpstr(joined, ==, rows[i].fragments);
	}
}

/* The tree that other programs of it are to be built from. */
static void test_sources(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *from_tree = NULL;
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL, *user = NULL, *image = NULL;
	AUTO(sources) *sources = NULL, *users = NULL;

	(void)data;
	write_file(fixture, "two.yaml",
		   "title: t\ntarball:\n  path: linux.tar.gz\n  patches: two.patch\n");
	kernel = get_file(fixture, "two.yaml", &error);
	assert_built(fixture, "k.yaml", "one\n");
	sources = kernel_sources(kernel, &(struct kernel_options){0}, &error);
	g_assert_no_error(error);
	from_tree = g_build_filename(sources->tree, SCHED, NULL);
	g_assert_true(g_file_get_contents(from_tree, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "two\n");

	user = get_file(fixture, "linux", &error);
	g_assert_no_error(error);
	users = kernel_sources(user, &(struct kernel_options){0}, &error);
	g_assert_cmpstr(users->tree, ==, fixture->tree);
	image = get_file(fixture, "linux/image", &error);
	g_assert_no_error(error);
	g_assert_null(kernel_sources(image, &(struct kernel_options){0}, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *path;
		void (*run)(struct fixture *, gconstpointer);
	} tests[] = {
		{"/recipe/tarball", test_tarball},     {"/recipe/vmlinux", test_vmlinux},
		{"/recipe/patches", test_patches},     {"/recipe/series", test_series},
		{"/recipe/broken", test_broken},       {"/recipe/bad-tarball", test_bad_tarball},
		{"/recipe/outside", test_outside},     {"/recipe/git", test_git},
		{"/recipe/fragments", test_fragments}, {"/recipe/plus", test_plus},
		{"/recipe/sources", test_sources},
	};

	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(tests); i++)
		g_test_add(tests[i].path, struct fixture, NULL, recipe_set_up, tests[i].run,
			   tear_down);
	g_test_add_func("/recipe/split", test_split);
	return g_test_run();
}
