// SPDX-License-Identifier: GPL-2.0-only
#include "expect/levels.h"

#include "expect/flags.h"
#include "expect/sharing.h"
#include "expect/versions.h"

struct level_row {
	const char *name;
	struct versions versions;
	const char *config; /* symbol without which the level does not exist; NULL: none */
	bool (*applies)(const struct machine *machine);			   /* NULL: always */
	struct cpus *(*span)(const struct machine *machine, unsigned cpu); /* new */
	guint32 flags; /* what the level's sd_flags() function returns */
};

/*
 * cpu_smt_num_threads, which nosmt sets to 1: threads by cores, rounded up, so one core of two
 * threads is enough. build_sched_topology() looks at it once.
 */
static bool has_smt(const struct machine *machine)
{
	if (machine->situation->threads_off)
		return false;
	CPUS_FOREACH (cpu, machine->situation->present) {
		AUTO(cpus) *threads =
			sharing_mask(machine->topo, machine->version, TOPO_CORE, (unsigned)cpu);

		cpus_and(threads, machine->situation->present);
		if (cpus_count(threads) > 1)
			return true;
	}
	return false;
}

static bool has_l2_ids(const struct machine *machine)
{
	return topo_cpu_model(machine->topo)->vendor == TOPO_VENDOR_INTEL;
}

static bool has_no_l2_ids(const struct machine *machine)
{
	return !has_l2_ids(machine);
}

static bool package_has_one_node(const struct machine *machine)
{
	return !machine->package_spans_nodes;
}

static bool one_node_per_package(const struct machine *machine)
{
	return machine->nodes_per_package <= 1;
}

static struct cpus *span_within_node(const struct machine *machine, enum topo_level level,
				     unsigned cpu)
{
	struct cpus *span = machine_mask(machine, level, cpu);

	cpus_and(span, machine->node_cpus[machine->node_of[cpu]]);
	return span;
}

/* match_smt(): threads of a core, on one node (topology_sane()). */
static struct cpus *span_smt(const struct machine *machine, unsigned cpu)
{
	return span_within_node(machine, TOPO_CORE, cpu);
}

/* match_l2c(), for CPUs that have an l2c_id: init_intel_cacheinfo(), from CPUID leaf 4. */
static struct cpus *span_l2(const struct machine *machine, unsigned cpu)
{
	return span_within_node(machine, TOPO_L2, cpu);
}

/*
 * match_llc(): with split_llc= only cores of equal remainder share it. An LLC never crosses a node.
 * On Intel other than Haswell-X and Broadwell-X (where nodes in a package mean SNC) it is cut
 * silently; elsewhere topology_sane() warns, and cuts, too.
 */
static struct cpus *span_llc(const struct machine *machine, unsigned cpu)
{
	struct cpus *span = span_within_node(machine, TOPO_LLC, cpu);
	unsigned split = machine->situation->split_llc;

	for (int other = split ? cpus_next(span, -1) : -1; other >= 0;
	     other = cpus_next(span, other))
		if (topo_core_id(machine->topo, (unsigned)other) % split !=
		    topo_core_id(machine->topo, cpu) % split)
			cpus_remove(span, (unsigned)other);
	return span;
}

/* cpu_cpu_mask(), cpu_node_mask(): DIE and PKG have always been the node, not the package. */
static struct cpus *span_node(const struct machine *machine, unsigned cpu)
{
	return cpus_copy(machine->node_cpus[machine->node_of[cpu]]);
}

/*
 * From the inside out. SMT to PKG are x86_topology[] and what build_sched_topology() makes of it
 * (arch/x86/kernel/smpboot.c of 6.1.192, 6.12.117, 7.3.4); sched_init_numa() adds NODE. SMT is
 * dropped when cores have one thread since 6.17 (f79c9aa446d6), DIE was renamed in 6.7
 * (f577cd57bfaa), and the test for nodes in a package changed in 7.0. No AMD CPU sets l2c_id, so
 * that match_l2c() falls back to match_smt().
 */
