// SPDX-License-Identifier: GPL-2.0-only
#include "base/trace.h"

#include <string.h>

/* "RIP: 0010:" has the segment in front of the name: show_ip(), arch/x86/kernel/dumpstack.c */
#define RIP_MARK "RIP: "

/* The number behind "0x" up to @end, of at most 16 digits. */
static bool parse_number(const char *text, const char *end, guint64 *value)
{
	if (end - text < 3 || end - text > 18 || text[0] != '0' || text[1] != 'x')
		return false;
	*value = 0;
	for (const char *digit = text + 2; digit < end; digit++) {
		if (!g_ascii_isxdigit(*digit))
			return false;
		*value = *value << 4 | (guint64)g_ascii_xdigit_value(*digit);
	}
	return true;
}

/* What C, gcc ("fn.isra.0", "fn.cold") and the kernel's assembly put into names. */
static bool is_name(const char *text, const char *end)
{
	if (text == end || g_ascii_isdigit(*text))
		return false;
	for (; text < end; text++)
		if (!g_ascii_isalnum(*text) && *text != '_' && *text != '.')
			return false;
	return true;
}

static bool is_rip(const char *line, const char *word)
{
	gsize length = strlen(RIP_MARK);

	return (gsize)(word - line) >= length && memcmp(word - length, RIP_MARK, length) == 0;
}

bool trace_parse(const char *line, gsize length, struct trace_address *address)
{
	const char *end = line + length;
	const char *word, *name, *plus, *slash;

	while (end > line && g_ascii_isspace(end[-1]))
		end--;
	word = end;
	while (word > line && !g_ascii_isspace(word[-1]))
		word--;
	plus = memchr(word, '+', (gsize)(end - word));
	slash = plus ? memchr(plus, '/', (gsize)(end - plus)) : NULL;
	if (!slash || !parse_number(plus + 1, slash, &address->offset) ||
	    !parse_number(slash + 1, end, &address->size))
		return false;
	name = memchr(word, ':', (gsize)(plus - word));
	address->at = name && is_rip(line, word);
	name = name ? name + 1 : word;
	address->name = name;
	address->name_length = (gsize)(plus - name);
	return (name == word || address->at) && is_name(name, plus);
}
