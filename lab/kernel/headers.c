// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/headers.h"

#include "kernel/kbuild.h"

#include <string.h>

char *kernel_headers(const char *tree, const struct kernel_options *options, GError **error)
{
	static const char *const no_fragments[] = {NULL};
	AUTO(kbuild) *kbuild = kbuild_open(tree, no_fragments, options, error);

	if (!kbuild)
		return NULL;
	kernel_say(options, "the headers of '%s'", kbuild->tree);
	/* Not headers_install, which copies them once more and needs rsync for that. */
	if (!kbuild_target(kbuild, "headers", options, error))
		return NULL;
	return g_build_filename(kbuild->out, "usr", "include", NULL);
}

/* The number behind "NAME =" at the beginning of a line. */
static char *makefile_number(const char *makefile, const char *name)
{
	g_auto(GStrv) lines = g_strsplit(makefile, "\n", 20);

	for (unsigned i = 0; lines[i]; i++) {
		const char *rest = lines[i];

		if (!g_str_has_prefix(rest, name))
			continue;
		rest += strlen(name);
		rest += strspn(rest, " \t");
		if (*rest != '=')
			continue;
		rest += 1 + strspn(rest + 1, " \t");
		if (g_ascii_isdigit(*rest))
			return g_strndup(rest, strspn(rest, "0123456789"));
	}
	return NULL;
}

char *kernel_makefile_series(const char *makefile)
{
	g_autofree char *version = makefile_number(makefile, "VERSION");
	g_autofree char *level = makefile_number(makefile, "PATCHLEVEL");

	return version && level ? g_strdup_printf("%s.%s", version, level) : NULL;
}

char *kernel_tree_series(const char *tree)
{
	g_autofree char *path = g_build_filename(tree, "Makefile", NULL);
	g_autofree char *makefile = NULL;

	return g_file_get_contents(path, &makefile, NULL, NULL) ? kernel_makefile_series(makefile)
								: NULL;
}