static const struct level_row level_rows[] = {
	{
		.name = "SMT",
		.versions = {.since = RELEASE(6, 1), .until = RELEASE(6, 17)},
		.config = "SCHED_SMT",
		.span = span_smt,
		.flags = SD_SHARE_CPUCAPACITY | SD_SHARE_LLC,
	},
	{
		.name = "SMT",
		.versions = {.since = RELEASE(6, 17)},
		.config = "SCHED_SMT",
		.applies = has_smt,
		.span = span_smt,
		.flags = SD_SHARE_CPUCAPACITY | SD_SHARE_LLC,
	},
	{
		.name = "CLS",
		.versions = {.since = RELEASE(6, 1)},
		.config = "SCHED_CLUSTER",
		.applies = has_l2_ids,
		.span = span_l2,
		.flags = SD_CLUSTER | SD_SHARE_LLC,
	},
	{
		.name = "CLS",
		.versions = {.since = RELEASE(6, 1)},
		.config = "SCHED_CLUSTER",
		.applies = has_no_l2_ids,
		.span = span_smt,
		.flags = SD_CLUSTER | SD_SHARE_LLC,
	},
	{
		.name = "MC",
		.versions = {.since = RELEASE(6, 1)},
		.config = "SCHED_MC",
		.span = span_llc,
		.flags = SD_SHARE_LLC,
	},
	{
		.name = "DIE",
		.versions = {.since = RELEASE(6, 1), .until = RELEASE(6, 7)},
		.applies = package_has_one_node,
		.span = span_node,
	},
	{
		.name = "PKG",
		.versions = {.since = RELEASE(6, 7), .until = RELEASE(7, 0)},
		.applies = package_has_one_node,
		.span = span_node,
	},
	{
		.name = "PKG",
		.versions = {.since = RELEASE(7, 0)},
		.applies = one_node_per_package,
		.span = span_node,
	},
	{
		.name = "NODE",
		.versions = {.since = RELEASE(6, 1)},
		.config = "NUMA",
		.span = span_node,
	},
};

/* sd_init(): what every level begins with, and what SD_NUMA turns it into. */
#define FLAGS_BALANCE (SD_BALANCE_NEWIDLE | SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE)
#define FLAGS_BASE    (FLAGS_BALANCE | SD_PREFER_SIBLING)
#define FLAGS_NUMA    (FLAGS_BALANCE | SD_SERIALIZE | SD_OVERLAP | SD_NUMA)
/* What goes when a level is farther than node_reclaim_distance. */
#define FLAGS_NEAR_ONLY (SD_BALANCE_EXEC | SD_BALANCE_FORK | SD_WAKE_AFFINE)

GHashTable *spans_new(void)
{
	return g_hash_table_new_full(cpus_hash, cpus_hash_equal, (GDestroyNotify)cpus_unref, NULL);
}

struct cpus *spans_intern(GHashTable *spans, struct cpus *set)
{
	struct cpus *known = g_hash_table_lookup(spans, set);

	if (known) {
		cpus_unref(set);
		return known;
	}
	g_hash_table_add(spans, set);
	return set;
}

static char *rule_name(const char *name, unsigned since)
{
	return g_strdup_printf("%s/%u.%u+", name, since >> 20, since >> 10 & 0x3ff);
}

static void level_free(gpointer data)
{
	struct level *level = data;

	g_free(level->rule);
	g_free(level->span);
	g_free(level->weight);
	g_free(level);
}

/* What is common to all levels of one map. */
struct level_maker {
	const struct machine *machine;
	const struct cpus *map;
	GHashTable *spans;
	int leaving; /* a CPU that is still in the masks, though in no map any more; -1: none */
};

/*
 * Since 6.10 (2125c0034c5d) cpuset_handle_hotplug() builds the domains while the CPU goes, before
 * the masks lose it; before, a work item did when it had gone.
 */
static int leaving_cpu(const struct machine *machine)
{
	static const struct versions at_once = {.since = RELEASE(6, 10)};

	return versions_have(&at_once, machine->version) ? machine->situation->last_gone : -1;
}

