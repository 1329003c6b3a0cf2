// SPDX-License-Identifier: GPL-2.0-only
#include "observe/scan.h"

#include <string.h>

bool scan_literal(const char **cursor, const char *literal)
{
	if (!g_str_has_prefix(*cursor, literal))
		return false;
	*cursor += strlen(literal);
	return true;
}

bool scan_decimal(const char **cursor, guint64 max, guint64 *value)
{
	const char *p = *cursor;
	guint64 number = 0;

	if (!g_ascii_isdigit(*p))
		return false;
	for (; g_ascii_isdigit(*p); p++) {
		guint64 digit = (guint64)(*p - '0');

		if (number > (max - digit) / 10 || digit > max)
			return false;
		number = number * 10 + digit;
	}
	*cursor = p;
	*value = number;
	return true;
}

bool scan_hex32(const char **cursor, guint32 *value)
{
	const char *p = *cursor;
	guint32 number = 0;

	for (; g_ascii_isxdigit(*p); p++) {
		if (p - *cursor == 8)
			return false;
		number = number << 4 | (guint32)g_ascii_xdigit_value(*p);
	}
	if (p == *cursor)
		return false;
	*cursor = p;
	*value = number;
	return true;
}

char *scan_word(const char **cursor)
{
	const char *p = *cursor;
	char *word;

	while (g_ascii_isgraph(*p))
		p++;
	if (p == *cursor)
		return NULL;
	word = g_strndup(*cursor, (gsize)(p - *cursor));
	*cursor = p;
	return word;
}

char *scan_until(const char **cursor, const char *ends)
{
	gsize length = strcspn(*cursor, ends);
	char *text;

	if (length == 0)
		return NULL;
	text = g_strndup(*cursor, length);
	*cursor += length;
	return text;
}
