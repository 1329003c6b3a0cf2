// SPDX-License-Identifier: GPL-2.0-only
#include "run/traces.h"

#include "base/trace.h"

#include <string.h>

bool traces_has(const char *console)
{
	return strstr(console, "Call Trace:") || strstr(console, "RIP: ");
}

/* " (file:line)" of the address that @line ends with; NULL: it has none, or nobody knows. */
static char *source_of(const char *line, gsize length, const struct symbols *symbols)
{
	struct trace_address address;
	g_autofree char *name = NULL;
	g_autofree char *source = NULL;
	guint64 link_address;

	if (!trace_parse(line, length, &address))
		return NULL;
	name = g_strndup(address.name, address.name_length);
	if (!symbols_address(symbols, name, address.offset, address.size, &link_address))
		return NULL;
	/* A call that ends its function returns to what another begins with. */
	source = symbols_source(symbols, link_address - !address.at);
	return source ? g_strdup_printf(" (%s)", source) : NULL;
}

/* Without what ends it. */
static gsize bare_length(const char *line, gsize length)
{
	while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
		length--;
	return length;
}

GString *traces_decode(const char *console, gsize length, const struct symbols *symbols,
		       unsigned *n)
{
	const char *end = console + length;
	g_autoptr(GString) text = g_string_sized_new(length + 1);

	*n = 0;
	for (const char *line = console, *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (gsize)(end - line));
		g_autofree char *source = NULL;
		gsize bare;

		next = newline ? newline + 1 : end;
		bare = bare_length(line, (gsize)(next - line));
		source = *n < TRACES_MAX ? source_of(line, bare, symbols) : NULL;
		*n += source != NULL;
		g_string_append_len(text, line, (gssize)bare);
		g_string_append(text, source ? source : "");
		g_string_append_len(text, line + bare, (gssize)((gsize)(next - line) - bare));
	}
	return *n ? g_steal_pointer(&text) : NULL;
}
