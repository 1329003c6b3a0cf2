// SPDX-License-Identifier: GPL-2.0-only
/* The third witness: how the kernel itself describes the machine, in /sys and /proc/cpuinfo. */
#include "observe/observe.h"

#include "base/error.h"
#include "observe/lists.h"
#include "observe/scan.h"

#include <string.h>

#define CPU  "sys/devices/system/cpu/cpu%u/"
#define NODE "sys/devices/system/node/"
/* CONFIG_NODES_SHIFT is at most 10 on x86. */
#define NODES_MAX 1024
/* No CPU shows as many; it bounds the search. */
#define CACHES_MAX 16

struct system {
	struct root *evidence;
	struct view *view;
	struct lists *lists;
};

static struct cpus *mask_read(struct system *system, GError **error, unsigned cpu, const char *file)
{
	g_autofree char *text = root_read(system->evidence, error, CPU "%s", cpu, file);
	struct cpus *mask = text ? lists_get(system->lists, text, error) : NULL;

	if (text && !mask)
		g_prefix_error(error, "'" CPU "%s': ", cpu, file);
	return mask;
}

static bool mask_set(struct system *system, unsigned cpu, enum topo_level level, const char *file,
		     GError **error)
{
	struct cpus **mask = &system->view->cpu[cpu].mask[level];

	if (*mask) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "'sys/devices/system/cpu/cpu%u/cache' shows two level %d caches", cpu,
			    level == TOPO_L2 ? 2 : 3);
		return false;
	}
	*mask = mask_read(system, error, cpu, file);
	return *mask != NULL;
}

static bool cache_read(struct system *system, unsigned cpu, unsigned index, GError **error)
{
	g_autofree char *type =
		root_read(system->evidence, error, CPU "cache/index%u/type", cpu, index);
	g_autofree char *file = g_strdup_printf("cache/index%u/shared_cpu_list", index);
	gint64 level;

	if (!type || !root_read_number(system->evidence, &level, error, CPU "cache/index%u/level",
				       cpu, index))
		return false;
	if (strcmp(type, "Instruction") == 0 || level < 2 || level > 3)
		return true;
	return mask_set(system, cpu, level == 2 ? TOPO_L2 : TOPO_LLC, file, error);
}

static bool cpu_read(struct system *system, unsigned cpu, GError **error)
{
	struct cpus **llc = &system->view->cpu[cpu].mask[TOPO_LLC];
	bool any = false;

	if (!mask_set(system, cpu, TOPO_CORE, "topology/core_cpus_list", error) ||
	    !mask_set(system, cpu, TOPO_PACKAGE, "topology/package_cpus_list", error))
		return false;
	for (unsigned index = 0; index < CACHES_MAX; index++) {
		if (!root_has(system->evidence, CPU "cache/index%u/level", cpu, index))
			break;
		if (!cache_read(system, cpu, index, error))
			return false;
		any = true;
	}
	if (any && !*llc)
		*llc = cpus_new();
	return true;
}

static bool error_cpuinfo(const char *line, GError **error)
{
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "'proc/cpuinfo' holds '%.80s', which does not belong there", line);
	return false;
}

/* All CPUs must tell the same; @seen is -1 before the first did. */
static bool identity_number(int *seen, const char *value, const char *line, GError **error)
{
	const char *p = value;
	guint64 number;

	/* show_cpuinfo() for CPUs without a stepping. */
	if (strcmp(value, "unknown") == 0)
		return true;
	if (!scan_decimal(&p, G_MAXINT, &number) || *p)
		return error_cpuinfo(line, error);
	if (*seen >= 0 && *seen != (int)number) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "'proc/cpuinfo' shows two kinds of CPUs: '%.80s', and %d before", line,
			    *seen);
		return false;
	}
	*seen = (int)number;
	return true;
}

static bool identity_vendor(struct view *view, const char *value, const char *line, GError **error)
{
	if (!view->vendor) {
		view->vendor = g_strdup(value);
		return true;
	}
	if (strcmp(view->vendor, value) == 0)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "'proc/cpuinfo' shows two kinds of CPUs: '%.80s', and '%s' before", line,
		    view->vendor);
	return false;
}

/* Starts the block of another CPU; @cpu becomes its number. */
static bool processor_line(struct system *system, const char *value, const char *line, int *cpu,
			   struct cpus *seen, GError **error)
{
	guint64 number;

	if (!scan_decimal(&value, CPUS_MAX - 1, &number) || *value ||
	    !cpus_has(system->view->cpus, (unsigned)number) || cpus_has(seen, (unsigned)number))
		return error_cpuinfo(line, error);
	*cpu = (int)number;
	cpus_add(seen, (unsigned)number);
	return true;
}

