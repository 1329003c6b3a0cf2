// SPDX-License-Identifier: GPL-2.0-only
/* A kernel's sources on this machine: built where they lie if configured, else in the cache. */
#include "kernel/built.h"
#include "kernel/kbuild.h"
#include "kernel/kernel_file.h"
#include "kernel/symbols.h"

#include "base/error.h"

#include <sys/stat.h>

/* What the kernel must build hangs on its config: another one than it was built with misjudges it.
 */
static bool check_age(const char *image, const char *config, GError **error)
{
	struct stat built, configured;

	/* What is missing is told by whoever reads it. */
	if (stat(image, &built) != 0 || stat(config, &configured) != 0 ||
	    configured.st_mtime <= built.st_mtime)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "'%s' is newer than '%s', which may be built with another config; leave out "
		    "--no-build",
		    config, image);
	return false;
}

static struct kbuild *open_tree(GHashTable *fields, const struct kernel_options *options,
				GError **error)
{
	const char *list = kernel_field(fields, "fragments");
	g_auto(GStrv) fragments = g_strsplit(list ? list : "", "\n", -1);

	return kbuild_open(kernel_field(fields, "tree"), (const char *const *)fragments, options,
			   error);
}

static bool tree_fetch(GHashTable *fields, const struct kernel_options *options,
		       struct kernel *kernel, GError **error)
{
	AUTO(kbuild) *kbuild = open_tree(fields, options, error);
	g_autofree char *image = kbuild ? kbuild_image(kbuild) : NULL;
	g_autofree char *config = kbuild ? kbuild_config(kbuild) : NULL;
	g_autofree char *origin = NULL;

	if (!kbuild)
		return false;
	if (options->no_build ? !check_age(image, config, error)
			      : !kbuild_make(kbuild, options, error))
		return false;
	origin = g_strconcat("built from ", kbuild->tree, NULL);
	/* Its vmlinux stays in the tree, for which the user has his own debugger and disk space. */
	if (!built_keep(kernel, kbuild, &(struct built_as){.origin = origin}, error))
		return false;
	kernel->vmlinux = symbols_find(image, kernel_facts_release(kernel->facts));
	return true;
}

static bool tree_present(GHashTable *fields)
{
	return kbuild_is_tree(kernel_field(fields, "tree"));
}

static const struct kernel_field tree_fields[] = {
	{.name = "tree", .help = "path of the sources", .required = true, .kind = FIELD_PATH},
	{.name = "fragments",
	 .help = "config fragments on top of lab.config, for a tree without a .config",
	 .kind = FIELD_PATHS},
	{0},
};

const struct kernel_source kernel_source_tree = {
	.kind = "tree",
	.help = "sources on this machine, built in place or in the cache",
	.fields = tree_fields,
	.fetch = tree_fetch,
	.present = tree_present,
	.tree_field = "tree",
};
