// SPDX-License-Identifier: GPL-2.0-only
/* The machine as two witnesses describe it: like with like, value by value. */
#include "base/cpus.h"
#include "verdict/compare.h"
#include "verdict/findings.h"

#include <string.h>

struct comparison {
	const struct view *expected, *observed;
	enum topo_vendor vendor;
	const char *accusation; /* who is at fault when the two differ */
	struct findings *findings;
};

static const char *const level_nouns[] = {
	[TOPO_CORE] = "core",
	[TOPO_L2] = "L2 cache",
	[TOPO_LLC] = "last-level cache",
	[TOPO_PACKAGE] = "package",
};
_Static_assert(G_N_ELEMENTS(level_nouns) == TOPO_LEVEL_COUNT, "a level has no noun");

/*
 * @what: the subject of the sentence, "the node of the CPU". NULL @rule: the first witness's word.
 */
static void comparison_differs(const struct comparison *comparison, int cpu, const char *what,
			       const char *rule, const char *expected, const char *observed)
{
	g_autofree char *reason = g_strdup_printf("%s: %s", comparison->accusation, what);

	findings_add(comparison->findings,
		     &(struct finding){
			     .cpu = cpu,
			     .level = -1,
			     .expected = expected,
			     .observed = observed,
			     .rule = rule ? rule : comparison->expected->witness,
			     .reason = reason,
		     });
}

/* -1 is "not seen": an expected number that the other witness does not show is a difference. */
static void compare_number(const struct comparison *comparison, int cpu, const char *what,
			   gint64 expected, gint64 observed)
{
	g_autofree char *expected_text = NULL;
	g_autofree char *observed_text = NULL;

	if (expected < 0)
		return;
	findings_compared(comparison->findings, 1);
	if (expected == observed)
		return;
	expected_text = g_strdup_printf("%" G_GINT64_FORMAT, expected);
	observed_text = observed < 0 ? g_strdup("not shown")
				     : g_strdup_printf("%" G_GINT64_FORMAT, observed);
	comparison_differs(comparison, cpu, what, NULL, expected_text, observed_text);
}

static char *set_text(const struct cpus *set)
{
	if (!set)
		return g_strdup("not shown");
	return cpus_is_empty(set) ? g_strdup("none") : cpus_to_list(set);
}

/* NULL @expected is "not seen". */
static void compare_set(const struct comparison *comparison, int cpu, const char *what,
			const char *rule, const struct cpus *expected, const struct cpus *observed)
{
	g_autofree char *expected_text = NULL;
	g_autofree char *observed_text = NULL;

	if (!expected)
		return;
	findings_compared(comparison->findings, 1);
	if (observed && cpus_equal(expected, observed))
		return;
	expected_text = set_text(expected);
	observed_text = set_text(observed);
	comparison_differs(comparison, cpu, what, rule, expected_text, observed_text);
}

/* What is seen of @cpu; a CPU beyond the view's slots was not seen at all. */
static const struct view_cpu *view_cpu(const struct view *view, unsigned cpu)
{
	static const struct view_cpu unseen = {.apic_id = -1, .node = -1};

	return cpu < view->n_cpu_slots ? &view->cpu[cpu] : &unseen;
}

static void compare_cpu_set(const struct comparison *comparison)
{
	compare_set(comparison, -1, "the CPUs that exist", NULL, comparison->expected->cpus,
		    comparison->observed->cpus);
}

static void compare_identity(const struct comparison *comparison)
{
	const struct view *expected = comparison->expected, *observed = comparison->observed;

	if (expected->vendor) {
		findings_compared(comparison->findings, 1);
		if (g_strcmp0(expected->vendor, observed->vendor) != 0)
			comparison_differs(comparison, -1, "the processor's vendor", NULL,
					   expected->vendor,
					   observed->vendor ? observed->vendor : "not shown");
	}
	compare_number(comparison, -1, "the processor's family", expected->family,
		       observed->family);
	compare_number(comparison, -1, "the processor's model", expected->model, observed->model);
	compare_number(comparison, -1, "the processor's stepping", expected->stepping,
		       observed->stepping);
}

