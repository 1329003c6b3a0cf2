// SPDX-License-Identifier: GPL-2.0-only
#include "report/diff.h"

#include "report/lines.h"

#include <string.h>

void diff_line(GString *out, char sign, const char *text, const struct report_style *style)
{
	g_autofree char *printable = text ? lines_printable(text, style) : NULL;

	if (printable)
		g_string_append_printf(out, "  %c %s\n", sign, printable);
}

static void diff_texts(GString *out, const char *heading, const char *left, const char *right,
		       const struct report_style *style)
{
	if (g_strcmp0(left, right) == 0)
		return;
	g_string_append_printf(out, "%s\n", heading);
	diff_line(out, '-', left ? left : "(not known)", style);
	diff_line(out, '+', right ? right : "(not known)", style);
}

/* By what it is, not by the name that somebody gave it. */
static char *kernel_identity(const struct result *result)
{
	return g_strdup_printf("%s, SHA-256 %s", result->kernel_release,
			       result->kernel_sha256 ? result->kernel_sha256 : "not known");
}

static void diff_kernel(GString *out, const struct result *left, const struct result *right,
			const struct report_style *style)
{
	g_autofree char *first = kernel_identity(left);
	g_autofree char *second = kernel_identity(right);

	diff_texts(out, "kernel", first, second, style);
}

/* Appends the lines of @ours that @theirs has not as often. */
static void missing_lines(GString *out, char sign, GPtrArray *ours, GPtrArray *theirs,
			  const struct report_style *style)
{
	g_autoptr(GHashTable) counts = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < theirs->len; i++) {
		const char *line = theirs->pdata[i];
		guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, line));

		g_hash_table_insert(counts, theirs->pdata[i], GUINT_TO_POINTER(n + 1));
	}
	for (guint i = 0; i < ours->len; i++) {
		guint n = GPOINTER_TO_UINT(g_hash_table_lookup(counts, ours->pdata[i]));

		if (n)
			g_hash_table_insert(counts, ours->pdata[i], GUINT_TO_POINTER(n - 1));
		else
			diff_line(out, sign, ours->pdata[i], style);
	}
}

static void diff_lists(GString *out, const char *heading, GPtrArray *left, GPtrArray *right,
		       const struct report_style *style)
{
	g_autoptr(GString) lines = g_string_new(NULL);

	missing_lines(lines, '-', left, right, style);
	missing_lines(lines, '+', right, left, style);
	if (lines->len)
		g_string_append_printf(out, "%s\n%s", heading, lines->str);
}

static GPtrArray *words_of(const char *text)
{
	g_auto(GStrv) words = g_strsplit(text ? text : "", " ", -1);
	GPtrArray *list = g_ptr_array_new_with_free_func(g_free);

	for (unsigned i = 0; words[i]; i++)
		if (*words[i])
			g_ptr_array_add(list, g_strdup(words[i]));
	return list;
}

static void diff_command_lines(GString *out, const struct result *left, const struct result *right,
			       const struct report_style *style)
{
	g_autoptr(GPtrArray) ours = words_of(left->command_line);
	g_autoptr(GPtrArray) theirs = words_of(right->command_line);
	gsize before = out->len;

	diff_lists(out, "cmdline", ours, theirs, style);
	/* The same words in another order: the kernel may read them otherwise. */
	if (out->len == before)
		diff_texts(out, "cmdline", left->command_line, right->command_line, style);
}

static void append_part(GString *text, const char *label, const char *value)
{
	if (value)
		g_string_append_printf(text, "%s %s", label, value);
}

/* How much was compared is no difference: of a check that passed only the name counts. */
static char *check_line(const struct check *check)
{
	GString *line = g_string_new(NULL);

	g_string_append_printf(line, "%s %s", verdict_name(check->verdict), check->name);
	if (check->verdict == VERDICT_PASS)
		return g_string_free(line, FALSE);
	append_part(line, ":", check->reason);
	if (check->cpus)
		append_part(line, ", CPUs", check->cpus);
	else if (check->cpu >= 0)
		g_string_append_printf(line, ", CPU %d", check->cpu);
	if (check->level >= 0)
		g_string_append_printf(line, ", domain%d", check->level);
	append_part(line, ", expected", check->expected);
	append_part(line, ", observed", check->observed);
	return g_string_free(line, FALSE);
}

static GPtrArray *check_lines(const struct result *result)
{
	const struct checks *checks = result->judgement ? result->judgement->checks : NULL;
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; checks && i < checks_count(checks); i++)
		g_ptr_array_add(lines, check_line(checks_get(checks, i)));
	return lines;
}

static void diff_checks(GString *out, const struct result *left, const struct result *right,
			const struct report_style *style)
{
	g_autoptr(GPtrArray) ours = check_lines(left);
	g_autoptr(GPtrArray) theirs = check_lines(right);

	diff_lists(out, "checks", ours, theirs, style);
}

char *report_diff(const struct diff_side *left, const struct diff_side *right,
		  const struct report_style *style)
{
	const struct result *ours = left->result, *theirs = right->result;
	g_autoptr(GString) body = g_string_new(NULL);
	g_autofree char *first = lines_printable(left->name, style);
	g_autofree char *second = lines_printable(right->name, style);

	diff_texts(body, "topology", ours->topology, theirs->topology, style);
	diff_kernel(body, ours, theirs, style);
	diff_command_lines(body, ours, theirs, style);
	diff_texts(body, "verdict", verdict_name(result_verdict(ours)),
		   verdict_name(result_verdict(theirs)), style);
	diff_checks(body, ours, theirs, style);
	diff_domains(body, left->domains, right->domains, style);
	return body->len ? g_strdup_printf("--- %s\n+++ %s\n%s", first, second, body->str)
			 : g_strdup("");
}