/* "cpu family\t: 25"; arch/x86/kernel/cpu/proc.c, show_cpuinfo(). */
static bool cpuinfo_line(struct system *system, const char *line, int *cpu, struct cpus *seen,
			 GError **error)
{
	struct view *view = system->view;
	const char *colon = strchr(line, ':'), *value;
	g_autofree char *key = NULL;

	if (!colon)
		return *line == '\0' || error_cpuinfo(line, error);
	key = g_strchomp(g_strndup(line, (gsize)(colon - line)));
	value = colon + 1 + strspn(colon + 1, " ");
	if (strcmp(key, "processor") == 0)
		return processor_line(system, value, line, cpu, seen, error);
	if (*cpu < 0)
		return error_cpuinfo(line, error);
	if (strcmp(key, "vendor_id") == 0)
		return identity_vendor(view, value, line, error);
	if (strcmp(key, "cpu family") == 0)
		return identity_number(&view->family, value, line, error);
	if (strcmp(key, "model") == 0)
		return identity_number(&view->model, value, line, error);
	if (strcmp(key, "stepping") == 0)
		return identity_number(&view->stepping, value, line, error);
	if (strcmp(key, "apicid") == 0) {
		guint64 id;

		if (!scan_decimal(&value, G_MAXUINT32, &id) || *value)
			return error_cpuinfo(line, error);
		view->cpu[*cpu].apic_id = (gint64)id;
	}
	return true;
}

static bool cpuinfo_read(struct system *system, GError **error)
{
	g_autofree char *text = root_read(system->evidence, error, "proc/cpuinfo");
	AUTO(cpus) *seen = cpus_new();
	g_auto(GStrv) lines = NULL;
	int cpu = -1;

	if (!text)
		return false;
	lines = g_strsplit(text, "\n", -1);
	for (unsigned i = 0; lines[i]; i++)
		if (!cpuinfo_line(system, lines[i], &cpu, seen, error))
			return false;
	if (cpus_equal(seen, system->view->cpus))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "'proc/cpuinfo' does not list the CPUs of 'sys/devices/system/cpu/online'");
	return false;
}

/* One number for each online node, in their order: drivers/base/node.c, node_read_distance(). */
static bool distances_read(struct system *system, unsigned from, GError **error)
{
	struct view *view = system->view;
	g_autofree char *text = root_read(system->evidence, error, NODE "node%u/distance", from);
	const char *p = text;
	guint64 distance;

	if (!text)
		return false;
	CPUS_FOREACH (to, view->nodes) {
		if (to != cpus_next(view->nodes, -1) && !scan_literal(&p, " "))
			goto bad;
		if (!scan_decimal(&p, 255, &distance))
			goto bad;
		view->distance[from * view->n_node_slots + (unsigned)to] = (int)distance;
	}
	if (*p == '\0')
		return true;
bad:
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "'" NODE
		    "node%u/distance' holds '%.80s', not one distance for each online node",
		    from, text);
	return false;
}

static bool node_read(struct system *system, unsigned node, GError **error)
{
	struct view *view = system->view;
	g_autofree char *text = root_read(system->evidence, error, NODE "node%u/cpulist", node);

	view->node_cpus[node] = text ? lists_get(system->lists, text, error) : NULL;
	if (!view->node_cpus[node])
		return false;
	CPUS_FOREACH (cpu, view->node_cpus[node]) {
		if (!cpus_has(view->cpus, (unsigned)cpu) || view->cpu[cpu].node >= 0) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "'" NODE "node%u/cpulist' holds CPU %d, which is offline or in "
				    "another node too",
				    node, cpu);
			return false;
		}
		view->cpu[cpu].node = (int)node;
	}
	return distances_read(system, node, error);
}

/* A kernel without CONFIG_NUMA has no such folder. */
static bool nodes_read(struct system *system, GError **error)
{
	struct view *view = system->view;
	g_autofree char *text = NULL;
	int last = -1;

	if (!root_has(system->evidence, NODE "online"))
		return true;
	text = root_read(system->evidence, error, NODE "online");
	view->nodes = text ? cpus_parse_list(text, error) : NULL;
	if (!view->nodes)
		return false;
	CPUS_FOREACH (node, view->nodes)
		last = node;
	if (last < 0 || last >= NODES_MAX) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "'" NODE "online' holds '%.80s', not a list of nodes below %u", text,
			    NODES_MAX);
		return false;
	}
	view_set_node_slots(view, (unsigned)last + 1);
	CPUS_FOREACH (node, view->nodes)
		if (!node_read(system, (unsigned)node, error))
			return false;
	return true;
}

static struct cpus *online_read(struct root *evidence, GError **error)
{
	g_autofree char *text = root_read(evidence, error, "sys/devices/system/cpu/online");
	struct cpus *online = text ? cpus_parse_list(text, error) : NULL;

	if (online && cpus_is_empty(online)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "'sys/devices/system/cpu/online' is empty");
		g_clear_pointer(&online, cpus_unref);
	}
	return online;
}

struct view *observe_system(struct root *evidence, GError **error)
{
	AUTO(cpus) *online = online_read(evidence, error);
	AUTO(lists) *lists = lists_new();
	AUTO(view) *view = NULL;
	struct system system = {.evidence = evidence, .lists = lists};
	int last = -1;

	if (!online)
		return NULL;
	CPUS_FOREACH (cpu, online)
		last = cpu;
	system.view = view = view_new("/sys", (unsigned)last + 1);
	cpus_or(view->cpus, online);
	CPUS_FOREACH (cpu, online)
		if (!cpu_read(&system, (unsigned)cpu, error))
			return NULL;
	if (!cpuinfo_read(&system, error) || !nodes_read(&system, error))
		return NULL;
	return g_steal_pointer(&view);
}
