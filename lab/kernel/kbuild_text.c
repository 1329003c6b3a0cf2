// SPDX-License-Identifier: GPL-2.0-only
/* What make and its files say. Pure. */
#include "kernel/kbuild.h"

#include <string.h>

/*
 * make's own: "Makefile:1: *** Compiler lacks asm-goto support.  Stop.", "make: *** No rule to make
 * target". What failed in "make[2]: *** [a.o] Error 1" was said before.
 */
static bool is_makes_error(const char *line)
{
	const char *stars = strstr(line, "*** ");

	return stars && stars[4] && stars[4] != '[' && !strstr(stars, "*** Waiting for unfinished");
}

/* The compiler's, the assembler's, the linker's, objtool's and the shell's way to say it. */
static bool is_error(const char *line)
{
	static const char *const words[] = {
		": error: ",	   ": fatal error: ",	  "undefined reference to",
		"ERROR: modpost:", "objtool: error: ",	  ": Error: ",
		": not found",	   ": command not found",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		if (strstr(line, words[i]))
			return true;
	return is_makes_error(line);
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
