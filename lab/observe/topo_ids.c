// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ids by which the kernel tells CPUs, cores, caches and packages apart, as debugfs shows them
 * since 6.9: arch/x86/kernel/cpu/debugfs.c. CPUs with equal ids share what the id is of.
 */
#include "observe/observe.h"

#include "base/error.h"
#include "observe/lists.h"
#include "observe/scan.h"

#include <string.h>

#define CPUS_FOLDER "sys/kernel/debug/x86/topo/cpus"
/* BAD_APICID, as the u16 that the file shows. */
#define NO_ID 0xffff

enum id { ID_APIC, ID_PACKAGE, ID_DIE, ID_CORE, ID_LLC, ID_L2, ID_COUNT };

static const char *const id_names[] = {
	[ID_APIC] = "apicid",  [ID_PACKAGE] = "pkg_id", [ID_DIE] = "die_id",
	[ID_CORE] = "core_id", [ID_LLC] = "llc_id",	[ID_L2] = "l2c_id",
};
_Static_assert(G_N_ELEMENTS(id_names) == ID_COUNT, "an id has no name");

struct ids {
	gint64 of[ID_COUNT];
};

/* An APIC id is hexadecimal, "1a" in 6.12 and "0x1a" in 7.3; the others are decimal. */
static bool id_read(const char *text, enum id which, gint64 *id)
{
	const char *p = text;
	guint64 decimal;
	guint32 hex;

	if (which != ID_APIC) {
		if (!scan_decimal(&p, G_MAXUINT32, &decimal) || *p)
			return false;
		*id = (gint64)decimal;
		return true;
	}
	scan_literal(&p, "0x");
	if (!scan_hex32(&p, &hex) || *p)
		return false;
	*id = hex;
	return true;
}

static bool line_read(const char *line, struct ids *ids)
{
	for (enum id id = 0; id < ID_COUNT; id++) {
		const char *p = line;

		if (!scan_literal(&p, id_names[id]) || !scan_literal(&p, ":"))
			continue;
		while (*p == ' ' || *p == '\t')
			p++;
		return id_read(p, id, &ids->of[id]);
	}
	return true;
}

static bool cpu_read(struct root *evidence, unsigned cpu, struct ids *ids, GError **error)
{
	g_autofree char *text = root_read(evidence, error, CPUS_FOLDER "/%u", cpu);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;

	for (enum id id = 0; id < ID_COUNT; id++)
		ids->of[id] = -1;
	for (unsigned i = 0; lines && lines[i]; i++) {
		if (line_read(lines[i], ids))
			continue;
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "'" CPUS_FOLDER "/%u' holds '%.80s', which does not belong there", cpu,
			    lines[i]);
		return false;
	}
	return text != NULL;
}

/* What must be equal for two CPUs to share a level; -1 in one of them: not known. */
static const struct {
	enum topo_level level;
	enum id ids[3];
} levels[] = {
	{TOPO_PACKAGE, {ID_PACKAGE, ID_PACKAGE, ID_PACKAGE}},
	{TOPO_CORE, {ID_PACKAGE, ID_DIE, ID_CORE}},
	{TOPO_LLC, {ID_LLC, ID_LLC, ID_LLC}},
	{TOPO_L2, {ID_L2, ID_L2, ID_L2}},
};

/* "0 0 3": equal texts are of CPUs that share. NULL: nothing is known. */
static char *level_key(const struct ids *ids, gsize level)
{
	const enum id *which = levels[level].ids;

	for (unsigned i = 0; i < 3; i++)
		if (ids->of[which[i]] < 0 || ids->of[which[i]] == NO_ID)
			return NULL;
	return g_strdup_printf("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT,
			       ids->of[which[0]], ids->of[which[1]], ids->of[which[2]]);
}

static void set_unref(gpointer set)
{
	cpus_unref(set);
}

static void view_fill_level(struct view *view, const struct ids *ids, gsize level)
{
	g_autoptr(GHashTable) sets =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, set_unref);

	CPUS_FOREACH (cpu, view->cpus) {
		char *key = level_key(&ids[cpu], level);
		struct cpus *set = key ? g_hash_table_lookup(sets, key) : NULL;

		if (!key)
			continue;
		if (set) {
			g_free(key);
		} else {
			set = cpus_new();
			g_hash_table_insert(sets, key, set);
		}
		cpus_add(set, (unsigned)cpu);
		view->cpu[cpu].mask[levels[level].level] = cpus_ref(set);
	}
}

struct view *observe_topo_ids(struct root *evidence, const struct cpus *online, GError **error)
{
	unsigned n = 0;
	AUTO(view) *view = NULL;
	g_autofree struct ids *ids = NULL;
	g_auto(GStrv) files = root_list(evidence, CPUS_FOLDER);

	if (!files || !files[0])
		return NULL;
	CPUS_FOREACH (cpu, online)
		n = (unsigned)cpu + 1;
	view = view_new("/sys/kernel/debug/x86/topo", n);
	ids = g_new0(struct ids, n);
	CPUS_FOREACH (cpu, online) {
		if (!cpu_read(evidence, (unsigned)cpu, &ids[cpu], error))
			return NULL;
		cpus_add(view->cpus, (unsigned)cpu);
		view->cpu[cpu].apic_id = ids[cpu].of[ID_APIC];
	}
	for (gsize level = 0; level < G_N_ELEMENTS(levels); level++)
		view_fill_level(view, ids, level);
	return g_steal_pointer(&view);
}
