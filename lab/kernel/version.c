// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/version.h"

#include <glib.h>
#include <string.h>

/* '~' sorts before the end of the text, the end before letters, letters before the rest. */
static int character_weight(char c)
{
	if (c == '~')
		return -1;
	if (c == '\0' || g_ascii_isdigit(c))
		return 0;
	return g_ascii_isalpha(c) ? (unsigned char)c : (unsigned char)c + 256;
}

static int compare_letters(const char **a, const char **b)
{
	while ((**a && !g_ascii_isdigit(**a)) || (**b && !g_ascii_isdigit(**b))) {
		int difference = character_weight(**a) - character_weight(**b);

		if (difference)
			return difference;
		/* Equal weight 0 would mean that both stand at a digit or at their end. */
		(*a)++;
		(*b)++;
	}
	return 0;
}

static int compare_digits(const char **a, const char **b)
{
	gsize length_a, length_b;
	int difference;

	*a += strspn(*a, "0");
	*b += strspn(*b, "0");
	length_a = strspn(*a, "0123456789");
	length_b = strspn(*b, "0123456789");
	if (length_a != length_b)
		return length_a < length_b ? -1 : 1;
	difference = strncmp(*a, *b, length_a);
	*a += length_a;
	*b += length_b;
	return difference;
}

static int compare_part(const char *a, const char *b)
{
	while (*a || *b) {
		int difference = compare_letters(&a, &b);

		if (!difference)
			difference = compare_digits(&a, &b);
		if (difference)
			return difference;
	}
	return 0;
}

/* [epoch:]upstream[-revision]; the epoch counts as 0 and the revision as "0" when absent. */
static void split(const char *version, guint64 *epoch, char **upstream, char **revision)
{
	const char *colon = strchr(version, ':');
	const char *start = colon ? colon + 1 : version;
	const char *dash = strrchr(start, '-');

	*epoch = colon ? g_ascii_strtoull(version, NULL, 10) : 0;
	*upstream = dash ? g_strndup(start, (gsize)(dash - start)) : g_strdup(start);
	*revision = g_strdup(dash ? dash + 1 : "0");
}

int deb_version_compare(const char *a, const char *b)
{
	g_autofree char *upstream_a = NULL, *upstream_b = NULL;
	g_autofree char *revision_a = NULL, *revision_b = NULL;
	guint64 epoch_a, epoch_b;
	int difference;

	split(a, &epoch_a, &upstream_a, &revision_a);
	split(b, &epoch_b, &upstream_b, &revision_b);
	if (epoch_a != epoch_b)
		return epoch_a < epoch_b ? -1 : 1;
	difference = compare_part(upstream_a, upstream_b);
	return difference ? difference : compare_part(revision_a, revision_b);
}
