// SPDX-License-Identifier: GPL-2.0-only
/*
 * The second witness: what the guest's CPUs and firmware say, before any kernel code interpreted
 * it. CPUID leaves that the agent read on each CPU, and the bytes of MADT, SRAT and SLIT.
 */
#include "observe/observe.h"

#include "base/error.h"
#include "observe/acpi.h"
#include "observe/cpuid.h"
#include "observe/hwloc_child.h"
#include "observe/lists.h"
#include "observe/scan.h"

#define TABLES "sys/firmware/acpi/tables/"

/* The CPUs that have a dump: members cpuid/puN. */
static struct cpus *dumps_list(struct root *evidence, GError **error)
{
	g_auto(GStrv) names = root_list(evidence, "cpuid");
	AUTO(cpus) *cpus = cpus_new();

	for (unsigned i = 0; names && names[i]; i++) {
		const char *p = names[i];
		guint64 cpu;

		if (g_str_equal(p, "hwloc-cpuid-info"))
			continue;
		if (!scan_literal(&p, "pu") || !scan_decimal(&p, CPUS_MAX - 1, &cpu) || *p) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "the evidence holds 'cpuid/%.40s', which is no CPU's dump",
				    names[i]);
			return NULL;
		}
		cpus_add(cpus, (unsigned)cpu);
	}
	if (cpus_is_empty(cpus)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "the evidence holds no CPUID dump");
		return NULL;
	}
	return g_steal_pointer(&cpus);
}

/* All CPUs must be of one kind: the model has only one. */
static bool identity_add(struct view *view, const struct cpuid_identity *identity,
			 const char *member, GError **error)
{
	g_autofree char *lacks = topo_lacks_text(identity->lacks);

	if (!view->vendor) {
		view->vendor = g_strdup(identity->vendor);
		view->family = identity->family;
		view->model = identity->model;
		view->stepping = identity->stepping;
		view->lacks = g_steal_pointer(&lacks);
		return true;
	}
	if (g_str_equal(view->vendor, identity->vendor) && view->family == identity->family &&
	    view->model == identity->model && view->stepping == identity->stepping &&
	    g_str_equal(view->lacks, lacks))
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
		    "'%s' is of '%s' family %d model %d stepping %d without '%s', the first CPU of "
		    "'%s' family %d model %d stepping %d without '%s'",
		    member, identity->vendor, identity->family, identity->model, identity->stepping,
		    lacks, view->vendor, view->family, view->model, view->stepping, view->lacks);
	return false;
}

/* Identity and APIC id of one CPU into @view; returns its dump for hwloc. */
static char *dump_read(struct root *evidence, unsigned cpu, struct view *view, GError **error)
{
	g_autofree char *member = g_strdup_printf("cpuid/pu%u", cpu);
	g_autofree char *text = root_read(evidence, error, "%s", member);
	AUTO(cpuid_dump) *dump = text ? cpuid_dump_parse(text, member, error) : NULL;
	struct cpuid_identity identity;

	if (!dump || !cpuid_dump_identity(dump, member, &identity, error) ||
	    !identity_add(view, &identity, member, error))
		return NULL;
	view->cpu[cpu].apic_id = identity.apic_id;
	return cpuid_dump_for_hwloc(dump);
}

/* hwloc numbers the dumps from 0; @numbers has the CPU of each. */
static struct cpus *mask_translate(struct lists *lists, const char *list, const unsigned *numbers,
				   unsigned n, GError **error)
{
	AUTO(cpus) *dense = lists_get(lists, list, error);
	AUTO(cpus) *mask = cpus_new();

	if (!dense)
		return NULL;
	CPUS_FOREACH (i, dense) {
		if ((unsigned)i >= n) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "hwloc's reading of the CPUID dumps names CPU %d of %u", i, n);
			return NULL;
		}
		cpus_add(mask, numbers[i]);
	}
	return g_steal_pointer(&mask);
}

static bool masks_add(struct view *view, const struct hwloc_masks *masks, const unsigned *numbers,
		      GError **error)
{
	char *const *const lists_of[TOPO_LEVEL_COUNT] = {
		[TOPO_CORE] = masks->core,
		[TOPO_L2] = masks->l2,
		[TOPO_LLC] = masks->l3,
		[TOPO_PACKAGE] = masks->package,
	};
	AUTO(lists) *lists = lists_new();

	for (unsigned i = 0; i < masks->n; i++) {
		for (int level = 0; level < TOPO_LEVEL_COUNT; level++) {
			const char *list = lists_of[level][i];
			struct cpus *mask;

			/* hwloc has found the L2 or the L1, so it would have found an L3. */
			if (!list && level == TOPO_LLC)
				view->cpu[numbers[i]].mask[level] = cpus_new();
			if (!list)
				continue;
			mask = mask_translate(lists, list, numbers, masks->n, error);
			if (!mask)
				return false;
			view->cpu[numbers[i]].mask[level] = mask;
		}
	}
	return true;
}

