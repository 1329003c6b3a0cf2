// SPDX-License-Identifier: GPL-2.0-only
/* Topology files: what the loader accepts, everything behind it must be able to use. */
#include "fuzz.h"

#include "emit/emit.h"
#include "expect/expect.h"
#include "topo/load.h"

/* Larger machines are right as well, but cost a second each. */
#define CPUS_TRIED 64

static void try_expect(const struct topo *topo, const char *release)
{
	AUTO(kernel_facts) *facts = kernel_facts_new(release, NULL);
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = expect_booted(topo, facts, &error);

	fuzz_check(tree, error, ERROR_UNSUPPORTED);
}

static void try_emit(const struct topo *topo)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *command_line = emit_command_line(topo, EMIT_ACCEL_TCG);
	struct emit_domain domain = {
		.name = topo_name(topo),
		.kernel_path = "/kernel",
		.initrd_path = "/initrd",
		.command_line = command_line,
		.accel = EMIT_ACCEL_TCG,
	};
	g_autofree char *xml = emit_domain_xml(topo, &domain, &error);

	fuzz_check(xml, error, ERROR_INPUT);
	for (int table = 0; table < TOPO_TABLE_COUNT; table++) {
		g_autoptr(GBytes) bytes = emit_table(topo, (enum topo_table)table);

		FUZZ_REQUIRE(bytes || !topo_replaces_table(topo, (enum topo_table)table));
	}
}

/* A file that is not .yaml may have any name, so that no input ends at its own. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_load_text((const char *)data, size, "fuzz", &error);

	fuzz_check(topo, error, ERROR_INPUT);
	if (!topo || topo_n_cpus(topo) > CPUS_TRIED)
		return 0;
	try_expect(topo, "6.12.117");
	try_expect(topo, "7.3.4");
	try_emit(topo);
	return 0;
}
