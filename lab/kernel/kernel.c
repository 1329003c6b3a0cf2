// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/kernel.h"

#include "kernel/cache.h"
#include "kernel/kernel_file.h"

#include "base/error.h"
#include "base/paths.h"

#include <string.h>

extern const struct kernel_source kernel_source_file, kernel_source_tree;

void kernel_free(struct kernel *kernel)
{
	if (!kernel)
		return;
	g_free(kernel->name);
	g_free(kernel->image_path);
	g_free(kernel->sha256);
	g_free(kernel->package);
	kernel_facts_unref(kernel->facts);
	cache_release(kernel->hold);
	g_free(kernel);
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

char **kernel_list(void)
{
	g_autofree char *folder = paths_data("kernels");

	return paths_names((const char *const[]){folder, NULL}, ".yaml");
}

static bool kernel_from_path(struct kernel *kernel, const char *path,
			     const struct kernel_options *options, GError **error)
{
	g_autoptr(GHashTable) fields =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	const struct kernel_source *source = &kernel_source_file;
	g_autofree char *canonical = g_canonicalize_filename(path, NULL);

	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		source = &kernel_source_tree;
	/* Each of the two has one field that it cannot do without. */
	g_hash_table_insert(fields, g_strdup(source->fields[0].name), g_strdup(path));
	kernel->name = g_path_get_basename(canonical);
	return source->fetch(fields, options, kernel, error);
}

char *kernel_source_notes(void)
{
	GString *notes = g_string_new("Sources of kernels in kernels/:\n");

	for (unsigned i = 0; kernel_source_table[i]; i++)
		g_string_append_printf(notes, "  %-6s %s\n", kernel_source_table[i]->kind,
				       kernel_source_table[i]->help);
	return g_string_free(notes, FALSE);
}

struct kernel_file *kernel_file_find(const char *name, GError **error)
{
	g_auto(GStrv) names = kernel_list();
	g_autofree char *base = g_strconcat(name, ".yaml", NULL);
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

static bool kernel_from_name(struct kernel *kernel, const char *name,
			     const struct kernel_options *options, GError **error)
{
	AUTO(kernel_file) *file = kernel_file_find(name, error);

	if (!file)
		return false;
	kernel->name = g_strdup(name);
	return file->source->fetch(file->fields, options, kernel, error);
}

struct kernel *kernel_get(const char *which, const struct kernel_options *options, GError **error)
{
	AUTO(kernel) *kernel = g_new0(struct kernel, 1);
	/* "--kernel ." is what one types in a tree. */
	bool is_path = strchr(which, '/') || strcmp(which, ".") == 0 || strcmp(which, "..") == 0;
	bool ok = is_path ? kernel_from_path(kernel, which, options, error)
			  : kernel_from_name(kernel, which, options, error);

	return ok ? g_steal_pointer(&kernel) : NULL;
}
