// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/kernel.h"

#include "kernel/cache.h"
#include "kernel/kernel_file.h"
#include "kernel/recipe.h"
#include "kernel/symbols.h"

#include "base/error.h"
#include "base/paths.h"

#include <string.h>

#define SUFFIX		".yaml"
#define FRAGMENT_SUFFIX ".config"

extern const struct kernel_source kernel_source_file, kernel_source_tree;

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	g_free(kernel->name);
	g_free(kernel->image_path);
	g_free(kernel->sha256);
	g_free(kernel->package);
	g_free(kernel->config);
	g_free(kernel->vmlinux);
	kernel_facts_unref(kernel->facts);
	cache_release(kernel->hold);
	g_clear_pointer(&kernel->fields, g_hash_table_unref);
	g_free(kernel);
}

char *kernel_vmlinux(const struct kernel *kernel)
{
	return kernel->vmlinux
		       ? g_strdup(kernel->vmlinux)
		       : symbols_find(kernel->image_path, kernel_facts_release(kernel->facts));
}

void kernel_say(const struct kernel_options *options, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	if (!options->progress)
		return;
	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	options->progress(text, options->data);
}

static char **list_names(const char *suffix)
{
	g_autofree char *folder = paths_data("kernels");

	return paths_names((const char *const[]){folder, NULL}, suffix);
}

char **kernel_list(void)
{
	return list_names(SUFFIX);
}

char **kernel_list_fragments(void)
{
	return list_names(FRAGMENT_SUFFIX);
}

char *kernel_source_notes(void)
{
	GString *notes = g_string_new("Sources of kernels in kernels/:\n");

	for (unsigned i = 0; kernel_source_table[i]; i++)
		g_string_append_printf(notes, "  %-8s %s\n", kernel_source_table[i]->kind,
				       kernel_source_table[i]->help);
	return g_string_free(notes, FALSE);
}

struct kernel_file *kernel_file_find(const char *name, GError **error)
{
	g_auto(GStrv) names = kernel_list();
	g_autofree char *base = g_strconcat(name, SUFFIX, NULL);
	g_autofree char *folder = paths_data("kernels");
	g_autofree char *path = g_build_filename(folder, base, NULL);

	if (!g_strv_contains((const char *const *)names, name)) {
		g_autofree char *known = g_strjoinv(", ", names);

		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "there is no kernel '%s'; '%s' has %s, and a path to a bzImage has a "
			    "'/' in it",
			    name, folder, *known ? known : "none");
		return NULL;
	}
	return kernel_file_load(path, error);
}

static bool take_file(struct kernel *kernel, const struct kernel_file *file, const char *name)
{
	kernel->name = g_strdup(name);
	kernel->source = file->source;
	kernel->fields = g_hash_table_ref(file->fields);
	return true;
}

static bool find_by_name(struct kernel *kernel, const char *name, GError **error)
{
	AUTO(kernel_file) *file = kernel_file_find(name, error);

	return file && take_file(kernel, file, name);
}

static bool find_by_file(struct kernel *kernel, const char *path, GError **error)
{
	AUTO(kernel_file) *file = kernel_file_load(path, error);
	g_autofree char *base = g_path_get_basename(path);

	base[strlen(base) - strlen(SUFFIX)] = '\0';
	return file && take_file(kernel, file, base);
}

static bool find_by_path(struct kernel *kernel, const char *path, GError **error)
{
	g_autofree char *canonical = g_canonicalize_filename(path, NULL);

	if (g_str_has_suffix(path, SUFFIX))
		return find_by_file(kernel, path, error);
	kernel->name = g_path_get_basename(canonical);
	kernel->source =
		g_file_test(path, G_FILE_TEST_IS_DIR) ? &kernel_source_tree : &kernel_source_file;
	kernel->fields = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	/* Each of the two has one field that it cannot do without. */
	g_hash_table_insert(kernel->fields, g_strdup(kernel->source->fields[0].name),
			    g_strdup(path));
	return true;
}

char *kernel_split_fragments(const char *which, char ***fragments)
{
	const char *slash = strrchr(which, '/');
	const char *plus = strchr(slash ? slash : which, '+');

	*fragments = g_strsplit(plus ? plus + 1 : "", "+", -1);
	return plus ? g_strndup(which, (gsize)(plus - which)) : g_strdup(which);
}

