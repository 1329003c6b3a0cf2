// SPDX-License-Identifier: GPL-2.0-only
/* Kernels by path, the cache, and what is refused; nothing here needs a network. */
#include "kernel/cache.h"
#include "kernel/kernel.h"

#include "test_kernel.h"

#include "base/error.h"
#include "base/tree.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* sha256sum(1) of the file that test_image_new() makes. */
#define IMAGE_SHA256 "f4ef1d12aa368d46160bfa0604b35116c01eda07efb846e0eec11aab23d10a7f"

struct fixture {
	char *folder; /* also the cache */
};

static void set_up(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	fixture->folder = g_dir_make_tmp("topolab-test-XXXXXX", NULL);
	g_assert_nonnull(fixture->folder);
	g_setenv("TOPOLAB_CACHE", fixture->folder, TRUE);
}

static void tear_down(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	g_unsetenv("TOPOLAB_CACHE");
	g_assert_true(tree_remove(fixture->folder, NULL));
	g_free(fixture->folder);
}

static char *write_file(struct fixture *fixture, const char *name, const void *data, gsize length)
{
	char *path = g_build_filename(fixture->folder, name, NULL);
	g_autofree char *folder = g_path_get_dirname(path);
	g_autoptr(GError) error = NULL;

	g_mkdir_with_parents(folder, 0755);
	g_file_set_contents(path, data, (gssize)length, &error);
	g_assert_no_error(error);
	return path;
}

static char *write_image(struct fixture *fixture, const char *name)
{
	g_autofree guint8 *image = test_image_new();

	return write_file(fixture, name, image, LENGTH);
}

static void assert_config(const char *path, const char *expected)
{
	static const struct kernel_options options = {.offline = true};
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = kernel_get(path, &options, &error);

	g_assert_no_error(error);
	if (!kernel)
		return;
	g_assert_cmpint(kernel_facts_config_known(kernel->facts), ==, expected != NULL);
	g_assert_cmpstr(kernel_facts_config(kernel->facts, "LOCALVERSION"), ==, expected);
}

/* The places by convention: /boot, a modules folder, a source tree. */
static void test_config(struct fixture *fixture, gconstpointer data)
{
	static const char *const places[][2] = {
		{"boot/vmlinuz-6.12", "boot/config-6.12"},
		{"modules/6.12/vmlinuz", "modules/6.12/config"},
		{"linux/arch/x86/boot/bzImage", "linux/.config"},
	};
	g_autofree char *alone = write_image(fixture, "alone/bzImage");
	g_autofree char *other = write_image(fixture, "boot/vmlinuz-6.11");

	(void)data;
	for (unsigned i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *text = g_strdup_printf("CONFIG_LOCALVERSION=%u\n", i + 1);
		g_autofree char *value = g_strdup_printf("%u", i + 1);
		g_autofree char *image = write_image(fixture, places[i][0]);
		g_autofree char *config = write_file(fixture, places[i][1], text, strlen(text));

		g_assert_nonnull(config);
		assert_config(image, value);
	}
	assert_config(alone, NULL);
	/* Another release's config is not this one's. */
	assert_config(other, NULL);
}

static void test_links(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *image = write_image(fixture, "linux/arch/x86/boot/bzImage");
	g_autofree char *config =
		write_file(fixture, "linux/.config", "CONFIG_LOCALVERSION=9\n", 22);
	g_autofree char *link = g_build_filename(fixture->folder, "latest", NULL);

	(void)data;
	g_assert_nonnull(config);
	g_assert_cmpint(symlink(image, link), ==, 0);
	assert_config(link, "9");
}

static void test_untouched(struct fixture *fixture, gconstpointer data)
{
	static const struct kernel_options options = {0};
	g_autofree char *path = write_image(fixture, "bzImage");
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL;
	struct stat before, after;

	(void)data;
	g_assert_cmpint(chmod(path, 0440), ==, 0);
	g_assert_cmpint(stat(path, &before), ==, 0);
	kernel = kernel_get(path, &options, &error);
	g_assert_no_error(error);
	g_assert_cmpint(stat(path, &after), ==, 0);
	g_assert_cmpint(before.st_mode, ==, after.st_mode);
	g_assert_cmpint(before.st_uid, ==, after.st_uid);
	g_assert_cmpint(before.st_mtime, ==, after.st_mtime);
	g_assert_cmpstr(kernel->name, ==, "bzImage");
	g_assert_cmpstr(kernel->image_path, ==, path);
	g_assert_cmpstr(kernel->sha256, ==, IMAGE_SHA256);
	g_assert_null(kernel->package);
}

