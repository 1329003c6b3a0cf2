// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text members of an archive: /sys, schedstat, debugfs and the log together. An input is lines;
 * one that begins with '@' names the member that the next ones belong to.
 */
#include "fuzz.h"

#include "observe/observe.h"

static void bytes_unref(gpointer bytes)
{
	g_bytes_unref(bytes);
}

static GHashTable *members_read(const char *text)
{
	GHashTable *members = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, bytes_unref);
	g_auto(GStrv) parts = g_strsplit(text, "\n@", -1);

	for (unsigned i = 0; parts[i]; i++) {
		const char *path = i == 0 && parts[i][0] == '@' ? parts[i] + 1 : parts[i];
		const char *end = strchr(path, '\n');

		if (end)
			g_hash_table_insert(members, g_strndup(path, (gsize)(end - path)),
					    g_bytes_new(end + 1, strlen(end + 1)));
	}
	return members;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = fuzz_text(data, size);
	AUTO(root) *evidence = root_new_members(members_read(text));
	g_autoptr(GError) system_error = NULL, domain_error = NULL, release_error = NULL;
	AUTO(view) *view = observe_system(evidence, &system_error);
	AUTO(domain_tree) *tree = observe_domains(evidence, &domain_error);
	g_autofree char *release = observe_release(evidence, &release_error);

	fuzz_check(view, system_error, ERROR_LAB);
	fuzz_check(tree, domain_error, ERROR_LAB);
	fuzz_check(release, release_error, ERROR_LAB);
	if (tree)
		json_decref(domain_tree_to_json(tree));
	return 0;
}
