// SPDX-License-Identifier: GPL-2.0-only
/* Which bisect a run is a step of, by the files that git keeps: git-bisect.sh,
 * gitrepository-layout(5). */
#include "run/bisect.h"

#include "base/tree.h"

#include <sys/stat.h>
#include <utime.h>

struct fixture {
	char *folder, *tree, *start;
};

static void set_up(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *git = NULL;

	(void)data;
	fixture->folder = g_dir_make_tmp("topolab-bisect-XXXXXX", NULL);
	fixture->tree = g_build_filename(fixture->folder, "linux", "kernel", "sched", NULL);
	git = g_build_filename(fixture->folder, "linux", ".git", NULL);
	fixture->start = g_build_filename(git, "BISECT_START", NULL);
	g_assert_cmpint(g_mkdir_with_parents(fixture->tree, 0755), ==, 0);
	g_assert_cmpint(g_mkdir_with_parents(git, 0755), ==, 0);
	g_setenv("TOPOLAB_CACHE", fixture->folder, TRUE);
}

static void tear_down(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	g_unsetenv("TOPOLAB_CACHE");
	g_assert_true(tree_remove(fixture->folder, NULL));
	g_free(fixture->folder);
	g_free(fixture->tree);
	g_free(fixture->start);
}

/* As git bisect start writes it, @seconds after 1970. */
static void bisect_start(const struct fixture *fixture, time_t seconds)
{
	const struct utimbuf times = {seconds, seconds};

	g_assert_true(g_file_set_contents(fixture->start, "main\n", -1, NULL));
	g_assert_cmpint(utime(fixture->start, &times), ==, 0);
}

static void test_memory(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *none = bisect_find(fixture->tree);
	g_autofree char *first = NULL, *same = NULL, *second = NULL;
	enum emit_accel accel = EMIT_ACCEL_TCG;

	(void)data;
	g_assert_null(none);
	bisect_start(fixture, 1000);
	first = bisect_find(fixture->tree);
	same = bisect_find(fixture->tree);
	g_assert_nonnull(first);
	g_assert_cmpstr(first, ==, same);
	g_assert_false(bisect_recall(first, &accel));
	g_assert_true(bisect_remember(first, EMIT_ACCEL_KVM, NULL));
	g_assert_true(bisect_recall(first, &accel));
	g_assert_cmpint(accel, ==, EMIT_ACCEL_KVM);

	/* The next bisect of the same branch is another one. */
	bisect_start(fixture, 1001);
	second = bisect_find(fixture->tree);
	g_assert_cmpstr(second, !=, first);
	g_assert_false(bisect_recall(second, &accel));
}

/* git worktree add: .git is a file there, and its bisect is its own. */
static void test_worktree(struct fixture *fixture, gconstpointer data)
{
	g_autofree char *worktree = g_build_filename(fixture->folder, "other", NULL);
	g_autofree char *link = g_build_filename(worktree, ".git", NULL);
	g_autofree char *git = g_path_get_dirname(fixture->start);
	g_autofree char *text = g_strdup_printf("gitdir: %s/worktrees/other\n", git);
	g_autofree char *folder = g_build_filename(git, "worktrees", "other", NULL);
	g_autofree char *start = g_build_filename(folder, "BISECT_START", NULL);
	g_autofree char *before = NULL, *after = NULL;

	(void)data;
	bisect_start(fixture, 1000);
	g_assert_cmpint(g_mkdir_with_parents(worktree, 0755), ==, 0);
	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(link, text, -1, NULL));
	before = bisect_find(worktree);
	g_assert_null(before);
	g_assert_true(g_file_set_contents(start, "main\n", -1, NULL));
	after = bisect_find(worktree);
	g_assert_nonnull(after);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add("/run/bisect/memory", struct fixture, NULL, set_up, test_memory, tear_down);
	g_test_add("/run/bisect/worktree", struct fixture, NULL, set_up, test_worktree, tear_down);
	return g_test_run();
}
