// SPDX-License-Identifier: GPL-2.0-only
/* What make and its files say. Pure. */
#include "kernel/kbuild.h"

#include <string.h>

/* The compiler's, the assembler's, the linker's, objtool's and make's own way to say it. */
static bool is_error(const char *line)
{
	static const char *const words[] = {
		": error: ",	   ": fatal error: ",  "undefined reference to",
		"ERROR: modpost:", "objtool: error: ", "No rule to make target",
		"Error: ",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		if (strstr(line, words[i]))
			return true;
	/* "*** Compiler lacks asm-goto support.", "*** The source tree is not clean, ..." */
	return g_str_has_prefix(line, "*** ") && !g_str_has_prefix(line, "*** Error");
}

char *kbuild_first_error(const char *log)
{
	g_auto(GStrv) lines = g_strsplit(log, "\n", -1);

	for (unsigned i = 0; lines[i]; i++)
		if (is_error(lines[i]))
			return g_strdup(g_strstrip(lines[i]));
	return NULL;
}

/* scripts/Kbuild.include, if_changed_dep: "savedcmd_init/main.o := gcc -Wp,-MMD,..." (cmd_ in 6.1)
 */
char *kbuild_compiler(const char *command)
{
	const char *begin = strstr(command, " := ");
	const char *line_end = strchr(command, '\n');
	const char *end = begin ? strstr(begin, " -") : NULL;

	if (!begin || !end || (line_end && line_end < end))
		return NULL;
	begin += strlen(" := ");
	return end > begin ? g_strndup(begin, (gsize)(end - begin)) : NULL;
}
