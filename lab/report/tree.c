// SPDX-License-Identifier: GPL-2.0-only
#include "report/tree.h"

#include "base/cpus.h"
#include "report/lines.h"

#include <string.h>

#define NAME_COLUMNS 5
/* A span that is longer pushes the flags to a line of their own. */
#define SPAN_COLUMNS 16

/* A list can be long on irregular machines; a report shows where it begins. */
#define SPAN_SHOWN 56

struct marks {
	const char *fork, *last, *bar;
};

static const struct marks marks_utf8 = {.fork = "├─ ", .last = "└─ ", .bar = "│  "};
static const struct marks marks_ascii = {.fork = "|- ", .last = "`- ", .bar = "|  "};

/*
 * The flags without their prefix, and the kinds of balancing as one word: "NEWIDLE,EXEC,FORK
 * WAKE_AFFINE SHARE_LLC".
 */
static char *flags_folded(const char *flags)
{
	static const char balance[] = "SD_BALANCE_", prefix[] = "SD_";
	g_auto(GStrv) words = g_strsplit(flags, " ", -1);
	GString *folded = g_string_new(NULL);
	bool balancing = false;

	for (unsigned i = 0; words[i]; i++) {
		const char *word = words[i];
		bool balances = g_str_has_prefix(word, balance);

		if (!*word)
			continue;
		if (folded->len)
			g_string_append_c(folded, balances && balancing ? ',' : ' ');
		if (balances)
			word += strlen(balance);
		else if (g_str_has_prefix(word, prefix))
			word += strlen(prefix);
		g_string_append(folded, word);
		balancing = balances;
	}
	return g_string_free(folded, FALSE);
}

static char *span_text(const struct cpus *span)
{
	g_autofree char *list = cpus_to_list(span);
	char *cut;

	if (strlen(list) <= SPAN_SHOWN)
		return g_steal_pointer(&list);
	cut = g_strrstr_len(list, SPAN_SHOWN, ",");
	if (cut)
		*cut = '\0';
	return g_strdup_printf("%s,... (%u CPUs)", list, cpus_count(span));
}

static void tree_domain(GString *out, const struct domain *domain, bool last,
			const struct report_style *style)
{
	const struct marks *marks = style->utf8 ? &marks_utf8 : &marks_ascii;
	g_autofree char *name = lines_printable(domain->name ? domain->name : "?", style);
	g_autofree char *flags = domain->flags ? flags_folded(domain->flags) : NULL;
	g_autofree char *shown = flags ? lines_printable(flags, style) : NULL;
	g_autofree char *span = span_text(domain->span);
	g_autofree char *rest = g_strdup_printf("  %s%*s", last ? "   " : marks->bar,
						NAME_COLUMNS + SPAN_COLUMNS + 2, "");
	g_autofree char *line = NULL;

	line = g_strdup_printf("  %s%-*s %-*s", last ? marks->last : marks->fork, NAME_COLUMNS,
			       name, SPAN_COLUMNS, span);
	if (!shown) {
		g_string_append_printf(out, "%s\n", g_strchomp(line));
	} else if (strlen(span) <= SPAN_COLUMNS) {
		g_string_append(out, line);
		lines_wrap(out, " ", rest, shown);
	} else {
		g_string_append_printf(out, "%s\n", line);
		lines_wrap(out, rest, rest, shown);
	}
}

static void tree_shape(GString *out, const struct domain_tree *tree, const struct cpus *shape,
		       const struct report_style *style)
{
	unsigned cpu = (unsigned)cpus_next(shape, -1);
	unsigned depth = domain_tree_depth(tree, cpu);
	g_autofree char *alike = span_text(shape);

	g_string_append_printf(out, "CPU %u", cpu);
	if (cpus_count(shape) > 1)
		g_string_append_printf(out, ", of %u alike: %s", cpus_count(shape), alike);
	g_string_append(out, depth ? "\n" : ": no domain\n");
	for (unsigned i = 0; i < depth; i++)
		tree_domain(out, domain_tree_get(tree, cpu, i), i + 1 == depth, style);
}

char *report_tree(const struct domain_tree *tree, const struct report_style *style)
{
	g_autoptr(GPtrArray) shapes = domain_tree_shapes(tree);
	GString *out = g_string_new(NULL);

	for (guint i = 0; i < shapes->len; i++)
		tree_shape(out, tree, shapes->pdata[i], style);
	return g_string_free(out, FALSE);
}
