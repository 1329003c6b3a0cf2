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

/* Absent from evidence that another tool, or an older agent, gathered. */
static bool numbers_read(struct root *evidence, unsigned cpu, struct domain *domain, GError **error)
{
	for (unsigned i = 0; i < DOMAIN_NUMBER_COUNT; i++) {
		const char *name = domain_number_name(i);

		if (!root_has(evidence, DOMAIN "%s", cpu, domain->index, name))
			continue;
		if (!root_read_number(evidence, &domain->number[i], error, DOMAIN "%s", cpu,
				      domain->index, name))
			return false;
		if (domain->number[i] < 0) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "'" DOMAIN "%s' holds %" G_GINT64_FORMAT
				    ", which no kernel sets",
				    cpu, domain->index, name, domain->number[i]);
			return false;
		}
	}
	return true;
}

/* 6.1 has no such file. */
static bool groups_flags_read(struct root *evidence, unsigned cpu, struct domain *domain,
			      GError **error)
{
	if (!root_has(evidence, DOMAIN "groups_flags", cpu, domain->index))
		return true;
	g_free(domain->groups_flags);
	domain->groups_flags = words_read(evidence, cpu, domain->index, "groups_flags", error);
	return domain->groups_flags != NULL;
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
	return groups_flags_read(evidence, cpu, domain, error) &&
	       numbers_read(evidence, cpu, domain, error) &&
	       level_read(evidence, cpu, domain, error);
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
