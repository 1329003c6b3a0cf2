// SPDX-License-Identifier: GPL-2.0-only
#include "expect/expect.h"

#include "base/error.h"
#include "expect/arguments.h"
#include "expect/build.h"
#include "expect/levels.h"
#include "expect/machine.h"
#include "expect/numa.h"
#include "expect/versions.h"

static bool boot_arguments_check(const struct topo *topo, GError **error)
{
	g_autofree char *word = arguments_unmodelled(topo_boot_arguments(topo));

	if (!word)
		return true;
	g_set_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
		    "topology '%s' boots with '%s', which changes the domains in a way that no "
		    "rule knows",
		    topo_name(topo), word);
	return false;
}

struct domain_tree *expect_domains(const struct topo *topo, const struct kernel_facts *facts,
				   GError **error)
{
	g_autoptr(GHashTable) spans = NULL;
	g_autoptr(GPtrArray) levels = NULL;
	AUTO(machine) *machine = NULL;
	AUTO(numa) *numa = NULL;

	if (kernel_facts_version(facts) < RELEASE(6, 1)) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
			    "kernel '%s' is older than 6.1, the oldest that the rules know",
			    kernel_facts_release(facts));
		return NULL;
	}
	if (!boot_arguments_check(topo, error))
		return NULL;
	machine = machine_new(topo, facts);
	numa = numa_new(machine, error);
	if (!numa)
		return NULL;
	spans = spans_new();
	levels = levels_new(machine, numa, spans);
	return build_domains(machine, levels, spans);
}
