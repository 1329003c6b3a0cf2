/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bad input and its exact message: tests/golden/FOLDER/NAME.yaml beside NAME.err. One loop runs all
 * of them; a message without input, or an input without message, fails.
 * TOPOLAB_UPDATE_GOLDEN=1 writes the messages instead.
 */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "base/error.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* @load reads @text, frees what it got and says whether it got something. */
typedef bool (*golden_load)(const char *text, gsize length, const char *file, GError **error);

static inline void golden_check_one(const char *folder, const char *name, golden_load load)
{
	g_autofree char *file = g_strconcat(name, ".yaml", NULL);
	g_autofree char *input_path = g_build_filename(folder, file, NULL);
	g_autofree char *base = g_strconcat(name, ".err", NULL);
	g_autofree char *message_path = g_build_filename(folder, base, NULL);
	g_autofree char *input = NULL, *expected = NULL, *actual = NULL;
	g_autoptr(GError) error = NULL;
	gsize length;

	if (!g_file_get_contents(input_path, &input, &length, NULL)) {
		g_test_fail_printf("%s has no %s", base, file);
		return;
	}
	if (load(input, length, file, &error)) {
		g_test_fail_printf("%s was accepted", file);
		return;
	}
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	actual = g_strconcat(error->message, "\n", NULL);
	if (g_strcmp0(g_getenv("TOPOLAB_UPDATE_GOLDEN"), "1") == 0)
		g_assert_true(g_file_set_contents(message_path, actual, -1, NULL));
	if (!g_file_get_contents(message_path, &expected, NULL, NULL))
		g_test_fail_printf("%s has no %s", file, base);
	else if (strcmp(actual, expected) != 0)
		g_test_fail_printf("%s: expected '%s', got '%s'", file, g_strchomp(expected),
				   g_strchomp(actual));
}

static inline void golden_check_errors(const char *sub, golden_load load)
{
	g_autofree char *folder = g_build_filename(TOPOLAB_SOURCE, "tests", "golden", sub, NULL);
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	GHashTableIter iter;
	gpointer name;
	const char *entry;

	g_assert_nonnull(dir);
	while ((entry = g_dir_read_name(dir))) {
		const char *dot = strrchr(entry, '.');

		if (!dot || (strcmp(dot, ".yaml") != 0 && strcmp(dot, ".err") != 0))
			g_test_fail_printf("no test uses %s/%s", folder, entry);
		else
			g_hash_table_add(names, g_strndup(entry, (gsize)(dot - entry)));
	}
	g_assert_cmpuint(g_hash_table_size(names), >, 0);
	g_hash_table_iter_init(&iter, names);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		golden_check_one(folder, name, load);
}

#endif
