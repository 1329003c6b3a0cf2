// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/recipe.h"

#include "kernel/built.h"
#include "kernel/cache.h"
#include "kernel/kbuild.h"
#include "kernel/kconfig.h"
#include "kernel/kernel_file.h"

#include "base/error.h"
#include "base/spawn.h"

#include <string.h>

/* Everything that a kernel is made of, read. */
struct recipe {
	const struct sources_origin *origin;
	char **fragments; /* paths */
	char **patches;	  /* paths */
	char **texts;	  /* of the patches */
	char *id;	  /* names the kernel in the cache: the sum of all */
	char *title;	  /* what it is made of, for people */
};

static void recipe_free(struct recipe *recipe)
{
	g_strfreev(recipe->fragments);
	g_strfreev(recipe->patches);
	g_strfreev(recipe->texts);
	g_free(recipe->id);
	g_free(recipe->title);
	g_free(recipe);
}
AUTO_DEFINE(recipe, recipe_free)

static bool read_input(const char *what, const char *path, char **text, GError **error)
{
	g_autoptr(GError) cause = NULL;

	if (g_file_get_contents(path, text, NULL, &cause))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "the %s '%s' cannot be read: %s", what, path,
		    cause->message);
	return false;
}

/* quilt(1)'s series: a patch a line, '#' begins a comment; options behind a name are not known. */
static bool add_series(const char *folder, GPtrArray *patches, GError **error)
{
	g_autofree char *path = g_build_filename(folder, "series", NULL);
	g_auto(GStrv) lines = NULL;
	g_autofree char *text = NULL;

	if (!read_input("patch series", path, &text, error))
		return false;
	lines = g_strsplit(text, "\n", -1);
	for (unsigned i = 0; lines[i]; i++) {
		char *comment = strchr(lines[i], '#');

		if (comment)
			*comment = '\0';
		if (*g_strstrip(lines[i]))
			g_ptr_array_add(patches, g_build_filename(folder, lines[i], NULL));
	}
	return true;
}

char **recipe_patches(const char *list, GError **error)
{
	g_autoptr(GPtrArray) patches = g_ptr_array_new_with_free_func(g_free);
	g_auto(GStrv) paths = g_strsplit(list ? list : "", "\n", -1);

	for (unsigned i = 0; paths[i]; i++) {
		if (!g_file_test(paths[i], G_FILE_TEST_IS_DIR))
			g_ptr_array_add(patches, g_strdup(paths[i]));
		else if (!add_series(paths[i], patches, error))
			return NULL;
	}
	g_ptr_array_add(patches, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&patches), FALSE);
}

static bool read_patches(struct recipe *recipe, const char *list, GError **error)
{
	guint n;

	recipe->patches = recipe_patches(list, error);
	if (!recipe->patches)
		return false;
	n = g_strv_length(recipe->patches);
	recipe->texts = g_new0(char *, n + 1);
	for (guint i = 0; i < n; i++)
		if (!read_input("patch", recipe->patches[i], &recipe->texts[i], error))
			return false;
	return true;
}

/* The first line of `gcc --version`: another compiler makes another kernel. */
static char *compiler_version(GError **error)
{
	g_autofree char *gcc = g_find_program_in_path("gcc");
	char *text = NULL;

	if (!gcc) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "building a kernel needs 'gcc', which this host lacks");
		return NULL;
	}
	if (!spawn_run((const char *const[]){gcc, "--version", NULL}, NULL, &text, error))
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static void sum_text(GChecksum *sum, const char *text)
{
	/* With its NUL, so that no two lists of texts run into the same bytes. */
	g_checksum_update(sum, (const guchar *)text, (gssize)strlen(text) + 1);
}