/* Takes @rule over. */
static struct level *level_new(const struct level_maker *maker, const char *name, char *rule,
			       guint32 flags)
{
	struct level *level = g_new0(struct level, 1);

	level->name = name;
	level->rule = rule;
	level->flags = flags_known(flags, maker->machine->version);
	level->overlaps = flags & SD_NUMA;
	level->span = g_new0(struct cpus *, maker->machine->n_cpus);
	level->weight = g_new0(unsigned, maker->machine->n_cpus);
	return level;
}

/*
 * sd_init(): the part of @mask, which is taken over, that is in the map, for all of @cpus there.
 * @leaving: is the CPU that leaves in the mask?
 */
static void level_set(const struct level_maker *maker, struct level *level, struct cpus *mask,
		      const struct cpus *cpus, bool leaving)
{
	unsigned weight = cpus_count(mask) + leaving;
	struct cpus *span;

	cpus_and(mask, maker->map);
	span = spans_intern(maker->spans, mask);
	CPUS_FOREACH (cpu, cpus) {
		if (!cpus_has(maker->map, (unsigned)cpu))
			continue;
		level->span[cpu] = span;
		level->weight[cpu] = weight;
	}
}

/* The spans of these rows are a partition: what one CPU sees, all CPUs in it see. */
static struct level *level_from_row(const struct level_maker *maker, const struct level_row *row)
{
	struct level *level = level_new(maker, row->name, rule_name(row->name, row->versions.since),
					FLAGS_BASE | row->flags);
	AUTO(cpus) *left = maker->leaving < 0 ? cpus_new()
					      : row->span(maker->machine, (unsigned)maker->leaving);

	CPUS_FOREACH (cpu, maker->map) {
		struct cpus *mask;
		AUTO(cpus) *members = NULL;

		if (level->span[cpu])
			continue;
		mask = row->span(maker->machine, (unsigned)cpu);
		members = cpus_copy(mask);
		level_set(maker, level, mask, members, cpus_has(left, (unsigned)cpu));
	}
	return level;
}

/* A node's last CPU takes the node out of the masks at once: sched_update_numa(). */
static bool leaves_node_of(const struct level_maker *maker, const struct cpus *span)
{
	const struct machine *machine = maker->machine;

	return maker->leaving >= 0 &&
	       cpus_intersects(machine->node_cpus[machine->node_of[maker->leaving]], span);
}

static struct level *level_from_distance(const struct level_maker *maker, const struct numa *numa,
					 unsigned i)
{
	const struct machine *machine = maker->machine;
	unsigned distance = numa->level_distance[i];
	bool far = distance > numa->reclaim;
	char *rule = g_strdup_printf("NUMA/6.1+ distance %u %s reclaim distance %u%s%s", distance,
				     far ? "over" : "within", numa->reclaim,
				     numa->fixup ? " after " : "", numa->fixup ? numa->fixup : "");
	struct level *level =
		level_new(maker, "NUMA", rule, far ? FLAGS_NUMA & ~FLAGS_NEAR_ONLY : FLAGS_NUMA);

	for (unsigned node = 0; node < machine->n_nodes; node++) {
		struct cpus *span;

		if (!cpus_intersects(machine->node_cpus[node], maker->map))
			continue;
		span = numa_span(numa, machine, i, node);
		level_set(maker, level, span, machine->node_cpus[node],
			  leaves_node_of(maker, span));
	}
	return level;
}

GPtrArray *levels_new(const struct machine *machine, const struct numa *numa,
		      const struct cpus *map, GHashTable *spans)
{
	GPtrArray *levels = g_ptr_array_new_with_free_func(level_free);
	struct level_maker maker = {
		.machine = machine,
		.map = map,
		.spans = spans,
		.leaving = leaving_cpu(machine),
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(level_rows); i++) {
		const struct level_row *row = &level_rows[i];

		if (versions_have(&row->versions, machine->version) &&
		    (!row->config || kernel_facts_builtin(machine->facts, row->config)) &&
		    (!row->applies || row->applies(machine)))
			g_ptr_array_add(levels, level_from_row(&maker, row));
	}
	/* Level 0 is the distance of a node to itself: NODE. */
	for (unsigned i = 1; machine->numa && i < numa->n_levels; i++)
		g_ptr_array_add(levels, level_from_distance(&maker, numa, i));
	return levels;
}
