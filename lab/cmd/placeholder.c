// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/placeholder.h"

#include <string.h>

struct placeholder {
	const char *name;
	unsigned kinds;
	const char *list; /* of `topolab complete`; NULL: none */
};

/* Any other name in capitals may be a file. */
static const struct placeholder placeholders[] = {
	{.name = "ARGS"},
	{.name = "COMMAND"},
	{.name = "DIR", .kinds = OFFER_FOLDERS},
	{.name = "F", .list = "formats"},
	{.name = "JOB", .kinds = OFFER_FOLDERS},
	{.name = "K", .kinds = OFFER_FILES, .list = "kernels"},
	{.name = "LIST"},
	{.name = "N"},
	{.name = "NAME"},
	{.name = "RUN", .kinds = OFFER_FOLDERS},
	{.name = "S"},
	{.name = "SIZE"},
	{.name = "T", .list = "tests"},
	{.name = "TOPOLOGY", .kinds = OFFER_FILES, .list = "topologies"},
	{.name = "URI"},
};

static const struct placeholder *placeholder_find(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(placeholders); i++)
		if (strcmp(placeholders[i].name, name) == 0)
			return &placeholders[i];
	return NULL;
}

static void offers_add(struct offers *offers, const char *part)
{
	const struct placeholder *placeholder = placeholder_find(part);

	if (placeholder) {
		offers->kinds |= placeholder->kinds;
		if (placeholder->list)
			g_ptr_array_add(offers->names, (gpointer)(guintptr)placeholder->list);
	} else if (g_ascii_isupper(part[0])) {
		offers->kinds |= OFFER_FILES;
	} else if (part[0] != '-') {
		g_ptr_array_add(offers->words, g_strdup(part));
	}
}

struct offers *offers_new(const char *synopsis)
{
	struct offers *offers = g_new0(struct offers, 1);
	g_auto(GStrv) parts = g_strsplit_set(synopsis ? synopsis : "", " |[]", -1);

	offers->names = g_ptr_array_new();
	offers->words = g_ptr_array_new_with_free_func(g_free);
	for (unsigned i = 0; parts[i]; i++) {
		char *end = strstr(parts[i], "...");

		if (end)
			*end = '\0';
		if (*parts[i])
			offers_add(offers, parts[i]);
	}
	return offers;
}

void offers_free(struct offers *offers)
{
	g_ptr_array_unref(offers->names);
	g_ptr_array_unref(offers->words);
	g_free(offers);
}
