// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/kconfig.h"

#include "base/error.h"
#include "base/paths.h"

#include <errno.h>
#include <string.h>

/* Beside .config: the fragments that it was made with. */
#define FRAGMENTS_COPY ".topolab-fragment"
#define UNSET	       " is not set"

char *kconfig_base(void)
{
	return paths_data("kernels/lab.config");
}

/* "CONFIG_X=y" and "# CONFIG_X is not set": X, and its value, which is "n" for the latter. */
static bool split_line(const char *line, char **name, const char **value)
{
	const char *equals = strchr(line, '=');

	if (g_str_has_prefix(line, "CONFIG_") && equals) {
		*name = g_strndup(line + strlen("CONFIG_"),
				  (gsize)(equals - line) - strlen("CONFIG_"));
		*value = equals + 1;
		return true;
	}
	if (!g_str_has_prefix(line, "# CONFIG_") || !g_str_has_suffix(line, UNSET))
		return false;
	*name = g_strndup(line + strlen("# CONFIG_"),
			  strlen(line) - strlen("# CONFIG_") - strlen(UNSET));
	*value = "n";
	return true;
}

static GHashTable *read_options(const char *text)
{
	GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	const char *value;
	char *name;

	for (unsigned i = 0; lines[i]; i++)
		if (split_line(lines[i], &name, &value))
			g_hash_table_replace(table, name, g_strdup(value));
	return table;
}

GHashTable *kconfig_lost(const char *fragments, const char *config)
{
	g_autoptr(GHashTable) wanted = read_options(fragments);
	g_autoptr(GHashTable) present = read_options(config);
	GHashTable *lost = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	gpointer name, value;
	GHashTableIter iter;

	g_hash_table_iter_init(&iter, wanted);
	while (g_hash_table_iter_next(&iter, &name, &value)) {
		const char *actual = g_hash_table_lookup(present, name);

		if (strcmp(actual ? actual : "n", value) != 0)
			g_hash_table_add(lost, g_strdup(name));
	}
	return lost;
}

void kconfig_forget_defined(const char *kconfig, GHashTable *names)
{
	g_auto(GStrv) lines = g_strsplit(kconfig, "\n", -1);

	for (unsigned i = 0; lines[i]; i++)
		if (g_str_has_prefix(lines[i], "config ") ||
		    g_str_has_prefix(lines[i], "menuconfig "))
			g_hash_table_remove(names, g_strstrip(strchr(lines[i], ' ') + 1));
}

/* A tree has some 1700 of these files. */
static void forget_defined_below(const char *folder, GHashTable *names)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_autofree char *text = NULL;

		if (*name == '.' || g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			continue;
		if (g_file_test(path, G_FILE_TEST_IS_DIR))
			forget_defined_below(path, names);
		else if (g_str_has_prefix(name, "Kconfig") &&
			 g_file_get_contents(path, &text, NULL, NULL))
			kconfig_forget_defined(text, names);
	}
}

static gint compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static char *join_keys(GHashTable *set)
{
	guint n;
	g_autofree char **keys = (char **)g_hash_table_get_keys_as_array(set, &n);

	if (n)
		qsort(keys, n, sizeof(*keys), compare_names);
	return g_strjoinv(", ", keys);
}

static void remove_all(GHashTable *from, GHashTable *names)
{
	GHashTableIter iter;
	gpointer name;

	g_hash_table_iter_init(&iter, names);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_hash_table_remove(from, name);
}

/* Those of @lost that the tree does not know and nobody but the base asks for: another version's.
 */
static GHashTable *find_foreign(const struct kbuild *kbuild, GHashTable *lost, GError **error)
{
	g_autoptr(GHashTable) asked = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GHashTable *foreign = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autofree char *base = kconfig_base();
	GHashTableIter iter;
	gpointer name;

	for (unsigned i = 0; kbuild->fragments[i]; i++) {
		g_autoptr(GHashTable) options = NULL;
		g_autofree char *text = NULL;

		if (strcmp(kbuild->fragments[i], base) == 0)
			continue;
		if (!g_file_get_contents(kbuild->fragments[i], &text, NULL, error)) {
			g_hash_table_unref(foreign);
			return NULL;
		}
		options = read_options(text);
		g_hash_table_iter_init(&iter, options);
		while (g_hash_table_iter_next(&iter, &name, NULL))
			g_hash_table_add(asked, g_strdup(name));
	}
	g_hash_table_iter_init(&iter, lost);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		if (!g_hash_table_contains(asked, name))
			g_hash_table_add(foreign, g_strdup(name));
	forget_defined_below(kbuild->tree, foreign);
	return foreign;
}