static bool cpuid_add(struct view *view, struct root *evidence, GError **error)
{
	unsigned n = cpus_count(view->cpus), i = 0;
	g_auto(GStrv) dumps = g_new0(char *, n + 1);
	g_autofree unsigned *numbers = g_new(unsigned, n);
	AUTO(hwloc_masks) *masks = NULL;

	CPUS_FOREACH (cpu, view->cpus) {
		numbers[i] = (unsigned)cpu;
		dumps[i] = dump_read(evidence, (unsigned)cpu, view, error);
		if (!dumps[i++])
			return false;
	}
	masks = hwloc_masks_read(dumps, n, error);
	return masks && masks_add(view, masks, numbers, error);
}

static bool madt_lists(const GArray *madt, gint64 apic_id)
{
	for (guint i = 0; i < madt->len; i++) {
		const struct acpi_madt_cpu *cpu = &g_array_index(madt, struct acpi_madt_cpu, i);

		if (cpu->apic_id == apic_id)
			return true;
	}
	return false;
}

/*
 * A CPU that runs although the MADT does not list it was not started from this table. One that is
 * listed and not enabled may have been plugged in; who may run the judges know.
 */
static bool madt_check(const struct view *view, struct root *evidence, GError **error)
{
	g_autoptr(GBytes) bytes = root_read_bytes(evidence, error, TABLES "APIC");
	g_autoptr(GArray) madt = bytes ? acpi_madt_read(bytes, error) : NULL;

	if (!madt)
		return false;
	CPUS_FOREACH (cpu, view->cpus) {
		if (madt_lists(madt, view->cpu[cpu].apic_id))
			continue;
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "CPU %d has APIC id %" G_GINT64_FORMAT
			    " in CPUID, which the guest's MADT does not list",
			    cpu, view->cpu[cpu].apic_id);
		return false;
	}
	return true;
}

static int set_last(const struct cpus *set)
{
	int last = -1;

	CPUS_FOREACH (i, set)
		last = i;
	return last;
}

/* Nodes are proximity domains: Linux numbers nodes in the order the domains appear. */
static bool srat_add(struct view *view, struct root *evidence, GError **error)
{
	g_autoptr(GBytes) bytes = root_read_bytes(evidence, error, TABLES "SRAT");
	AUTO(acpi_srat) *srat = bytes ? acpi_srat_read(bytes, error) : NULL;

	if (!srat)
		return false;
	view->nodes = cpus_copy(srat->nodes);
	view_set_node_slots(view, (unsigned)(set_last(view->nodes) + 1));
	CPUS_FOREACH (node, view->nodes)
		view->node_cpus[node] = cpus_new();
	CPUS_FOREACH (cpu, view->cpus) {
		int node = acpi_srat_node(srat, (guint32)view->cpu[cpu].apic_id);

		view->cpu[cpu].node = node;
		if (node >= 0)
			cpus_add(view->node_cpus[node], (unsigned)cpu);
	}
	return true;
}

/* Distances that it has no room for stay unseen. */
static bool slit_add(struct view *view, struct root *evidence, GError **error)
{
	g_autoptr(GBytes) bytes = root_read_bytes(evidence, error, TABLES "SLIT");
	AUTO(acpi_slit) *slit = bytes ? acpi_slit_read(bytes, error) : NULL;
	unsigned n = view->n_node_slots;

	if (!slit)
		return false;
	for (unsigned from = 0; from < MIN(n, slit->n); from++)
		for (unsigned to = 0; to < MIN(n, slit->n); to++)
			view->distance[from * n + to] = slit->distance[from * slit->n + to];
	return true;
}

struct view *observe_hardware(struct root *evidence, GError **error)
{
	AUTO(cpus) *cpus = dumps_list(evidence, error);
	AUTO(view) *view = NULL;

	if (!cpus)
		return NULL;
	view = view_new("CPUID and ACPI tables", (unsigned)(set_last(cpus) + 1));
	cpus_or(view->cpus, cpus);
	if (!cpuid_add(view, evidence, error) || !madt_check(view, evidence, error))
		return NULL;
	/* Machines of one node need neither table. */
	if (root_has(evidence, TABLES "SRAT") && !srat_add(view, evidence, error))
		return NULL;
	if (view->nodes && root_has(evidence, TABLES "SLIT") && !slit_add(view, evidence, error))
		return NULL;
	return g_steal_pointer(&view);
}