/* /proc/cpuinfo does not show it. */
static void compare_lacks(const struct comparison *comparison)
{
	const char *expected = comparison->expected->lacks, *observed = comparison->observed->lacks;

	if (!expected)
		return;
	findings_compared(comparison->findings, 1);
	if (g_strcmp0(expected, observed) != 0)
		comparison_differs(comparison, -1, "what the processor lacks", NULL,
				   *expected ? expected : "nothing",
				   !observed   ? "not shown"
				   : *observed ? observed
					       : "nothing");
}

static void compare_apic_ids(const struct comparison *comparison)
{
	CPUS_FOREACH (cpu, comparison->expected->cpus)
		compare_number(comparison, cpu, "the APIC id of the CPU",
			       view_cpu(comparison->expected, (unsigned)cpu)->apic_id,
			       view_cpu(comparison->observed, (unsigned)cpu)->apic_id);
}

/* The CPU's cache mask without the CPUs of other nodes. */
static struct cpus *mask_within_node(const struct view *view, unsigned cpu, enum topo_level level)
{
	const struct view_cpu *seen = view_cpu(view, cpu);
	struct cpus *mask = cpus_copy(seen->mask[level]);

	CPUS_FOREACH (other, seen->mask[level])
		if (view_cpu(view, (unsigned)other)->node != seen->node)
			cpus_remove(mask, (unsigned)other);
	return mask;
}

/*
 * Where the kernel's reading is known to follow something else than CPUID alone. The rows are about
 * /sys, so they only apply when it is the observed witness. Intel has none: its L3 shared_cpu_list
 * follows leaf 4 whatever the nodes (__cache_cpumap_setup()).
 */
static const struct exception {
	enum topo_vendor vendor;
	enum topo_level level;
	const char *rule;
	struct cpus *(*expected)(const struct view *view, unsigned cpu, enum topo_level level);
} exceptions[] = {
	{
		.vendor = TOPO_VENDOR_AMD,
		.level = TOPO_LLC,
		/*
		 * __cache_amd_cpumap_setup() takes cpu_llc_shared_mask(), which match_llc() cuts.
		 */
		.rule = "AMD: the L3 shared_cpu_list is the kernel's LLC mask, cut at node borders",
		.expected = mask_within_node,
	},
};

static const struct exception *exception_find(const struct comparison *comparison,
					      enum topo_level level)
{
	for (gsize i = 0; i < G_N_ELEMENTS(exceptions); i++)
		if (exceptions[i].vendor == comparison->vendor && exceptions[i].level == level)
			return &exceptions[i];
	return NULL;
}

static void compare_masks(const struct comparison *comparison, enum topo_level level,
			  const struct exception *exception)
{
	g_autofree char *what = g_strdup_printf("the CPUs of one %s", level_nouns[level]);

	CPUS_FOREACH (cpu, comparison->expected->cpus) {
		struct cpus *plain = view_cpu(comparison->expected, (unsigned)cpu)->mask[level];
		AUTO(cpus) *expected =
			plain && exception
				? exception->expected(comparison->expected, (unsigned)cpu, level)
			: plain ? cpus_ref(plain)
				: NULL;

		compare_set(comparison, cpu, what, exception ? exception->rule : NULL, expected,
			    view_cpu(comparison->observed, (unsigned)cpu)->mask[level]);
	}
}

static void compare_all_masks(const struct comparison *comparison)
{
	for (enum topo_level level = 0; level < TOPO_LEVEL_COUNT; level++)
		compare_masks(comparison, level, NULL);
}

static void compare_cores_and_packages(const struct comparison *comparison)
{
	compare_masks(comparison, TOPO_CORE, NULL);
	compare_masks(comparison, TOPO_PACKAGE, NULL);
}

static void compare_caches(const struct comparison *comparison)
{
	compare_masks(comparison, TOPO_L2, NULL);
	compare_masks(comparison, TOPO_LLC, exception_find(comparison, TOPO_LLC));
}

static struct cpus *view_node_cpus(const struct view *view, unsigned node)
{
	return view->node_cpus && node < view->n_node_slots ? view->node_cpus[node] : NULL;
}

