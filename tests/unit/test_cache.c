// SPDX-License-Identifier: GPL-2.0-only
/* `topolab cache`: what it lists, what prune removes and what it leaves. */
#include "../run_topolab.h"
#include "base/options.h"
#include "kernel/cache.h"
#include "kernel/cache_store.h"
#include "test_kernel.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include <utime.h>

#define MIB 1048576

struct fixture {
	char *folder;
};

static void set_up(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	fixture->folder = g_dir_make_tmp("topolab-test-XXXXXX", NULL);
	g_setenv("TOPOLAB_CACHE", fixture->folder, TRUE);
}

static void tear_down(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_unsetenv("TOPOLAB_CACHE");
	folder_remove(fixture->folder);
	g_free(fixture->folder);
}

/* A file of @bytes zeros that was changed at @when. */
static char *put(const struct fixture *fixture, const char *name, gsize bytes, time_t when)
{
	char *path = g_build_filename(fixture->folder, name, NULL);
	g_autofree char *folder = g_path_get_dirname(path);
	g_autofree char *zeros = g_malloc0(bytes + 1);
	struct utimbuf times = {.actime = when, .modtime = when};

	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, zeros, (gssize)bytes, NULL));
	g_assert_cmpint(utime(path, &times), ==, 0);
	return path;
}

static void put_all(const struct fixture *fixture)
{
	static const struct {
		const char *name;
		gsize bytes;
		time_t when;
	} files[] = {
		/* The image is newer than the entry's last use: only meta.json tells. */
		{"kernels/old_1/vmlinuz", 3 * MIB, 5000000},
		{"kernels/old_1/meta.json", 0, 1000000},
		{"kernels/new_1/vmlinuz", 2 * MIB, 100},
		{"kernels/new_1/meta.json", 0, 3000000},
		{"kernels/.new-x/vmlinuz", 9 * MIB, 100},
		{"apt/trixie/lists/Packages", MIB, 2000000},
		{"apt/trixie/topolab.lock", 0, 100},
		{"libvirt/capabilities/x.xml", MIB / 2, 50},
	};
	g_autofree char *pin = g_build_filename(fixture->folder, "kernels", "pin-0", NULL);
	g_autofree char *other = g_build_filename(fixture->folder, "kernels", "pin-1", NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(files); i++)
		g_free(put(fixture, files[i].name, files[i].bytes, files[i].when));
	g_assert_true(g_file_set_contents(pin, "old_1", -1, NULL));
	g_assert_true(g_file_set_contents(other, "new_1", -1, NULL));
}

