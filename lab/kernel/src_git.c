// SPDX-License-Identifier: GPL-2.0-only
/* A kernel that is built here from a commit of a git repository on this machine. */
#include "kernel/kernel_file.h"
#include "kernel/recipe.h"

#include "base/error.h"
#include "base/spawn.h"

#include <string.h>

static const struct kernel_field git_fields[] = {
	{.name = "repository",
	 .help = "path of a clone of Linux",
	 .required = true,
	 .kind = FIELD_PATH},
	{.name = "ref", .help = "a tag, branch or commit in it", .required = true},
	RECIPE_FIELDS,
	{0},
};

/* A commit of a repository. */
struct commit {
	char *repository, *name;
};

static void commit_free(gpointer data)
{
	struct commit *commit = data;

	g_free(commit->repository);
	g_free(commit->name);
	g_free(commit);
}

/*
 * git in @folder, with @words (NULL-terminated). The user's repository is read even if it is
 * another user's than who runs this; the user's settings and hooks stay out of it.
 */
static bool git(const char *folder, const char *const *words, char **output, GError **error)
{
	static const char *const environment[] = {"GIT_CONFIG_GLOBAL=/dev/null",
						  "GIT_CONFIG_NOSYSTEM=1",
						  "GIT_TERMINAL_PROMPT=0",
						  "GIT_CONFIG_COUNT=1",
						  "GIT_CONFIG_KEY_0=safe.directory",
						  "GIT_CONFIG_VALUE_0=*",
						  NULL};
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	struct spawn_options options = {.environment = environment};

	g_ptr_array_add(argv, g_strdup("git"));
	g_ptr_array_add(argv, g_strdup("-C"));
	g_ptr_array_add(argv, g_strdup(folder));
	for (unsigned i = 0; words[i]; i++)
		g_ptr_array_add(argv, g_strdup(words[i]));
	g_ptr_array_add(argv, NULL);
	return spawn_run((const char *const *)argv->pdata, &options, output, error);
}

static bool move(const char *tree, const struct kernel_options *options, void *data, GError **error)
{
	const struct commit *commit = data;
	const char *const words[] = {"checkout", "--quiet",    "--force",
				     "--detach", commit->name, NULL};

	kernel_say(options, "checking out %.12s of '%s'", commit->name, commit->repository);
	return git(tree, words, NULL, error);
}

/* The clone takes no object with it: it reads the repository's. */
static bool unpack(const char *tree, const struct kernel_options *options, void *data,
		   GError **error)
{
	const struct commit *commit = data;
	const char *const words[] = {
		"clone", "--quiet", "--shared", "--no-checkout", commit->repository, tree, NULL};

	return git("/", words, NULL, error) && move(tree, options, data, error);
}

static char *resolve(const char *repository, const char *ref, GError **error)
{
	g_autofree char *wanted = g_strconcat(ref, "^{commit}", NULL);
	const char *const words[] = {"rev-parse", "--verify", "--end-of-options", wanted, NULL};
	g_autoptr(GError) cause = NULL;
	char *name = NULL;

	if (git(repository, words, &name, &cause))
		return g_strchomp(name);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "'%s' has no commit '%s': %s", repository,
		    ref, cause->message);
	return NULL;
}

static struct sources_origin *git_origin(GHashTable *fields, const struct kernel *kernel,
					 const struct kernel_options *options, GError **error)
{
	const char *repository = kernel_field(fields, "repository");
	g_autofree char *sum = g_compute_checksum_for_string(G_CHECKSUM_SHA256, repository, -1);
	g_autofree char *name = resolve(repository, kernel_field(fields, "ref"), error);
	struct sources_origin *origin;
	struct commit *commit;

	(void)kernel;
	(void)options;
	if (!name)
		return NULL;
	commit = g_new0(struct commit, 1);
	commit->repository = g_strdup(repository);
	commit->name = g_strdup(name);
	origin = sources_origin_new(g_strdup_printf("git-%.16s", sum), commit, commit_free);
	g_free(origin->version);
	origin->version = g_steal_pointer(&name);
	origin->unpack = unpack;
	origin->move = move;
	return origin;
}

static bool git_present(GHashTable *fields)
{
	return g_file_test(kernel_field(fields, "repository"), G_FILE_TEST_IS_DIR);
}

const struct kernel_source kernel_source_git = {
	.kind = "git",
	.help = "built in the cache from a commit of a clone on this machine",
	.fields = git_fields,
	.origin = git_origin,
	.present = git_present,
};
