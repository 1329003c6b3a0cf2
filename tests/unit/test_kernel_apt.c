// SPDX-License-Identifier: GPL-2.0-only
/* What is said when apt's root is in use, and when the mirror has moved on; apt is a stand-in. */
#include "kernel/apt.h"

#include "base/error.h"
#include "base/tree.h"

#include <glib/gstdio.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

struct fixture {
	char *folder, *path; /* the cache and the stand-ins; PATH as it was */
};

static void set_up(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	fixture->folder = g_dir_make_tmp("topolab-apt-XXXXXX", NULL);
	g_assert_nonnull(fixture->folder);
	fixture->path = g_strdup(g_getenv("PATH"));
	g_setenv("TOPOLAB_CACHE", fixture->folder, TRUE);
	g_setenv("TOPOLAB_MIRROR", "http://mirror.example/debian", TRUE);
}

static void tear_down(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	g_setenv("PATH", fixture->path, TRUE);
	g_unsetenv("TOPOLAB_CACHE");
	g_unsetenv("TOPOLAB_MIRROR");
	g_assert_true(tree_remove(fixture->folder, NULL));
	g_free(fixture->folder);
	g_free(fixture->path);
}

/* An apt-cache that knows these packages, each with one version. */
static void stand_in(const struct fixture *fixture, const char *names)
{
	g_autofree char *program = g_build_filename(fixture->folder, "apt-cache", NULL);
	g_autofree char *path = g_strdup_printf("%s:%s", fixture->folder, fixture->path);
	g_autofree char *script =
		g_strdup_printf("#!/bin/sh\n"
				"shift 2\n"
				"case $1 in\n"
				"pkgnames) printf '%%s\\n' %s ;;\n"
				"madison) shift\n"
				"for name; do echo \" $name | 1-2 | x\"; done ;;\n"
				"esac\n",
				names);

	g_assert_true(g_file_set_contents_full(program, script, -1, G_FILE_SET_CONTENTS_NONE, 0755,
					       NULL));
	g_setenv("PATH", path, TRUE);
}

static void test_newest(struct fixture *fixture, gconstpointer data)
{
	static const struct kernel_options options;
	struct apt_package package = {NULL, NULL};
	g_autoptr(GError) error = NULL;
	AUTO(apt) *apt = NULL;

	(void)data;
	stand_in(fixture, "bash linux-image-6.12.99+deb12-cloud-amd64 linux-image-6.1.0-40-amd64");
	apt = apt_open("bookworm", &options, &error);
	g_assert_no_error(error);
	g_assert_true(apt_newest(apt, "linux-image-6.12.*+deb12-cloud-amd64", &package, &error));
	g_assert_no_error(error);
	g_assert_cmpstr(package.name, ==, "linux-image-6.12.99+deb12-cloud-amd64");
	g_assert_cmpstr(package.version, ==, "1-2");
	apt_package_clear(&package);
}

/* A mirror from which the wanted series is gone: the user learns what there is instead. */
static void test_moved_on(struct fixture *fixture, gconstpointer data)
{
	static const struct kernel_options options;
	struct apt_package package = {NULL, NULL};
	g_autoptr(GError) error = NULL;
	AUTO(apt) *apt = NULL;

	(void)data;
	stand_in(fixture, "bash linux-image-6.18.3+deb12-cloud-amd64 linux-image-6.1.0-40-amd64");
	apt = apt_open("bookworm", &options, &error);
	g_assert_no_error(error);
	g_assert_false(apt_newest(apt, "linux-image-6.12.*+deb12-cloud-amd64", &package, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_cmpstr(error->message, ==,
			"the mirror has no package in 'bookworm' that matches "
			"'linux-image-6.12.*+deb12-cloud-amd64'; it has "
			"'linux-image-6.18.3+deb12-cloud-amd64'");
}

struct holder {
	int fd;
	char *said;
};

/* Whoever held the lock is done as soon as somebody says that it waits. */
static void let_go(const char *text, void *data)
{
	struct holder *holder = data;

	holder->said = g_strdup(text);
	close(holder->fd);
}

static void test_locked(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *folder = g_build_filename(fixture->folder, "apt", "bookworm", NULL);
	g_autofree char *path = g_build_filename(folder, "topolab.lock", NULL);
	struct holder holder = {.fd = -1};
	struct kernel_options options = {.progress = let_go, .data = &holder};
	g_autoptr(GError) error = NULL;
	AUTO(apt) *apt = NULL;

	(void)data;
	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	holder.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	g_assert_cmpint(flock(holder.fd, LOCK_EX), ==, 0);
	g_assert_cmpint(write(holder.fd, "4711\n", 5), ==, 5);
	apt = apt_open("bookworm", &options, &error);
	g_assert_no_error(error);
	g_assert_nonnull(apt);
	g_assert_cmpstr(holder.said, ==,
			"waiting for another topolab, process 4711, that fetches a kernel");
	g_free(holder.said);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add("/kernel/apt/newest", struct fixture, NULL, set_up, test_newest, tear_down);
	g_test_add("/kernel/apt/moved-on", struct fixture, NULL, set_up, test_moved_on, tear_down);
	g_test_add("/kernel/apt/locked", struct fixture, NULL, set_up, test_locked, tear_down);
	return g_test_run();
}
