// SPDX-License-Identifier: GPL-2.0-only
#include "observe/schedstat.h"

#include "base/error.h"
#include "observe/scan.h"

#include <string.h>

/* "cpuN" is followed by as many numbers in all versions. */
#define CPU_COLUMNS 9

/* Numbers behind a domain's mask: so many for each of three idle types, and 12 for the rest. */
struct version {
	unsigned number, columns;
	bool names; /* "domain0 SMT 00000003 ..." instead of "domain0 00000003 ..." */
};

static const struct version versions[] = {
	{.number = 15, .columns = 3 * 8 + 12, .names = false},
	{.number = 16, .columns = 3 * 8 + 12, .names = false},
	/* lb_imbalance became four columns: load, util, task, misfit. */
	{.number = 17, .columns = 3 * 11 + 12, .names = true},
};

struct reader {
	const struct version *version;
	struct domain_tree *tree;
	int cpu;	   /* of the lines read now; -1: none yet */
	GHashTable *masks; /* text -> struct cpus *: many CPUs share a few spans */
};

static const struct version *version_find(const char *line)
{
	guint64 number;

	if (!scan_literal(&line, "version ") || !scan_decimal(&line, G_MAXUINT32, &number) || *line)
		return NULL;
	for (unsigned i = 0; i < G_N_ELEMENTS(versions); i++)
		if (versions[i].number == number)
			return &versions[i];
	return NULL;
}

/* Exactly @n numbers, one blank before each, and the end of the line. */
static bool scan_columns(const char *cursor, unsigned n)
{
	guint64 value;

	for (unsigned i = 0; i < n; i++)
		if (!scan_literal(&cursor, " ") || !scan_decimal(&cursor, G_MAXUINT64, &value))
			return false;
	return *cursor == '\0';
}

static bool cpu_line(struct reader *reader, const char *line)
{
	guint64 cpu;

	if (!scan_literal(&line, "cpu") || !scan_decimal(&line, CPUS_MAX - 1, &cpu) ||
	    !scan_columns(line, CPU_COLUMNS))
		return false;
	/* The file lists online CPUs in order; a second visit would mix two chains. */
	if ((int)cpu <= reader->cpu)
		return false;
	reader->cpu = (int)cpu;
	domain_tree_touch(reader->tree, (unsigned)cpu);
	return true;
}

static struct cpus *mask_find(struct reader *reader, const char *text)
{
	struct cpus *mask = g_hash_table_lookup(reader->masks, text);

	if (!mask) {
		mask = cpus_parse_mask(text, NULL);
		if (!mask)
			return NULL;
		g_hash_table_insert(reader->masks, g_strdup(text), mask);
	}
	return cpus_ref(mask);
}

static bool domain_line(struct reader *reader, const char *line)
{
	g_autofree char *name = NULL;
	g_autofree char *text = NULL;
	AUTO(cpus) *span = NULL;
	struct domain *domain;
	guint64 index;

	if (reader->cpu < 0 || !scan_literal(&line, "domain") ||
	    !scan_decimal(&line, G_MAXINT, &index) ||
	    index != domain_tree_depth(reader->tree, (unsigned)reader->cpu) ||
	    !scan_literal(&line, " "))
		return false;
	if (reader->version->names) {
		name = scan_word(&line);
		if (!name || !scan_literal(&line, " "))
			return false;
	}
	text = scan_word(&line);
	span = text ? mask_find(reader, text) : NULL;
	if (!span || !scan_columns(line, reader->version->columns))
		return false;
	domain = domain_tree_append(reader->tree, (unsigned)reader->cpu);
	domain->name = g_steal_pointer(&name);
	domain->span = g_steal_pointer(&span);
	return true;
}

static bool lines_read(struct reader *reader, char **lines, GError **error)
{
	const char *p = lines[0] && lines[1] ? lines[1] : "";
	guint64 jiffies;

	if (!scan_literal(&p, "timestamp ") || !scan_decimal(&p, G_MAXUINT64, &jiffies) || *p) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "line 2 of 'proc/schedstat' is not 'timestamp N'");
		return false;
	}
	for (unsigned i = 2; lines[i]; i++) {
		bool end = !*lines[i] && !lines[i + 1];

		if (end || cpu_line(reader, lines[i]) || domain_line(reader, lines[i]))
			continue;
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "line %u of 'proc/schedstat' (version %u) is malformed: '%.80s'", i + 1,
			    reader->version->number, lines[i]);
		return false;
	}
	return true;
}

static void mask_unref(gpointer mask)
{
	cpus_unref(mask);
}

struct domain_tree *schedstat_parse(const char *text, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	g_autoptr(GHashTable) masks =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, mask_unref);
	AUTO(domain_tree) *tree = domain_tree_new();
	struct reader reader = {
		.version = lines[0] ? version_find(lines[0]) : NULL,
		.tree = tree,
		.cpu = -1,
		.masks = masks,
	};

	if (!reader.version) {
		g_set_error(
			error, TOPOLAB_ERROR, ERROR_LAB,
			"'proc/schedstat' begins with '%.80s', known are versions 15, 16 and 17",
			lines[0] ? lines[0] : "");
		return NULL;
	}
	if (!lines_read(&reader, lines, error))
		return NULL;
	return g_steal_pointer(&tree);
}
