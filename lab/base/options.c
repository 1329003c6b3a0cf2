// SPDX-License-Identifier: GPL-2.0-only
#include "base/options.h"

#include "base/error.h"

#include <string.h>

bool option_number(const char *option, const char *text, unsigned low, unsigned high,
		   unsigned *value, GError **error)
{
	guint64 number;

	if (!g_ascii_isdigit(text[0]) || (text[0] == '0' && text[1]) ||
	    !g_ascii_string_to_unsigned(text, 10, low, high, &number, NULL)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "%s takes a whole number from %u to %u, not '%s'", option, low, high,
			    text);
		return false;
	}
	*value = (unsigned)number;
	return true;
}

void option_append(char ***list, const char *text)
{
	unsigned n = *list ? g_strv_length(*list) : 0;

	*list = g_renew(char *, *list, n + 2);
	(*list)[n] = g_strdup(text);
	(*list)[n + 1] = NULL;
}
