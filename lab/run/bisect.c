// SPDX-License-Identifier: GPL-2.0-only
#include "run/bisect.h"

#include "base/paths.h"

#include <string.h>
#include <sys/stat.h>

/* The repository of a work tree: .git, or what the file .git of a further work tree names. */
static char *git_folder(const char *tree)
{
	static const char label[] = "gitdir: ";
	g_autofree char *path = g_build_filename(tree, ".git", NULL);
	g_autofree char *text = NULL;

	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		return g_steal_pointer(&path);
	if (!g_file_get_contents(path, &text, NULL, NULL) || !g_str_has_prefix(text, label))
		return NULL;
	return g_canonicalize_filename(g_strchomp(text + strlen(label)), tree);
}

static char *git_folder_above(const char *folder)
{
	g_autofree char *tree = g_canonicalize_filename(folder, NULL);

	for (;;) {
		g_autofree char *parent = g_path_get_dirname(tree);
		char *git = git_folder(tree);

		if (git || strcmp(parent, tree) == 0)
			return git;
		g_free(tree);
		tree = g_steal_pointer(&parent);
	}
}

/* git bisect start writes BISECT_START, and nothing does until the next one. */
char *bisect_find(const char *folder)
{
	g_autofree char *git = git_folder_above(folder);
	g_autofree char *path = git ? g_build_filename(git, "BISECT_START", NULL) : NULL;
	g_autofree char *text = NULL;
	g_autofree char *sum = NULL;
	struct stat status;

	if (!path || stat(path, &status) != 0)
		return NULL;
	text = g_strdup_printf("%s %" G_GINT64_FORMAT ".%09ld", path, (gint64)status.st_mtim.tv_sec,
			       status.st_mtim.tv_nsec);
	sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
	return g_strndup(sum, 16);
}

static char *memory_path(const char *bisect, GError **error)
{
	g_autofree char *folder = paths_cache("bisect", error);

	return folder ? g_build_filename(folder, bisect, NULL) : NULL;
}

bool bisect_recall(const char *bisect, enum emit_accel *accel)
{
	g_autofree char *path = memory_path(bisect, NULL);
	g_autofree char *text = NULL;

	return path && g_file_get_contents(path, &text, NULL, NULL) &&
	       emit_accel_from_name(text, accel);
}

bool bisect_remember(const char *bisect, enum emit_accel accel, GError **error)
{
	g_autofree char *path = memory_path(bisect, error);

	return path && g_file_set_contents(path, emit_accel_name(accel), -1, error);
}