static void compare_nodes(const struct comparison *comparison)
{
	const struct view *expected = comparison->expected, *observed = comparison->observed;

	compare_set(comparison, -1, "the NUMA nodes that exist", NULL, expected->nodes,
		    observed->nodes);
	CPUS_FOREACH (cpu, expected->cpus)
		compare_number(comparison, cpu, "the NUMA node of the CPU",
			       view_cpu(expected, (unsigned)cpu)->node,
			       view_cpu(observed, (unsigned)cpu)->node);
	for (unsigned node = 0; node < expected->n_node_slots; node++) {
		g_autofree char *what = g_strdup_printf("the CPUs of NUMA node %u", node);

		compare_set(comparison, -1, what, NULL, view_node_cpus(expected, node),
			    view_node_cpus(observed, node));
	}
}

static int view_distance(const struct view *view, unsigned from, unsigned to)
{
	if (!view->distance || from >= view->n_node_slots || to >= view->n_node_slots)
		return -1;
	return view->distance[from * view->n_node_slots + to];
}

static void compare_distances(const struct comparison *comparison)
{
	unsigned n = comparison->expected->n_node_slots;

	for (unsigned from = 0; from < n; from++) {
		for (unsigned to = 0; to < n; to++) {
			g_autofree char *what = g_strdup_printf(
				"the distance from NUMA node %u to node %u", from, to);

			compare_number(comparison, -1, what,
				       view_distance(comparison->expected, from, to),
				       view_distance(comparison->observed, from, to));
		}
	}
}

/*
 * ACPI 6.5, 5.2.16 and 5.2.17: without a SRAT the machine is one proximity domain; without a SLIT
 * domains are 10 from themselves and, as Linux has it (REMOTE_DISTANCE), 20 from each other.
 */
void view_imply_tables(struct view *hardware)
{
	if (!hardware->nodes) {
		hardware->nodes = cpus_new();
		cpus_add(hardware->nodes, 0);
		view_set_node_slots(hardware, 1);
		hardware->node_cpus[0] = cpus_ref(hardware->cpus);
		CPUS_FOREACH (cpu, hardware->cpus)
			hardware->cpu[cpu].node = 0;
	}
	for (unsigned i = 0; i < hardware->n_node_slots * hardware->n_node_slots; i++)
		if (hardware->distance[i] >= 0)
			return;
	CPUS_FOREACH (from, hardware->nodes)
		CPUS_FOREACH (to, hardware->nodes)
			hardware->distance[(unsigned)from * hardware->n_node_slots + (unsigned)to] =
				from == to ? 10 : 20;
}

/* One check: the aspects it compares, each of which must compare something. */
struct part {
	const char *name, *unit, *evidence;
	const char *config; /* symbol without which the witness shows nothing of it; NULL: none */
	struct aspect {
		const char *noun;
		void (*compare)(const struct comparison *comparison);
	} aspects[4];
};

static const struct part guest_parts[] = {
	{
		.name = "guest.cpuid",
		.unit = "values of CPUID",
		.evidence = "cpuid",
		.aspects = {{"CPUs", compare_cpu_set},
			    {"processor identity", compare_identity},
			    {"features", compare_lacks},
			    {"topology and cache masks", compare_all_masks}},
	},
	{
		.name = "guest.madt",
		.unit = "APIC ids",
		.evidence = "sys/firmware/acpi/tables/APIC",
		.aspects = {{"APIC ids", compare_apic_ids}},
	},
	{
		.name = "guest.srat",
		.unit = "NUMA nodes and CPUs",
		.evidence = "sys/firmware/acpi/tables/SRAT",
		.aspects = {{"NUMA nodes", compare_nodes}},
	},
	{
		.name = "guest.slit",
		.unit = "distances",
		.evidence = "sys/firmware/acpi/tables/SLIT",
		.aspects = {{"NUMA distances", compare_distances}},
	},
};

