// SPDX-License-Identifier: GPL-2.0-only
#include "expect/expect.h"

#include "base/error.h"
#include "expect/build.h"
#include "expect/levels.h"
#include "expect/machine.h"
#include "expect/numa.h"
#include "expect/versions.h"

struct domain_tree *expect_domains(const struct topo *topo, const struct kernel_facts *facts,
				   const struct situation *situation, GError **error)
{
	g_autoptr(GHashTable) spans = spans_new();
	g_autoptr(GPtrArray) maps = situation_maps(situation);
	AUTO(domain_tree) *tree = domain_tree_new();
	AUTO(machine) *machine = NULL;
	AUTO(numa) *numa = NULL;

	if (kernel_facts_version(facts) < RELEASE(6, 1)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
			    "kernel '%s' is older than 6.1, the oldest that the rules know",
			    kernel_facts_release(facts));
		return NULL;
	}
	machine = machine_new(topo, facts, situation);
	numa = numa_new(machine, error);
	if (!numa)
		return NULL;
	CPUS_FOREACH (cpu, situation->online)
		domain_tree_touch(tree, (unsigned)cpu);
	for (guint i = 0; i < maps->len; i++) {
		g_autoptr(GPtrArray) levels = levels_new(machine, numa, maps->pdata[i], spans);

		build_domains(tree, machine, levels, maps->pdata[i], spans);
	}
	return g_steal_pointer(&tree);
}

struct domain_tree *expect_booted(const struct topo *topo, const struct kernel_facts *facts,
				  GError **error)
{
	AUTO(situation) *situation = situation_new(topo, facts, topo_boot_arguments(topo), error);

	return situation ? expect_domains(topo, facts, situation, error) : NULL;
}
