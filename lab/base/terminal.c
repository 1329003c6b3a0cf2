// SPDX-License-Identifier: GPL-2.0-only
#include "base/terminal.h"

#include <glib.h>
#include <langinfo.h>
#include <string.h>
#include <unistd.h>

bool terminal_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

bool terminal_has_colour(void)
{
	const char *no_colour = g_getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
}
