// SPDX-License-Identifier: GPL-2.0-only
#include "observe/sched_log.h"

#include "base/error.h"
#include "observe/observe.h"
#include "observe/scan.h"

#include <string.h>

#define GROUPS "groups:"
#define DOMAIN "domain-"

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " ");
}

/* Is the last brace an opening one? */
static bool brace_is_open(const char *text)
{
	const char *open = strrchr(text, '{'), *close = strrchr(text, '}');

	return open && (!close || close < open);
}

bool sched_log_line_is_open(const char *text)
{
	const char *p = skip_blanks(text);

	if (p == text)
		return false;
	if (g_str_has_prefix(p, DOMAIN))
		return !strstr(p, " level=");
	if (!g_str_has_prefix(p, GROUPS))
		return false;
	return p[strlen(GROUPS)] == '\0' || g_str_has_suffix(p, ",") || brace_is_open(p);
}

/* "CPU12 attaching sched-domain(s):" or "CPU12 attaching NULL sched-domain." */
static bool scan_attach(const char *text, unsigned *cpu, bool *empty)
{
	const char *p = text;
	guint64 number;

	if (!scan_literal(&p, "CPU") || !scan_decimal(&p, CPUS_MAX - 1, &number))
		return false;
	*cpu = (unsigned)number;
	*empty = strcmp(p, " attaching NULL sched-domain.") == 0;
	return *empty || strcmp(p, " attaching sched-domain(s):") == 0;
}

static struct cpus *scan_cpu_list(const char **cursor)
{
	g_autofree char *list = scan_until(cursor, " ");

	return list ? cpus_parse_list(list, NULL) : NULL;
}

/* "domain-0: span=0-1 level=MC" */
static bool domain_read(const char *text, unsigned index, struct domain *domain)
{
	const char *p = skip_blanks(text);
	guint64 number;

	if (!scan_literal(&p, DOMAIN) || !scan_decimal(&p, G_MAXINT, &number) || number != index ||
	    !scan_literal(&p, ": span="))
		return false;
	domain->span = scan_cpu_list(&p);
	if (!domain->span || !scan_literal(&p, " level="))
		return false;
	domain->name = scan_word(&p);
	return domain->name && *p == '\0';
}

/* " 4:{ span=2-5 mask=4-5 cap=4093 }"; the capacity changes by itself and is not kept. */
static bool group_read(const char **cursor, struct domain *domain)
{
	AUTO(cpus) *span = NULL;
	AUTO(cpus) *mask = NULL;
	struct domain_group *group;
	guint64 id, capacity;

	if (!scan_literal(cursor, " ") || !scan_decimal(cursor, CPUS_MAX - 1, &id) ||
	    !scan_literal(cursor, ":{ span="))
		return false;
	span = scan_cpu_list(cursor);
	if (!span)
		return false;
	if (scan_literal(cursor, " mask=")) {
		mask = scan_cpu_list(cursor);
		if (!mask)
			return false;
	}
	if (scan_literal(cursor, " cap=") && !scan_decimal(cursor, G_MAXINT64, &capacity))
		return false;
	if (!scan_literal(cursor, " }"))
		return false;
	group = domain_add_group(domain, g_steal_pointer(&span));
	group->mask = g_steal_pointer(&mask);
	group->id = (int)id;
	return true;
}

/*
 * The kernel stops in the middle of the list when it finds a fault, and says so in the next line:
 * "ERROR: empty group". Only then may the list be short, or have no group at all.
 */
static bool groups_read(const char *text, const char *next, struct domain *domain)
{
	const char *p = skip_blanks(text);

	if (!scan_literal(&p, GROUPS))
		return false;
	domain_show_groups(domain);
	while (*p) {
		if (!group_read(&p, domain))
			return false;
		if (*p == '\0')
			return true;
		if (!scan_literal(&p, ","))
			return false;
	}
	return next && g_str_has_prefix(next, "ERROR: ");
}

static const char *message_text(GPtrArray *log, guint i)
{
	const struct kernel_message *message;

	if (i >= log->len)
		return NULL;
	message = g_ptr_array_index(log, i);
	return message->text;
}

/* "ERROR: group is NULL" comes behind an empty line. */
static const char *message_below(GPtrArray *log, guint i)
{
	const char *text = message_text(log, i + 1);

	return text && !*text ? message_text(log, i + 2) : text;
}

static void error_line(unsigned cpu, const char *text, GError **error)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "the kernel log's domain tree of CPU %u has the malformed line '%.160s'", cpu,
		    text);
}

/* The chain of @cpu, from the line below "attaching" to the next CPU's. */
static bool chain_read(GPtrArray *log, guint start, unsigned cpu, struct domain_tree *tree,
		       GError **error)
{
	struct domain *domain = NULL;
	const char *text;

	for (guint i = start; (text = message_text(log, i)); i++) {
		const char *p = skip_blanks(text);
		unsigned other;
		bool empty;

		if (scan_attach(text, &other, &empty))
			break;
		/* What other CPUs and the self-checks say in between is not part of the tree. */
		if (p == text)
			continue;
		if (g_str_has_prefix(p, DOMAIN)) {
			unsigned index = domain_tree_depth(tree, cpu);

			domain = domain_tree_append(tree, cpu);
			if (!domain_read(text, index, domain)) {
				error_line(cpu, text, error);
				return false;
			}
		} else if (g_str_has_prefix(p, GROUPS)) {
			if (!domain || domain->groups ||
			    !groups_read(text, message_below(log, i), domain)) {
				error_line(cpu, text, error);
				return false;
			}
		}
	}
	return true;
}

struct domain_tree *sched_log_domains(GPtrArray *log, GError **error)
{
	/* By CPU: 1 + the place of its last "attaching" line; 0 when it has none. */
	g_autofree guint *last = g_new0(guint, CPUS_MAX);
	AUTO(domain_tree) *tree = domain_tree_new();
	bool any = false;

	for (guint i = 0; i < log->len; i++) {
		unsigned cpu;
		bool empty;

		if (scan_attach(message_text(log, i), &cpu, &empty)) {
			last[cpu] = i + 1;
			any = true;
		}
	}
	if (!any)
		return NULL;
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
		unsigned same;
		bool empty;

		if (!last[cpu])
			continue;
		domain_tree_touch(tree, cpu);
		scan_attach(message_text(log, last[cpu] - 1), &same, &empty);
		if (!empty && !chain_read(log, last[cpu], cpu, tree, error))
			return NULL;
	}
	return g_steal_pointer(&tree);
}
