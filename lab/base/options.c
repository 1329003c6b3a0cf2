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

bool option_size(const char *option, const char *text, guint64 *bytes, GError **error)
{
	static const char units[] = "KMGT";
	gsize digits = strspn(text, G_CSET_DIGITS);
	g_autofree char *number = g_strndup(text, digits);
	const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	guint64 value;

	if ((!text[digits] || (unit && !text[digits + 1])) && (digits < 2 || *text != '0') &&
	    g_ascii_string_to_unsigned(number, 10, 0, G_MAXUINT64 >> shift, &value, NULL)) {
		*bytes = value << shift;
		return true;
	}
	g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
		    "%s takes a size such as 500M or 2G, not '%s'", option, text);
	return false;
}

void option_append(char ***list, const char *text)
{
	unsigned n = *list ? g_strv_length(*list) : 0;

	*list = g_renew(char *, *list, n + 2);
	(*list)[n] = g_strdup(text);
	(*list)[n + 1] = NULL;
}
