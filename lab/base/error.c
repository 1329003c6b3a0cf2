// SPDX-License-Identifier: GPL-2.0-only
#include "base/error.h"

GQuark topolab_error_quark(void)
{
	return g_quark_from_static_string("topolab-error-quark");
}

int error_exit_status(const GError *error)
{
	if (error->domain != TOPOLAB_ERROR)
		return 3;
	switch ((enum topolab_error_code)error->code) {
	case ERROR_INPUT:
	case ERROR_BUILD:
		return 2;
	case ERROR_LAB:
		return 3;
	case ERROR_UNSUPPORTED:
		return 77;
	}
	return 3;
}

char *error_text(const GError *error)
{
	g_autofree char *valid = g_utf8_make_valid(error->message, -1);
	GString *out = g_string_new(NULL);

	for (const char *p = valid; *p; p = g_utf8_find_next_char(p, NULL)) {
		gunichar c = g_utf8_get_char(p);

		g_string_append_unichar(out, g_unichar_isprint(c) || c == '\n' ? c : '?');
	}
	return g_string_free(out, FALSE);
}