static bool sum_all(struct recipe *recipe, GError **error)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree char *compiler = compiler_version(error);
	g_autofree char *base = kconfig_base();
	g_autofree char *options = NULL;
	g_autofree char *base_options = NULL;

	if (!compiler)
		return false;
	base_options = kconfig_text((const char *const[]){base, NULL}, error);
	options = base_options ? kconfig_text((const char *const *)recipe->fragments, error) : NULL;
	if (!options)
		return false;
	sum_text(sum, recipe->origin->id);
	sum_text(sum, recipe->origin->version);
	sum_text(sum, compiler);
	sum_text(sum, base_options);
	sum_text(sum, options);
	for (unsigned i = 0; recipe->texts[i]; i++)
		sum_text(sum, recipe->texts[i]);
	recipe->id = g_strdup_printf("built-%.16s", g_checksum_get_string(sum));
	return true;
}

/* "built from linux-source-6.12_6.12.117-1 with debug.config, 2 patches" */
static char *describe(const struct recipe *recipe)
{
	GString *text = g_string_new("built from ");
	guint n_patches = g_strv_length(recipe->patches);

	g_string_append(text, recipe->origin->id);
	if (*recipe->origin->version)
		g_string_append_printf(text, " at %.12s", recipe->origin->version);
	for (unsigned i = 0; recipe->fragments[i]; i++) {
		g_autofree char *name = g_path_get_basename(recipe->fragments[i]);

		g_string_append_printf(text, "%s%s", i ? ", " : " with ", name);
	}
	if (n_patches)
		g_string_append_printf(text, ", %u patch%s", n_patches, n_patches > 1 ? "es" : "");
	return g_string_free(text, FALSE);
}

static struct recipe *recipe_read(const struct sources_origin *origin, GHashTable *fields,
				  GError **error)
{
	const char *fragments = kernel_field(fields, "fragments");
	AUTO(recipe) *recipe = g_new0(struct recipe, 1);

	recipe->origin = origin;
	recipe->fragments = g_strsplit(fragments ? fragments : "", "\n", -1);
	if (!read_patches(recipe, kernel_field(fields, "patches"), error) ||
	    !sum_all(recipe, error))
		return NULL;
	recipe->title = describe(recipe);
	return g_steal_pointer(&recipe);
}

static struct sources *patched_sources(const struct recipe *recipe,
				       const struct kernel_options *options, GError **error)
{
	AUTO(sources) *sources = sources_open(recipe->origin, options, error);

	if (!sources || !sources_patch(sources, (const char *const *)recipe->patches,
				       (const char *const *)recipe->texts, options, error))
		return NULL;
	return g_steal_pointer(&sources);
}

static bool recipe_build(const struct recipe *recipe, const struct kernel_options *options,
			 struct kernel *kernel, GError **error)
{
	AUTO(sources) *sources = patched_sources(recipe, options, error);
	struct built_as as = {.id = recipe->id, .origin = recipe->title};
	AUTO(kbuild) *kbuild = NULL;
	g_autofree char *vmlinux = NULL;

	if (!sources)
		return false;
	kbuild = kbuild_open(sources->tree, (const char *const *)recipe->fragments, options, error);
	if (!kbuild || !kbuild_make(kbuild, options, error))
		return false;
	/* The next series on the same tree replaces it. */
	vmlinux = kbuild_vmlinux(kbuild);
	as.vmlinux = vmlinux;
	return built_keep(kernel, kbuild, &as, error);
}

bool recipe_fetch(const struct sources_origin *origin, GHashTable *fields,
		  const struct kernel_options *options, struct kernel *kernel, GError **error)
{
	AUTO(recipe) *recipe = recipe_read(origin, fields, error);

	if (!recipe)
		return false;
	if (cache_load(recipe->id, kernel, NULL))
		return true;
	if (!options->no_build)
		return recipe_build(recipe, options, kernel, error);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "kernel '%s', %s, was not built yet; leave out --no-build", kernel->name,
		    recipe->title);
	return false;
}

struct sources *recipe_sources(const struct sources_origin *origin, GHashTable *fields,
			       const struct kernel_options *options, GError **error)
{
	AUTO(recipe) *recipe = recipe_read(origin, fields, error);

	return recipe ? patched_sources(recipe, options, error) : NULL;
}

bool recipe_present(const struct sources_origin *origin, GHashTable *fields)
{
	AUTO(recipe) *recipe = recipe_read(origin, fields, NULL);

	return recipe && cache_has(recipe->id);
}