/* An option of the base that a tree does not know is of another version. */
static bool check_lost(const struct kbuild *kbuild, const char *fragments,
		       const struct kernel_options *options, GError **error)
{
	g_autofree char *path = kbuild_config(kbuild);
	g_autofree char *config = NULL;
	g_autofree char *dropped = NULL;
	g_autofree char *unknown = NULL;
	g_autoptr(GHashTable) lost = NULL;
	g_autoptr(GHashTable) foreign = NULL;

	if (!g_file_get_contents(path, &config, NULL, error))
		return false;
	lost = kconfig_lost(fragments, config);
	if (g_hash_table_size(lost) == 0)
		return true;
	foreign = find_foreign(kbuild, lost, error);
	if (!foreign)
		return false;
	remove_all(lost, foreign);
	unknown = join_keys(foreign);
	if (*unknown)
		kernel_say(options, "'%s' does not know these options: %s", kbuild->tree, unknown);
	if (g_hash_table_size(lost) == 0)
		return true;
	dropped = join_keys(lost);
	g_set_error(error, TOPOLAB_ERROR, ERROR_BUILD,
		    "'%s' cannot be configured as it should be: its Kconfig drops %s; the config "
		    "is '%s'",
		    kbuild->tree, dropped, path);
	return false;
}

static bool is_made(const struct kbuild *kbuild, const char *copy_path, const char *fragments)
{
	g_autofree char *config = kbuild_config(kbuild);
	g_autofree char *copy = NULL;

	return g_file_test(config, G_FILE_TEST_EXISTS) &&
	       g_file_get_contents(copy_path, &copy, NULL, NULL) && strcmp(copy, fragments) == 0;
}

/* Of two lines for one option Kconfig takes the last. */
static bool add_fragments(const struct kbuild *kbuild, const char *fragments, GError **error)
{
	g_autofree char *path = kbuild_config(kbuild);
	g_autofree char *tiny = NULL;
	g_autofree char *both = NULL;

	if (!g_file_get_contents(path, &tiny, NULL, error))
		return false;
	both = g_strconcat(tiny, fragments, NULL);
	return g_file_set_contents(path, both, -1, error);
}

char *kconfig_text(const char *const *fragments, GError **error)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; fragments[i]; i++) {
		g_autofree char *one = NULL;
		g_autoptr(GError) cause = NULL;

		if (!g_file_get_contents(fragments[i], &one, NULL, &cause)) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
				    "the config fragment '%s' cannot be read: %s", fragments[i],
				    cause->message);
			g_string_free(text, TRUE);
			return NULL;
		}
		g_string_append_printf(text, "%s\n", one);
	}
	return g_string_free(text, FALSE);
}

bool kconfig_make(const struct kbuild *kbuild, const struct kernel_options *options, GError **error)
{
	g_autofree char *copy_path = g_build_filename(kbuild->out, FRAGMENTS_COPY, NULL);
	g_autofree char *names = g_strjoinv("', '", kbuild->fragments);
	g_autofree char *text = kconfig_text((const char *const *)kbuild->fragments, error);

	if (!text)
		return false;
	if (is_made(kbuild, copy_path, text))
		return true;
	if (g_mkdir_with_parents(kbuild->out, 0755) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make '%s': %s", kbuild->out,
			    g_strerror(errno));
		return false;
	}
	kernel_say(options, "configuring '%s' with '%s'", kbuild->tree, names);
	return kbuild_target(kbuild, "tinyconfig", options, error) &&
	       add_fragments(kbuild, text, error) &&
	       kbuild_target(kbuild, "olddefconfig", options, error) &&
	       check_lost(kbuild, text, options, error) &&
	       g_file_set_contents(copy_path, text, -1, error);
}
