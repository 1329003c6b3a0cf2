// SPDX-License-Identifier: GPL-2.0-only
/*
 * The domains that the kernel built, from three places that each show a part: schedstat (spans, and
 * names from version 17 on), debugfs (names, flags, levels), the verbose log (groups, and once more
 * names and spans). What two of them show must agree.
 */
#include "observe/observe.h"

#include "base/error.h"
#include "observe/debugfs.h"
#include "observe/sched_log.h"
#include "observe/schedstat.h"

static bool error_differ(unsigned cpu, unsigned index, const char *what, const char *ours,
			 const char *logged, GError **error)
{
	g_set_error(
		error, TOPOLAB_ERROR, ERROR_LAB,
		"the %s of domain%u of CPU %u is '%s' in 'proc/schedstat' and debugfs but '%s' in "
		"the kernel log",
		what, index, cpu, ours, logged);
	return false;
}

static bool domain_join(struct domain *domain, struct domain *logged, unsigned cpu, GError **error)
{
	if (!cpus_equal(domain->span, logged->span)) {
		g_autofree char *ours = cpus_to_list(domain->span);
		g_autofree char *theirs = cpus_to_list(logged->span);

		return error_differ(cpu, domain->index, "span", ours, theirs, error);
	}
	if (domain->name && !g_str_equal(domain->name, logged->name))
		return error_differ(cpu, domain->index, "name", domain->name, logged->name, error);
	if (!domain->name)
		domain->name = g_steal_pointer(&logged->name);
	domain->groups = g_steal_pointer(&logged->groups);
	return true;
}

/* Takes groups out of @logged. */
static bool log_join(struct domain_tree *tree, struct domain_tree *logged, GError **error)
{
	CPUS_FOREACH (cpu, domain_tree_cpus(tree)) {
		unsigned depth = domain_tree_depth(tree, (unsigned)cpu);
		unsigned logged_depth = domain_tree_depth(logged, (unsigned)cpu);

		if (depth != logged_depth) {
			g_set_error(
				error, TOPOLAB_ERROR, ERROR_LAB,
				"CPU %d has %u domains in 'proc/schedstat' but %u in the kernel "
				"log",
				cpu, depth, logged_depth);
			return false;
		}
		for (unsigned i = 0; i < depth; i++)
			if (!domain_join(domain_tree_get(tree, (unsigned)cpu, i),
					 domain_tree_get(logged, (unsigned)cpu, i), (unsigned)cpu,
					 error))
				return false;
	}
	return true;
}

/* Spans: from schedstat, or from the log of a kernel without CONFIG_SCHEDSTATS. */
static struct domain_tree *spans_read(struct root *evidence, struct domain_tree **logged,
				      GError **error)
{
	g_autofree char *text = NULL;

	if (!root_has(evidence, "proc/schedstat") && *logged)
		return g_steal_pointer(logged);
	text = root_read(evidence, error, "proc/schedstat");
	return text ? schedstat_parse(text, error) : NULL;
}

struct domain_tree *observe_domains(struct root *evidence, GError **error)
{
	AUTO(domain_tree) *tree = NULL;
	AUTO(domain_tree) *logged = NULL;
	g_autoptr(GPtrArray) log = observe_kernel_log(evidence, error);
	GError *problem = NULL;

	if (!log)
		return NULL;
	logged = sched_log_domains(log, &problem);
	if (problem) {
		g_propagate_error(error, problem);
		return NULL;
	}
	tree = spans_read(evidence, &logged, error);
	if (!tree || !debugfs_add(tree, evidence, error))
		return NULL;
	if (logged && !log_join(tree, logged, error))
		return NULL;
	return g_steal_pointer(&tree);
}
