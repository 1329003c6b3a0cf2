// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random machines with random SLITs, whose domains the rules of three kernels predict. No rule may
 * crash, and nothing that must hold of any domains may be broken where the kernel does not break
 * it. A failure names its seed; TOPOLAB_NUMA_SEED=SEED looks at that machine alone and prints it on
 * stderr.
 */
#include "base/error.h"
#include "expect/expect.h"
#include "topo/load.h"
#include "verdict/compare.h"
#include "../numa/seen.h"

/* In slow mode; `make check` looks at the first of them. */
#define MACHINES     100000
#define MACHINES_FEW 3000

static const char *const releases[] = {
	[SEEN_6_1] = "6.1.192+deb12-cloud-amd64",
	[SEEN_6_12] = "6.12.117+deb12-cloud-amd64",
	[SEEN_7_3] = "7.3.4+deb13-cloud-amd64",
};
#define N_RELEASES G_N_ELEMENTS(releases)

/* One machine with one kernel. */
struct trial {
	const struct random_machine *machine;
	const struct topo *topo;
	unsigned release;
	const struct domain_tree *tree;
	struct seen seen;
};

static void trial_fail(const struct trial *trial, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void trial_fail(const struct trial *trial, const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	/* GLib shows the last failure only. */
	g_test_message("seed %" G_GUINT64_FORMAT " (%s, table %s) with %s: %s",
		       trial->machine->seed, trial->machine->body, trial->machine->table,
		       releases[trial->release], what);
	g_test_fail();
}

/* The CPUs of all nodes that are not farther from @node than @distance. */
static struct cpus *ball(const struct trial *trial, unsigned node, unsigned distance)
{
	struct cpus *all = cpus_new();

	for (unsigned to = 0; to < trial->machine->n_nodes; to++)
		if (seen_distance(&trial->seen, node, to) <= distance)
			cpus_or(all, topo_node_cpus(trial->topo, to));
	return all;
}

/* Takes @set over; a chain has each set once, and none of one CPU. */
static void chain_add(GPtrArray *chain, struct cpus *set)
{
	const struct cpus *last = chain->len ? chain->pdata[chain->len - 1] : NULL;

	if (cpus_count(set) < 2 || (last && cpus_equal(last, set)))
		cpus_unref(set);
	else
		g_ptr_array_add(chain, set);
}

/*
 * The spans that a CPU's domains have by definition: what shares something within its node, the
 * node, and the nodes within each distance that there is between two nodes with CPUs.
 */
static GPtrArray *chain_of(const struct trial *trial, unsigned cpu)
{
	GPtrArray *chain = g_ptr_array_new_with_free_func((GDestroyNotify)cpus_unref);
	unsigned node = topo_cpu(trial->topo, cpu)->node;
	bool seen[TABLE_MOST + 1] = {false}, shares = !seen_without_siblings(&trial->seen);

	for (int level = TOPO_CORE; shares && level <= TOPO_LLC; level++) {
		struct cpus *set = cpus_copy(topo_mask(trial->topo, level, cpu));

		cpus_and(set, topo_node_cpus(trial->topo, node));
		chain_add(chain, set);
	}
	for (unsigned a = 0; a < trial->machine->n_nodes; a++)
		for (unsigned b = 0; b < trial->machine->n_nodes; b++)
			seen[seen_distance(&trial->seen, a, b)] = true;
	for (unsigned distance = TABLE_LOCAL; distance <= TABLE_MOST; distance++)
		if (seen[distance])
			chain_add(chain, ball(trial, node, distance));
	return chain;
}

/* @whole: all spans must be there, else some may lack: see below. */
static void check_chain(const struct trial *trial, unsigned cpu, bool whole)
{
	g_autoptr(GPtrArray) chain = chain_of(trial, cpu);
	unsigned depth = domain_tree_depth(trial->tree, cpu), found = 0;

	for (unsigned i = 0; i < chain->len && found < depth; i++)
		found +=
			cpus_equal(domain_tree_get(trial->tree, cpu, found)->span, chain->pdata[i]);
	if (found < depth)
		trial_fail(trial, "domain %u of CPU %u spans what no distance gives", found, cpu);
	else if (whole && depth < chain->len)
		trial_fail(trial, "CPU %u has %u domains, it must have %u", cpu, depth, chain->len);
}

/* Every group is what some CPU of it is as near to as the level below; no two cover the same. */
static void check_groups(const struct trial *trial, const struct domain *domain, unsigned cpu)
{
	AUTO(cpus) *covered = cpus_new();

	for (unsigned i = 0; i < domain->groups->len; i++) {
		const struct domain_group *group = domain->groups->pdata[i];

		if (!cpus_subset(group->span, domain->span))
			trial_fail(trial, "group %u of %s of CPU %u is not within its domain", i,
				   domain->name, cpu);
		if (cpus_subset(group->span, covered))
			trial_fail(trial, "group %u of %s of CPU %u adds nothing", i, domain->name,
				   cpu);
		if (group->mask && group->id != cpus_next(group->mask, -1))
			trial_fail(trial, "group %u of %s of CPU %u has a wrong id", i,
				   domain->name, cpu);
		cpus_or(covered, group->span);
	}
}

/* True if some invariant was broken. */
static bool check_tree(const struct trial *trial, const struct situation *situation)
{
	AUTO(checks) *checks = checks_new();
	g_autoptr(GPtrArray) maps = situation_maps(situation);
	bool broken = false;

	check_invariants(trial->tree, situation->online, maps, checks);
	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);

		if (check->verdict == VERDICT_PASS)
			continue;
		broken = true;
		if (!seen_may_break(&trial->seen, check->name))
			trial_fail(trial, "%s of CPUs %s: %s", check->name, check->cpus,
				   check->reason);
	}
	for (unsigned cpu = 0; cpu < topo_n_cpus(trial->topo); cpu++) {
		for (unsigned i = 0; i < domain_tree_depth(trial->tree, cpu); i++)
			check_groups(trial, domain_tree_get(trial->tree, cpu, i), cpu);
		/* Which rows of CPUs are mended, the rules alone know. */
		if (!trial->seen.has_fixup || trial->machine->nodes_per_package)
			check_chain(trial, cpu, !seen_loses_domains(&trial->seen));
	}
	return broken;
}