static bool is_there(const struct fixture *fixture, const char *name)
{
	g_autofree char *path = g_build_filename(fixture->folder, name, NULL);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

static void test_list(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct topolab_run run;

	put_all(fixture);
	g_setenv("TZ", "UTC", TRUE);
	run = topolab_run("cache");
	g_assert_cmpint(run.status, ==, 0);
	/* date -u -d @1000000 and so on */
	g_assert_cmpstr(run.output, ==,
			"LAST-USE             SIZE  STATE  ENTRY\n"
			"1970-01-01 00:00  0.5 MiB  kept   libvirt\n"
			"1970-01-12 13:46  3.0 MiB         kernels/old_1\n"
			"1970-01-24 03:33  1.0 MiB         apt/trixie\n"
			"1970-02-04 17:20  2.0 MiB         kernels/new_1\n"
			"total 6.5 MiB\n");
	topolab_run_clear(&run);
}

static void test_empty(struct fixture *fixture G_GNUC_UNUSED, gconstpointer data G_GNUC_UNUSED)
{
	struct topolab_run run = topolab_run("cache");

	g_assert_cmpint(run.status, ==, 0);
	g_assert_cmpstr(run.output, ==, "total 0.0 MiB\n");
	topolab_run_clear(&run);
}

/* The least recently used goes first, and no more than needed; its pin goes with it. */
static void test_prune(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct topolab_run run;

	put_all(fixture);
	run = topolab_run("cache prune --max 7M");
	g_assert_cmpint(run.status, ==, 0);
	g_assert_cmpstr(run.output, ==, "total 6.5 MiB\n");
	topolab_run_clear(&run);
	run = topolab_run("cache prune --max 4M");
	g_assert_cmpint(run.status, ==, 0);
	g_assert_cmpstr(run.output, ==, "removed kernels/old_1, 3.0 MiB\ntotal 3.5 MiB\n");
	g_assert_false(is_there(fixture, "kernels/old_1"));
	g_assert_false(is_there(fixture, "kernels/pin-0"));
	g_assert_true(is_there(fixture, "kernels/pin-1"));
	g_assert_true(is_there(fixture, "kernels/new_1/vmlinuz"));
	topolab_run_clear(&run);
	run = topolab_run("cache prune --max 0");
	g_assert_cmpstr(run.output, ==,
			"removed apt/trixie, 1.0 MiB\nremoved kernels/new_1, 2.0 MiB\n"
			"total 0.5 MiB\n");
	g_assert_true(is_there(fixture, "apt/trixie/topolab.lock"));
	g_assert_false(is_there(fixture, "apt/trixie/lists"));
	g_assert_false(is_there(fixture, "kernels/new_1"));
	g_assert_true(is_there(fixture, "kernels/.new-x"));
	g_assert_true(is_there(fixture, "libvirt/capabilities/x.xml"));
	topolab_run_clear(&run);
}

/* Another run that fetches packages holds its root's lock. */
static void test_apt_in_use(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *lock = g_build_filename(fixture->folder, "apt/trixie/topolab.lock", NULL);
	struct topolab_run run;
	int fd;

	put_all(fixture);
	fd = open(lock, O_RDWR | O_CLOEXEC);
	g_assert_cmpint(flock(fd, LOCK_EX), ==, 0);
	run = topolab_run("cache prune --max 0");
	g_assert_cmpint(run.status, ==, 0);
	g_assert_nonnull(strstr(run.output, "kept apt/trixie, 1.0 MiB, which is in use\n"));
	g_assert_true(is_there(fixture, "apt/trixie/lists/Packages"));
	topolab_run_clear(&run);
	close(fd);
}

static void commit(const struct fixture *fixture)
{
	g_autofree guint8 *image = test_image_new();
	g_autofree char *stage = cache_stage(NULL);
	g_autofree char *image_path = g_build_filename(stage, "vmlinuz", NULL);
	g_autofree char *config_path = g_build_filename(stage, "config", NULL);

	g_assert_true(g_file_set_contents(image_path, (const char *)image, LENGTH, NULL));
	g_assert_true(g_file_set_contents(config_path, "CONFIG_SMP=y\n", -1, NULL));
	g_assert_true(cache_commit(
		stage, &(struct cache_files){.image = image_path, .config = config_path}, "linux_1",
		"linux 1", NULL));
	g_assert_true(is_there(fixture, "kernels/linux_1/meta.json"));
}

/* From cache_load() to kernel_free() nobody takes a kernel away; then it has just been used. */
static void test_kernel_in_use(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree char *meta =
		g_build_filename(fixture->folder, "kernels/linux_1/meta.json", NULL);
	struct utimbuf long_ago = {.actime = 100, .modtime = 100};
	struct kernel *kernel = g_new0(struct kernel, 1);
	struct topolab_run run;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) entries = NULL;

	commit(fixture);
	g_assert_cmpint(utime(meta, &long_ago), ==, 0);
	g_assert_true(cache_load("linux_1", kernel, &error));
	g_assert_no_error(error);
	run = topolab_run("cache");
	g_assert_nonnull(strstr(run.output, "in use  kernels/linux_1\n"));
	topolab_run_clear(&run);
	run = topolab_run("cache prune --max 0");
	g_assert_true(g_str_has_prefix(run.output, "kept kernels/linux_1, "));
	g_assert_true(is_there(fixture, "kernels/linux_1/vmlinuz"));
	topolab_run_clear(&run);
	kernel_free(kernel);
	entries = cache_entries(&error);
	g_assert_cmpuint(entries->len, ==, 1);
	g_assert_cmpint(((struct cache_entry *)entries->pdata[0])->used, >, 1000000000);
	g_assert_false(((struct cache_entry *)entries->pdata[0])->in_use);
	run = topolab_run("cache prune --max 0");
	g_assert_true(g_str_has_prefix(run.output, "removed kernels/linux_1, "));
	g_assert_false(is_there(fixture, "kernels/linux_1"));
	topolab_run_clear(&run);
}

static void test_usage(void)
{
	static const char *const lines[][2] = {
		{"cache prune", "cache prune needs --max SIZE"},
		{"cache --max 3G", "--max is for cache prune"},
		{"cache empty --max 3G", "cache does not know 'empty'"},
		{"cache prune --max 3X", "--max takes a size such as 500M or 2G, not '3X'"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		struct topolab_run run = topolab_run("%s", lines[i][0]);

		g_assert_cmpint(run.status, ==, 2);
		g_assert_nonnull(strstr(run.errors, lines[i][1]));
		topolab_run_clear(&run);
	}
}

static void test_sizes(void)
{
	static const struct {
		const char *text;
		guint64 bytes;
	} good[] = {{"0", 0},
		    {"7", 7},
		    {"1K", 1024},
		    {"3M", 3 * MIB},
		    {"2G", 2147483648},
		    {"1T", 1099511627776},
		    {"18446744073709551615", G_MAXUINT64},
		    {"16777215T", 18446742974197923840u}};
	static const char *const bad[] = {"",
					  "M",
					  "-1",
					  "+1",
					  "1.5G",
					  "1 G",
					  "01",
					  "1g",
					  "1GB",
					  "0x1",
					  "1P",
					  " 1",
					  "18446744073709551616",
					  "16777216T"};
	guint64 bytes;

	for (unsigned i = 0; i < G_N_ELEMENTS(good); i++) {
		g_assert_true(option_size("--max", good[i].text, &bytes, NULL));
		g_assert_cmpuint(bytes, ==, good[i].bytes);
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++)
		if (option_size("--max", bad[i], &bytes, NULL))
			g_test_fail_printf("'%s' was taken for a size", bad[i]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
#define ADD(name, function)                                                                        \
	g_test_add("/cache/" name, struct fixture, NULL, set_up, function, tear_down)
	ADD("list", test_list);
	ADD("empty", test_empty);
	ADD("prune", test_prune);
	ADD("apt-in-use", test_apt_in_use);
	ADD("kernel-in-use", test_kernel_in_use);
	g_test_add_func("/cache/usage", test_usage);
	g_test_add_func("/cache/sizes", test_sizes);
	return g_test_run();
}
