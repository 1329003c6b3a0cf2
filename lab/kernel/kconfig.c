// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/kconfig.h"

#include "base/error.h"
#include "base/paths.h"

#include <errno.h>
#include <string.h>

/* Beside .config: the fragment that it was made with. */
#define FRAGMENT_COPY ".topolab-fragment"

GHashTable *kconfig_lost(const char *fragment, const char *config)
{
	g_auto(GStrv) wanted = g_strsplit(fragment, "\n", -1);
	g_auto(GStrv) lines = g_strsplit(config, "\n", -1);
	g_autoptr(GHashTable) set = g_hash_table_new(g_str_hash, g_str_equal);
	GHashTable *lost = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (unsigned i = 0; lines[i]; i++)
		g_hash_table_add(set, lines[i]);
	for (unsigned i = 0; wanted[i]; i++) {
		const char *equals = strchr(wanted[i], '=');

		if (!g_str_has_prefix(wanted[i], "CONFIG_") || !equals ||
		    g_hash_table_contains(set, wanted[i]))
			continue;
		g_hash_table_add(lost, g_strndup(wanted[i] + strlen("CONFIG_"),
						 (gsize)(equals - wanted[i]) - strlen("CONFIG_")));
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

static char *join_keys(GHashTable *set)
{
	g_autofree char **keys = (char **)g_hash_table_get_keys_as_array(set, NULL);

	return g_strjoinv(", ", keys);
}

/* An option that a tree does not know is of another version; one that it drops is an error. */
static bool check_lost(const struct kbuild *kbuild, const char *fragment,
		       const struct kernel_options *options, GError **error)
{
	g_autofree char *path = kbuild_config(kbuild);
	g_autofree char *config = NULL;
	g_autofree char *dropped = NULL;
	g_autofree char *unknown = NULL;
	g_autoptr(GHashTable) lost = NULL;
	g_autoptr(GHashTable) foreign = NULL;
	GHashTableIter iter;
	gpointer name;

	if (!g_file_get_contents(path, &config, NULL, error))
		return false;
	lost = kconfig_lost(fragment, config);
	if (g_hash_table_size(lost) == 0)
		return true;
	foreign = kconfig_lost(fragment, config);
	forget_defined_below(kbuild->tree, foreign);
	g_hash_table_iter_init(&iter, foreign);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_hash_table_remove(lost, name);
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

static bool is_made(const struct kbuild *kbuild, const char *copy_path, const char *fragment)
{
	g_autofree char *config = kbuild_config(kbuild);
	g_autofree char *copy = NULL;

	return g_file_test(config, G_FILE_TEST_EXISTS) &&
	       g_file_get_contents(copy_path, &copy, NULL, NULL) && strcmp(copy, fragment) == 0;
}

/* Of two lines for one option Kconfig takes the last. */
static bool add_fragment(const struct kbuild *kbuild, const char *fragment, GError **error)
{
	g_autofree char *path = kbuild_config(kbuild);
	g_autofree char *tiny = NULL;
	g_autofree char *both = NULL;

	if (!g_file_get_contents(path, &tiny, NULL, error))
		return false;
	both = g_strconcat(tiny, fragment, NULL);
	return g_file_set_contents(path, both, -1, error);
}

bool kconfig_make(const struct kbuild *kbuild, const struct kernel_options *options, GError **error)
{
	g_autofree char *path = paths_data("kernels/lab.config");
	g_autofree char *copy_path = g_build_filename(kbuild->out, FRAGMENT_COPY, NULL);
	g_autofree char *fragment = NULL;

	if (!g_file_get_contents(path, &fragment, NULL, error))
		return false;
	if (is_made(kbuild, copy_path, fragment))
		return true;
	if (g_mkdir_with_parents(kbuild->out, 0755) != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot make '%s': %s", kbuild->out,
			    g_strerror(errno));
		return false;
	}
	kernel_say(options, "configuring '%s' with '%s'", kbuild->tree, path);
	return kbuild_target(kbuild, "tinyconfig", options, error) &&
	       add_fragment(kbuild, fragment, error) &&
	       kbuild_target(kbuild, "olddefconfig", options, error) &&
	       check_lost(kbuild, fragment, options, error) &&
	       g_file_set_contents(copy_path, fragment, -1, error);
}
