// SPDX-License-Identifier: GPL-2.0-only
#include "base/root.h"

#include "base/error.h"

#include <string.h>

/* Exactly one of @dir and @members is set. */
struct root {
	char *dir;
	GHashTable *members; /* path -> GBytes */
};

struct root *root_new_dir(const char *path)
{
	struct root *root = g_rc_box_new0(struct root);

	root->dir = g_strdup(path);
	return root;
}

struct root *root_new_members(GHashTable *members)
{
	struct root *root = g_rc_box_new0(struct root);

	root->members = members;
	return root;
}

struct root *root_ref(struct root *root)
{
	return g_rc_box_acquire(root);
}

static void root_clear(gpointer data)
{
	struct root *root = data;

	g_free(root->dir);
	g_clear_pointer(&root->members, g_hash_table_unref);
}

void root_unref(struct root *root)
{
	if (root)
		g_rc_box_release_full(root, root_clear);
}

static GBytes *root_read_path(struct root *root, const char *path, GError **error)
{
	g_autofree char *file = NULL;
	char *contents;
	gsize length;
	GBytes *bytes;

	if (root->members) {
		bytes = g_hash_table_lookup(root->members, path);
		if (bytes)
			return g_bytes_ref(bytes);
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "'%s' is missing in the evidence",
			    path);
		return NULL;
	}
	file = g_build_filename(root->dir, path, NULL);
	if (!g_file_get_contents(file, &contents, &length, error))
		return NULL;
	return g_bytes_new_take(contents, length);
}

GBytes *root_read_bytes(struct root *root, GError **error, const char *format, ...)
{
	g_autofree char *path = NULL;
	va_list args;

	va_start(args, format);
	path = g_strdup_vprintf(format, args);
	va_end(args);
	return root_read_path(root, path, error);
}

static char *root_read_text(struct root *root, const char *path, GError **error)
{
	g_autoptr(GBytes) bytes = root_read_path(root, path, error);
	gsize length;
	const char *data;

	if (!bytes)
		return NULL;
	data = g_bytes_get_data(bytes, &length);
	if (length && memchr(data, '\0', length)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "'%s' is not text: it holds a NUL byte", path);
		return NULL;
	}
	return g_strchomp(g_strndup(data ? data : "", length));
}

char *root_read(struct root *root, GError **error, const char *format, ...)
{
	g_autofree char *path = NULL;
	va_list args;

	va_start(args, format);
	path = g_strdup_vprintf(format, args);
	va_end(args);
	return root_read_text(root, path, error);
}

bool root_read_number(struct root *root, gint64 *value, GError **error, const char *format, ...)
{
	g_autofree char *path = NULL;
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	path = g_strdup_vprintf(format, args);
	va_end(args);
	text = root_read_text(root, path, error);
	if (!text)
		return false;
	if (!g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, value, NULL)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "'%s' holds '%.80s', not a number",
			    path, text);
		return false;
	}
	return true;
}

/* The first component of @path below the folder @prefix (which ends in '/'), or NULL. */
static char *component_below(const char *path, const char *prefix)
{
	const char *rest, *slash;

	if (!g_str_has_prefix(path, prefix))
		return NULL;
	rest = path + strlen(prefix);
	slash = strchr(rest, '/');
	return slash ? g_strndup(rest, (gsize)(slash - rest)) : g_strdup(rest);
}

static void root_list_members(struct root *root, const char *prefix, GHashTable *names)
{
	GHashTableIter iter;
	gpointer path;

	g_hash_table_iter_init(&iter, root->members);
	while (g_hash_table_iter_next(&iter, &path, NULL)) {
		char *name = component_below(path, prefix);

		if (name)
			g_hash_table_add(names, name);
	}
}

static void root_list_dir(struct root *root, const char *path, GHashTable *names)
{
	g_autofree char *folder = g_build_filename(root->dir, path, NULL);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		g_hash_table_add(names, g_strdup(name));
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **root_list(struct root *root, const char *format, ...)
{
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autofree char *path = NULL;
	g_autofree char *prefix = NULL;
	char **list;
	va_list args;
	guint n;

	va_start(args, format);
	path = g_strdup_vprintf(format, args);
	va_end(args);
	prefix = g_strconcat(path, "/", NULL);
	if (root->members)
		root_list_members(root, prefix, names);
	else
		root_list_dir(root, path, names);
	list = (char **)g_hash_table_get_keys_as_array(names, &n);
	g_hash_table_steal_all(names);
	if (n)
		qsort(list, n, sizeof(*list), compare_names);
	return list;
}

bool root_has(struct root *root, const char *format, ...)
{
	g_autofree char *path = NULL;
	g_autofree char *file = NULL;
	va_list args;

	va_start(args, format);
	path = g_strdup_vprintf(format, args);
	va_end(args);
	if (root->members)
		return g_hash_table_contains(root->members, path);
	file = g_build_filename(root->dir, path, NULL);
	return g_file_test(file, G_FILE_TEST_EXISTS);
}