static void assert_get_fails(const char *which, int code, const char *message)
{
	static const struct kernel_options options = {.offline = true};
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = kernel_get(which, &options, &error);

	g_assert_null(kernel);
	g_assert_error(error, TOPOLAB_ERROR, code);
	g_assert_nonnull(error ? strstr(error->message, message) : NULL);
}

static void test_bad_path(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *pipe = g_build_filename(fixture->folder, "pipe", NULL);
	g_autofree char *empty = write_file(fixture, "empty", "", 0);

	(void)data;
	g_assert_cmpint(mkfifo(pipe, 0600), ==, 0);
	assert_get_fails("/nonexistent/bzImage", ERROR_INPUT, "No such file or directory");
	assert_get_fails(fixture->folder, ERROR_INPUT, "' is no Linux tree: there is no Makefile");
	assert_get_fails(pipe, ERROR_INPUT, "is not a regular file");
	assert_get_fails(empty, ERROR_INPUT, "is empty");
}

static void test_bad_name(struct fixture *fixture, gconstpointer data)
{
	(void)fixture;
	(void)data;
	assert_get_fails("debian-0.01", ERROR_INPUT, "there is no kernel 'debian-0.01'; ");
	assert_get_fails("debian-6.12", ERROR_LAB,
			 "kernel 'debian-6.12' is not in the cache, and nothing may be fetched");
}

static void commit(struct fixture *fixture, const char *package)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *stage = cache_stage(&error);
	g_autofree char *image = write_image(fixture, "staged-image");
	g_autofree char *config =
		write_file(fixture, "staged-config", "CONFIG_LOCALVERSION=3\n", 22);

	g_assert_no_error(error);
	g_assert_true(cache_commit(stage, &(struct cache_files){.image = image, .config = config},
				   "linux_1", package, &error));
	g_assert_no_error(error);
	g_assert_true(tree_remove(stage, NULL));
}

static void assert_cached(const char *package)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = g_new0(struct kernel, 1);

	g_assert_true(cache_load("linux_1", kernel, &error));
	g_assert_no_error(error);
	g_assert_cmpstr(kernel->package, ==, package);
	g_assert_cmpstr(kernel->sha256, ==, IMAGE_SHA256);
	g_assert_cmpstr(kernel_facts_config(kernel->facts, "LOCALVERSION"), ==, "3");
}

static void assert_damaged(const char *message)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = g_new0(struct kernel, 1);

	g_assert_false(cache_load("linux_1", kernel, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_nonnull(error ? strstr(error->message, message) : NULL);
	g_assert_null(kernel->facts);
	g_assert_null(kernel->image_path);
}

static void test_cache(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	assert_damaged("cannot use");
	commit(fixture, "linux 1");
	assert_cached("linux 1");
	/* Another run was first, and its entry is intact. */
	commit(fixture, "linux 1 again");
	assert_cached("linux 1");
}

/* One byte of the image's code, and of the config. */
static void test_cache_damage(struct fixture *fixture, gconstpointer data)
{
	static const char *const names[] = {"kernels/linux_1/vmlinuz", "kernels/linux_1/config"};

	(void)data;
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(fixture->folder, names[i], NULL);
		g_autofree char *bytes = NULL;
		gsize length;

		commit(fixture, "linux 1");
		g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
		bytes[length - 2] ^= 1;
		g_assert_true(g_file_set_contents(path, bytes, (gssize)length, NULL));
		assert_damaged("is damaged: its SHA-256 is ");
		/* A damaged entry gives way. */
		commit(fixture, "linux 1");
		assert_cached("linux 1");
	}
}

static void test_cache_incomplete(struct fixture *fixture, gconstpointer data)
{
	static const char *const names[] = {"kernels/linux_1/vmlinuz", "kernels/linux_1/config",
					    "kernels/linux_1/meta.json"};

	(void)data;
	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(fixture->folder, names[i], NULL);
		AUTO(kernel) *kernel = g_new0(struct kernel, 1);

		commit(fixture, "linux 1");
		g_assert_cmpint(unlink(path), ==, 0);
		g_assert_false(cache_load("linux_1", kernel, NULL));
		commit(fixture, "linux 1");
		assert_cached("linux 1");
	}
}

