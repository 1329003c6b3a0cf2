// SPDX-License-Identifier: GPL-2.0-only
#include "report/lines.h"

#include <string.h>

char *lines_printable(const char *text, const struct report_style *style)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	GString *out = g_string_new(NULL);

	for (char *p = valid; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		if (!g_unichar_isprint(c) || (!style->utf8 && c >= 0x80))
			g_string_append_c(out, '?');
		else
			g_string_append_unichar(out, c);
	}
	return g_string_free(out, FALSE);
}

char *lines_printable_cut(const char *text, glong max, const struct report_style *style)
{
	g_autofree char *whole = lines_printable(text, style);
	g_autofree char *head = NULL;

	if (g_utf8_strlen(whole, -1) <= max)
		return g_steal_pointer(&whole);
	head = g_utf8_substring(whole, 0, max - 3);
	return g_strconcat(head, "...", NULL);
}

static glong line_width(const GString *out)
{
	const char *newline = memrchr(out->str, '\n', out->len);

	return g_utf8_strlen(newline ? newline + 1 : out->str, -1);
}

/* Bytes of the next piece that must stay together: up to and with a comma, or up to a blank. */
static gsize piece_length(const char *text)
{
	gsize length = strcspn(text, " ,");

	return text[length] == ',' ? length + 1 : length;
}

void lines_wrap(GString *out, const char *first, const char *rest, const char *text)
{
	const char *p = text + strspn(text, " ");
	bool fresh = true;

	g_string_append(out, first);
	while (*p) {
		gsize length = piece_length(p);
		bool blank = p > text && p[-1] == ' ';
		glong width = g_utf8_strlen(p, (gssize)length) + (blank && !fresh ? 1 : 0);

		if (!fresh && line_width(out) + width > REPORT_WIDTH) {
			g_string_append_c(out, '\n');
			g_string_append(out, rest);
			fresh = true;
		}
		if (blank && !fresh)
			g_string_append_c(out, ' ');
		g_string_append_len(out, p, (gssize)length);
		fresh = false;
		p += length;
		p += strspn(p, " ");
	}
	g_string_append_c(out, '\n');
}