struct tally {
	unsigned machines, symmetric;
	unsigned broken[N_RELEASES]; /* machines of which some invariant is */
	unsigned dead;		     /* that the newest kernel does not survive */
	unsigned most_nodes, most_cpus;
	GHashTable *kinds; /* "amd ring" */
};

static void try_release(const struct random_machine *machine, const struct topo *topo,
			unsigned release, struct tally *tally)
{
	struct trial trial = {.machine = machine,
			      .topo = topo,
			      .release = release,
			      .seen = seen_of(machine, release)};
	AUTO(kernel_facts) *facts = kernel_facts_new(releases[release], NULL);
	g_autoptr(GError) error = NULL;
	AUTO(situation) *situation = situation_new(topo, facts, "", &error);
	AUTO(domain_tree) *tree = NULL;

	g_assert_nonnull(situation);
	tree = expect_domains(topo, facts, situation, &error);
	if (!tree) {
		tally->dead++;
		if (!g_error_matches(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED) ||
		    !seen_may_kill(&trial.seen))
			trial_fail(&trial, "%s", error->message);
		return;
	}
	trial.tree = tree;
	tally->broken[release] += check_tree(&trial, situation);
}

static void try_seed(guint64 seed, struct tally *tally)
{
	AUTO(random_machine) *machine = random_machine_new(seed);
	g_autofree char *name = g_strdup_printf("random-%" G_GUINT64_FORMAT ".yaml", seed);
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_load_text(machine->text, strlen(machine->text), name, &error);

	if (!topo) {
		g_test_message("seed %" G_GUINT64_FORMAT ": %s", seed, error->message);
		g_test_fail();
		return;
	}
	tally->machines++;
	tally->symmetric += machine_symmetric(machine);
	tally->most_nodes = MAX(tally->most_nodes, machine->n_nodes);
	tally->most_cpus = MAX(tally->most_cpus, machine->n_cpus);
	g_hash_table_add(tally->kinds, g_strdup_printf("%s %s", machine->body, machine->table));
	for (unsigned release = 0; release < N_RELEASES; release++)
		try_release(machine, topo, release, tally);
}

static void test_tables(void)
{
	const char *chosen = g_getenv("TOPOLAB_NUMA_SEED");
	guint64 seed = chosen ? g_ascii_strtoull(chosen, NULL, 10) : 1;
	guint64 last = chosen ? seed : g_test_slow() ? MACHINES : MACHINES_FEW;
	g_autoptr(GHashTable) kinds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct tally tally = {.kinds = kinds};

	if (chosen) {
		AUTO(random_machine) *machine = random_machine_new(seed);

		g_printerr("%s", machine->text);
	}
	for (; seed <= last; seed++)
		try_seed(seed, &tally);
	g_test_message("%u machines, %u symmetric, up to %u nodes and %u CPUs, %u kinds; "
		       "broken by 6.1, 6.12, 7.3: %u, %u, %u; %u that 7.3 does not survive",
		       tally.machines, tally.symmetric, tally.most_nodes, tally.most_cpus,
		       g_hash_table_size(kinds), tally.broken[0], tally.broken[1], tally.broken[2],
		       tally.dead);
	if (chosen)
		return;
	/* All that the generator knows, and the bug of asymmetric tables. */
	g_assert_cmpuint(g_hash_table_size(kinds), ==,
			 G_N_ELEMENTS(machine_bodies) * G_N_ELEMENTS(table_kinds));
	g_assert_cmpuint(tally.broken[0], >, tally.machines / 20);
	g_assert_cmpuint(tally.broken[2], <, tally.broken[1]);
	g_assert_cmpuint(tally.dead, >, 0);
}

/* A seed that a report names must stay the machine that it was. */
static void test_same_machines(void)
{
	g_autoptr(GChecksum) digest = g_checksum_new(G_CHECKSUM_SHA256);

	for (guint64 seed = 1; seed <= 500; seed++) {
		AUTO(random_machine) *machine = random_machine_new(seed);

		g_checksum_update(digest, (const guchar *)machine->text, -1);
	}
	g_assert_cmpstr(g_checksum_get_string(digest), ==,
			"c9784e222da01c52720ee6d2419e4401c2153f172a0a708f1add15f34c134b90");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/numa/same-machines", test_same_machines);
	g_test_add_func("/numa/tables", test_tables);
	return g_test_run();
}