static char *fragment_path(const char *name, GError **error)
{
	g_autofree char *sub = g_strconcat("kernels/", name, FRAGMENT_SUFFIX, NULL);
	g_auto(GStrv) names = kernel_list_fragments();
	g_autofree char *known = NULL;

	if (g_strv_contains((const char *const *)names, name))
		return paths_data(sub);
	known = g_strjoinv(", ", names);
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "there is no config fragment '%s'; kernels/ has %s", name, known);
	return NULL;
}

static bool takes_fragments(const struct kernel_source *source)
{
	for (const struct kernel_field *field = source->fields; field->name; field++)
		if (strcmp(field->name, "fragments") == 0)
			return true;
	return false;
}

/* Behind those of the file, so that of two lines for one option this one counts. */
static bool add_fragment(struct kernel *kernel, const char *name, GError **error)
{
	const char *before = kernel_field(kernel->fields, "fragments");
	g_autofree char *longer = g_strconcat(kernel->name, "+", name, NULL);
	g_autofree char *path = NULL;

	if (!takes_fragments(kernel->source)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "kernel '%s' is not built here, so nothing can be put on its config "
			    "('+%s')",
			    kernel->name, name);
		return false;
	}
	path = fragment_path(name, error);
	if (!path)
		return false;
	g_hash_table_replace(kernel->fields, g_strdup("fragments"),
			     before ? g_strjoin("\n", before, path, NULL) : g_strdup(path));
	g_free(kernel->name);
	kernel->name = g_steal_pointer(&longer);
	return true;
}

/* "--kernel ." is what one types in a tree. */
static bool is_path(const char *which)
{
	return strchr(which, '/') || strcmp(which, ".") == 0 || strcmp(which, "..") == 0;
}

static bool fetch(struct kernel *kernel, const struct kernel_options *options, GError **error)
{
	AUTO(sources_origin) *origin = NULL;

	if (kernel->source->fetch)
		return kernel->source->fetch(kernel->fields, options, kernel, error);
	origin = kernel->source->origin(kernel->fields, kernel, options, error);
	return origin && recipe_fetch(origin, kernel->fields, options, kernel, error);
}

/* What it is and where it comes from: nothing is fetched. */
static struct kernel *kernel_find(const char *which, GError **error)
{
	AUTO(kernel) *kernel = g_new0(struct kernel, 1);
	g_auto(GStrv) fragments = NULL;
	g_autofree char *plain = NULL;

	/* A path that has a '+' of its own. */
	if (is_path(which) && g_file_test(which, G_FILE_TEST_EXISTS))
		plain = g_strdup(which);
	else
		plain = kernel_split_fragments(which, &fragments);
	if (!(is_path(plain) ? find_by_path(kernel, plain, error)
			     : find_by_name(kernel, plain, error)))
		return NULL;
	for (unsigned i = 0; fragments && fragments[i]; i++)
		if (!add_fragment(kernel, fragments[i], error))
			return NULL;
	return g_steal_pointer(&kernel);
}

struct kernel *kernel_get(const char *which, const struct kernel_options *options, GError **error)
{
	AUTO(kernel) *kernel = kernel_find(which, error);

	return kernel && fetch(kernel, options, error) ? g_steal_pointer(&kernel) : NULL;
}

struct sources *kernel_sources_find(const char *which, const struct kernel_options *options,
				    GError **error)
{
	AUTO(kernel) *kernel = kernel_find(which, error);

	/* Only a package that was fetched says which version its sources must be of. */
	if (!kernel || (kernel->source->fetch && !kernel->source->tree_field &&
			!fetch(kernel, options, error)))
		return NULL;
	return kernel_sources(kernel, options, error);
}

struct sources *kernel_sources(const struct kernel *kernel, const struct kernel_options *options,
			       GError **error)
{
	const struct kernel_source *source = kernel->source;
	AUTO(sources_origin) *origin = NULL;

	if (source->tree_field)
		return sources_of_user(kernel_field(kernel->fields, source->tree_field));
	if (!source->origin) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
			    "the sources of kernel '%s' are not to be had from '%s'", kernel->name,
			    source->kind);
		return NULL;
	}
	origin = source->origin(kernel->fields, kernel, options, error);
	return origin ? recipe_sources(origin, kernel->fields, options, error) : NULL;
}
