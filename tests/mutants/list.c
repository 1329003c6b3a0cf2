// SPDX-License-Identifier: GPL-2.0-only
#include "list.h"

#include "base/error.h"

#include <stdbool.h>
#include <string.h>

static void mutant_free(gpointer data)
{
	struct mutant *mutant = data;

	g_free(mutant->title);
	g_ptr_array_unref(mutant->old);
	g_ptr_array_unref(mutant->new);
	g_array_unref(mutant->gone);
	g_free(mutant->survives);
	g_free(mutant);
}

void list_free(struct list *list)
{
	if (!list)
		return;
	g_free(list->file);
	g_strfreev(list->tests);
	g_ptr_array_unref(list->mutants);
	g_free(list);
}

static struct mutant *mutant_new(const char *title)
{
	struct mutant *mutant = g_new0(struct mutant, 1);

	mutant->title = g_strdup(title);
	mutant->old = g_ptr_array_new_with_free_func(g_free);
	mutant->new = g_ptr_array_new_with_free_func(g_free);
	mutant->gone = g_array_new(FALSE, FALSE, sizeof(unsigned));
	return mutant;
}

static bool read_header(struct list *list, const char *line)
{
	if (g_str_has_prefix(line, "file ") && !list->file)
		list->file = g_strdup(line + strlen("file "));
	else if (g_str_has_prefix(line, "tests ") && !list->tests)
		list->tests = g_strsplit(line + strlen("tests "), " ", -1);
	else
		return false;
	return true;
}

static bool read_line(struct mutant *mutant, const char *line)
{
	static const char survives[] = "survives: ";

	if (g_str_has_prefix(line, survives) && !mutant->survives) {
		mutant->survives = g_strdup(line + strlen(survives));
		return true;
	}
	if (!strchr(" -+", *line))
		return false;
	if (*line == '-')
		g_array_append_val(mutant->gone, mutant->old->len);
	if (*line != '+')
		g_ptr_array_add(mutant->old, g_strdup(line + 1));
	if (*line != '-')
		g_ptr_array_add(mutant->new, g_strdup(line + 1));
	return true;
}

static bool list_read_line(struct list *list, const char *line)
{
	guint n = list->mutants->len;

	if (!*line || *line == '#')
		return true;
	if (g_str_has_prefix(line, "= ")) {
		g_ptr_array_add(list->mutants, mutant_new(line + strlen("= ")));
		return list->file && list->tests;
	}
	return n ? read_line(list->mutants->pdata[n - 1], line) : read_header(list, line);
}

struct list *list_read(const char *path, GError **error)
{
	AUTO(list) *list = g_new0(struct list, 1);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	list->mutants = g_ptr_array_new_with_free_func(mutant_free);
	if (!g_file_get_contents(path, &text, NULL, error))
		return NULL;
	lines = g_strsplit(text, "\n", -1);
	for (unsigned i = 0; lines[i]; i++) {
		if (list_read_line(list, lines[i]))
			continue;
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "'%s', line %u: '%s' does not belong there", path, i + 1, lines[i]);
		return NULL;
	}
	if (!list->mutants->len) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "'%s' holds no mutant", path);
		return NULL;
	}
	return g_steal_pointer(&list);
}

static bool lines_are_at(const GPtrArray *lines, char **source, unsigned n, unsigned first)
{
	if (first + lines->len > n)
		return false;
	for (guint i = 0; i < lines->len; i++)
		if (strcmp(lines->pdata[i], source[first + i]) != 0)
			return false;
	return true;
}

/* Of how many places is told in *@n_found; the last one. */
static unsigned mutant_find(const struct mutant *mutant, char **source, unsigned *n_found)
{
	unsigned n = g_strv_length(source), place = 0;

	*n_found = 0;
	for (unsigned i = 0; i < n; i++) {
		if (!lines_are_at(mutant->old, source, n, i))
			continue;
		place = i;
		++*n_found;
	}
	return place;
}

char *mutant_apply(const struct mutant *mutant, char **source, GError **error)
{
	GString *text;
	unsigned n_found, place = mutant_find(mutant, source, &n_found);

	if (n_found != 1 || !mutant->gone->len) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "what it changes is there %u times, and must be once", n_found);
		return NULL;
	}
	text = g_string_new(NULL);
	for (unsigned i = 0; i < place; i++)
		g_string_append_printf(text, "%s\n", source[i]);
	for (guint i = 0; i < mutant->new->len; i++)
		g_string_append_printf(text, "%s\n", (const char *)mutant->new->pdata[i]);
	for (unsigned i = place + mutant->old->len; source[i]; i++)
		g_string_append_printf(text, "%s%s", source[i], source[i + 1] ? "\n" : "");
	return g_string_free(text, FALSE);
}

static bool *lines_changed(const struct list *list, char **source)
{
	bool *changed = g_new0(bool, g_strv_length(source) + 1);

	for (guint i = 0; i < list->mutants->len; i++) {
		const struct mutant *mutant = list->mutants->pdata[i];
		unsigned n_found, place = mutant_find(mutant, source, &n_found);

		for (guint k = 0; n_found && k < mutant->gone->len; k++)
			changed[place + g_array_index(mutant->gone, unsigned, k)] = true;
	}
	return changed;
}

/* A row is an element of a table at file scope: one tab, and a brace. */
static unsigned row_length(char **source, unsigned first)
{
	unsigned length = 1;

	if (!g_str_has_prefix(source[first], "\t{"))
		return 0;
	if (strchr(source[first], '}'))
		return 1;
	while (source[first + length] && !g_str_has_prefix(source[first + length], "\t}"))
		length++;
	return length + 1;
}

static bool line_has_version(const char *line)
{
	return !g_str_has_prefix(line, "#define") &&
	       (strstr(line, "RELEASE(") || strstr(line, "KERNEL_VERSION_OF("));
}

/* Does a mutant change any of @n lines? */
static bool any_changed(const bool *changed, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (changed[i])
			return true;
	return false;
}

GArray *list_gaps(const struct list *list, char **source)
{
	g_autofree bool *changed = lines_changed(list, source);
	GArray *gaps = g_array_new(FALSE, FALSE, sizeof(unsigned));

	for (unsigned i = 0; source[i]; i++) {
		unsigned length = line_has_version(source[i]) ? 1 : row_length(source, i);
		unsigned number = i + 1;

		if (length && !any_changed(changed + i, length))
			g_array_append_val(gaps, number);
	}
	return gaps;
}
