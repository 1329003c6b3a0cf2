// SPDX-License-Identifier: GPL-2.0-only
#include "observe/debugfs.h"

#include "base/error.h"

#define DOMAINS "sys/kernel/debug/sched/domains"
#define DOMAIN	DOMAINS "/cpu%u/domain%u/"

/* The kernel's names and flags are C identifiers; anything else is not from a kernel. */
static bool is_word_list(const char *text)
{
	for (; *text; text++)
		if (!g_ascii_isalnum(*text) && *text != '_' && *text != ' ')
			return false;
	return true;
}

static char *words_read(struct root *evidence, unsigned cpu, unsigned index, const char *file,
			GError **error)
{
	g_autofree char *text = root_read(evidence, error, DOMAIN "%s", cpu, index, file);

	if (text && !is_word_list(text)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "'" DOMAIN "%s' holds '%.80s'", cpu,
			    index, file, text);
		return NULL;
	}
	return g_steal_pointer(&text);
}

/* 6.1 has no such file. */
static bool level_read(struct root *evidence, unsigned cpu, struct domain *domain, GError **error)
{
	gint64 level;

	if (!root_has(evidence, DOMAIN "level", cpu, domain->index))
		return true;
	if (!root_read_number(evidence, &level, error, DOMAIN "level", cpu, domain->index))
		return false;
	if (level < 0 || level > G_MAXINT) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "'" DOMAIN "level' holds %" G_GINT64_FORMAT ", which is no level", cpu,
			    domain->index, level);
		return false;
	}
	domain->level = (int)level;
	return true;
}

static bool domain_add(struct root *evidence, unsigned cpu, struct domain *domain, GError **error)
{
	g_autofree char *name = words_read(evidence, cpu, domain->index, "name", error);
	char *flags;

	if (!name)
		return false;
	if (domain->name && !g_str_equal(domain->name, name)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "domain%u of CPU %u is '%s' in 'proc/schedstat' and '%s' in debugfs",
			    domain->index, cpu, domain->name, name);
		return false;
	}
	if (!domain->name)
		domain->name = g_steal_pointer(&name);
	flags = words_read(evidence, cpu, domain->index, "flags", error);
	if (!flags)
		return false;
	g_free(domain->flags);
	domain->flags = flags;
	return level_read(evidence, cpu, domain, error);
}

bool debugfs_add(struct domain_tree *tree, struct root *evidence, GError **error)
{
	g_auto(GStrv) folders = root_list(evidence, DOMAINS);

	if (!folders || !folders[0])
		return true;
	CPUS_FOREACH (cpu, domain_tree_cpus(tree)) {
		unsigned depth = domain_tree_depth(tree, (unsigned)cpu);

		for (unsigned i = 0; i < depth; i++)
			if (!domain_add(evidence, (unsigned)cpu,
					domain_tree_get(tree, (unsigned)cpu, i), error))
				return false;
		if (root_has(evidence, DOMAIN "name", (unsigned)cpu, depth)) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "CPU %d has a domain%u in debugfs but not in 'proc/schedstat'",
				    cpu, depth);
			return false;
		}
	}
	return true;
}