static void assert_pin(const char *expected, gint64 low, gint64 high)
{
	gint64 age = -1;
	g_autofree char *id = cache_pin_read("key", &age, NULL);

	g_assert_cmpstr(id, ==, expected);
	g_assert_cmpint(age, >=, low);
	g_assert_cmpint(age, <=, high);
}

static void test_pin(struct fixture *fixture, gconstpointer data)
{
	(void)fixture;
	(void)data;
	assert_pin(NULL, -1, -1);
	g_assert_true(cache_pin_write("key", "linux_1", 0, NULL));
	assert_pin("linux_1", 0, 60);
	g_assert_true(cache_pin_write("key", "linux_2", 7200, NULL));
	assert_pin("linux_2", 7200, 7260);
	/* Written tomorrow: too old rather than fresh for a day more. */
	g_assert_true(cache_pin_write("key", "linux_2", -24 * 3600, NULL));
	assert_pin("linux_2", 24 * 3600, G_MAXINT64);
}

/* A pin that names no entry, or that is no text, is like none: nothing is loaded by it. */
static void test_pin_garbage(struct fixture *fixture, gconstpointer data)
{
	static const struct {
		const char *bytes;
		gssize length;
	} pins[] = {{"", 0}, {"\n", 1}, {"\0\0\0", 3}, {"\xff\033[2J/..", -1}, {"../..", -1}};

	(void)data;
	commit(fixture, "linux 1");
	for (unsigned i = 0; i < G_N_ELEMENTS(pins); i++) {
		g_autofree char *path =
			g_build_filename(fixture->folder, "kernels", "pin-key", NULL);
		g_autoptr(GError) error = NULL;
		AUTO(kernel) *kernel = g_new0(struct kernel, 1);
		gint64 age = 0;
		g_autofree char *id = NULL;

		g_assert_true(g_file_set_contents(path, pins[i].bytes, pins[i].length, NULL));
		id = cache_pin_read("key", &age, NULL);
		g_assert_nonnull(id);
		g_assert_false(cache_load(id ? id : "", kernel, &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		g_assert_null(kernel->image_path);
	}
}

/* A mirror in a folder that offers what nobody signed. */
static void test_unsigned(struct fixture *fixture, gconstpointer data)
{
	static const struct kernel_options options = {0};
	static const char release[] = "Origin: Debian\nSuite: trixie-backports\n"
				      "Codename: trixie-backports\nComponents: main\n"
				      "Architectures: amd64\nDate: Mon, 02 Nov 2026 00:00:00 UTC\n";
	g_autofree char *path = write_file(fixture, "debian/dists/trixie-backports/Release",
					   release, strlen(release));
	g_autofree char *mirror = g_strdup_printf("file://%s/debian", fixture->folder);
	g_autofree char *apt = g_find_program_in_path("apt-get");
	g_autoptr(GError) error = NULL;
	AUTO(kernel) *kernel = NULL;

	(void)data;
	g_assert_nonnull(path);
	if (!apt || access("/usr/share/keyrings/debian-archive-keyring.gpg", R_OK) != 0) {
		g_test_skip("this host has no apt or no Debian keys");
		return;
	}
	g_setenv("TOPOLAB_MIRROR", mirror, TRUE);
	kernel = kernel_get("debian-7.3", &options, &error);
	g_unsetenv("TOPOLAB_MIRROR");
	g_assert_null(kernel);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_nonnull(error ? strstr(error->message,
					"cannot fetch the package lists of 'trixie-backports': ")
			       : NULL);
	g_assert_nonnull(error ? strstr(error->message, " is not signed") : NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *path;
		void (*run)(struct fixture *, gconstpointer);
	} tests[] = {
		{"/kernel/config", test_config},
		{"/kernel/links", test_links},
		{"/kernel/untouched", test_untouched},
		{"/kernel/bad-path", test_bad_path},
		{"/kernel/bad-name", test_bad_name},
		{"/kernel/cache", test_cache},
		{"/kernel/cache-damage", test_cache_damage},
		{"/kernel/cache-incomplete", test_cache_incomplete},
		{"/kernel/pin", test_pin},
		{"/kernel/pin-garbage", test_pin_garbage},
		{"/kernel/unsigned", test_unsigned},
	};

	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(tests); i++)
		g_test_add(tests[i].path, struct fixture, NULL, set_up, tests[i].run, tear_down);
	return g_test_run();
}