static const struct part kernel_parts[] = {
	{
		.name = "kernel.cpus",
		.unit = "values of /proc/cpuinfo",
		.evidence = "proc/cpuinfo",
		.aspects = {{"CPUs", compare_cpu_set},
			    {"processor identity", compare_identity},
			    {"APIC ids", compare_apic_ids}},
	},
	{
		.name = "kernel.topology",
		.unit = "core and package masks",
		.evidence = "sys/devices/system/cpu",
		.aspects = {{"core and package masks", compare_cores_and_packages}},
	},
	{
		.name = "kernel.caches",
		.unit = "cache masks",
		.evidence = "sys/devices/system/cpu",
		.aspects = {{"cache masks", compare_caches}},
	},
	{
		.name = "kernel.numa",
		.unit = "NUMA nodes, CPUs and distances",
		.evidence = "sys/devices/system/node",
		.config = "NUMA",
		.aspects = {{"NUMA nodes", compare_nodes}, {"NUMA distances", compare_distances}},
	},
};

static void compare_llcs(const struct comparison *comparison)
{
	compare_masks(comparison, TOPO_LLC, NULL);
}

/* The LLC's id is CPUID's, whatever the nodes are; only its mask is cut (match_llc()). */
static const struct part ids_part = {
	.name = "kernel.ids",
	.unit = "APIC ids, and masks of equal ids",
	.evidence = "sys/kernel/debug/x86/topo/cpus",
	.aspects = {{"APIC ids", compare_apic_ids},
		    {"core and package masks", compare_cores_and_packages},
		    {"last-level cache masks", compare_llcs}},
};

/* An aspect that found nothing to compare would let the check pass on the others' account. */
static void part_compare(const struct part *part, struct comparison *comparison,
			 enum verdict verdict, struct checks *checks)
{
	comparison->findings = findings_new(part->name, verdict, part->unit, part->evidence);
	for (gsize i = 0; i < G_N_ELEMENTS(part->aspects) && part->aspects[i].compare; i++) {
		guint before = findings_count_compared(comparison->findings);
		g_autofree char *reason = NULL;

		part->aspects[i].compare(comparison);
		if (findings_count_compared(comparison->findings) > before)
			continue;
		reason = g_strdup_printf("witness '%s' shows no %s, so nothing was compared",
					 comparison->expected->witness, part->aspects[i].noun);
		checks_add(checks, &(struct check){.name = part->name,
						   .verdict = VERDICT_ERROR,
						   .cpu = -1,
						   .level = -1,
						   .reason = reason,
						   .evidence = part->evidence});
	}
	findings_close(comparison->findings, checks);
}

void compare_guest(const struct view *model, const struct view *hardware, struct checks *checks)
{
	struct comparison comparison = {
		.expected = model,
		.observed = hardware,
		.accusation = "guest was not given the machine",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(guest_parts); i++)
		part_compare(&guest_parts[i], &comparison, VERDICT_ERROR, checks);
}

static void part_skip(const struct part *part, struct checks *checks)
{
	g_autofree char *reason =
		g_strdup_printf("the kernel is built without CONFIG_%s", part->config);

	checks_add(checks, &(struct check){.name = part->name,
					   .verdict = VERDICT_SKIP,
					   .cpu = -1,
					   .level = -1,
					   .reason = reason,
					   .evidence = part->evidence});
}

void compare_kernel(enum topo_vendor vendor, const struct kernel_facts *facts,
		    const struct view *hardware, const struct view *system, struct checks *checks)
{
	struct comparison comparison = {
		.expected = hardware,
		.observed = system,
		.vendor = vendor,
		.accusation = "kernel misread the machine",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(kernel_parts); i++) {
		const struct part *part = &kernel_parts[i];

		if (part->config && !kernel_facts_builtin(facts, part->config))
			part_skip(part, checks);
		else
			part_compare(part, &comparison, VERDICT_FAIL, checks);
	}
}

void compare_topo_ids(const struct view *hardware, const struct view *ids, struct checks *checks)
{
	struct comparison comparison = {
		.expected = hardware,
		.observed = ids,
		.accusation = "kernel misread the machine",
	};

	part_compare(&ids_part, &comparison, VERDICT_FAIL, checks);
}
