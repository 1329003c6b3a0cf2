// SPDX-License-Identifier: GPL-2.0-only
#include "expect/sharing.h"

#include "expect/versions.h"

/* In the place of a level: a CPU shares it with no other. */
#define ALONE TOPO_LEVEL_COUNT

static const struct row {
	enum topo_lack lack;
	enum topo_vendor vendor;
	struct versions versions;
	enum topo_level level, taken_for;
} rows[] = {
	/*
	 * Without TOPOEXT amd_get_topology() of 6.1 and parse_topology_amd() did not read leaf 0xb,
	 * so that each thread was a core; cba4262a19af (6.17, 6.16.8, 6.12.48) reads it.
	 */
	{
		.lack = TOPO_LACK_TOPOEXT,
		.vendor = TOPO_VENDOR_AMD,
		.versions = {RELEASE(6, 1), KERNEL_VERSION_OF(6, 12, 48)},
		.level = TOPO_CORE,
		.taken_for = ALONE,
	},
	{
		.lack = TOPO_LACK_TOPOEXT,
		.vendor = TOPO_VENDOR_AMD,
		.versions = {RELEASE(6, 13), KERNEL_VERSION_OF(6, 16, 8)},
		.level = TOPO_CORE,
		.taken_for = ALONE,
	},
	/* amd_detect_cmp() of 6.1, legacy_set_llc() since 6.9 */
	{
		.lack = TOPO_LACK_L3,
		.vendor = TOPO_VENDOR_AMD,
		.versions = {.since = RELEASE(6, 1)},
		.level = TOPO_LLC,
		.taken_for = TOPO_PACKAGE,
	},
	/* init_intel_cacheinfo() of 6.1 and 6.12, intel_cacheinfo_0x4() of 7.3 */
	{
		.lack = TOPO_LACK_L3,
		.vendor = TOPO_VENDOR_INTEL,
		.versions = {.since = RELEASE(6, 1)},
		.level = TOPO_LLC,
		.taken_for = TOPO_L2,
	},
};

struct cpus *sharing_mask(const struct topo *topo, unsigned version, enum topo_level level,
			  unsigned cpu)
{
	const struct topo_cpu_model *model = topo_cpu_model(topo);
	enum topo_level taken_for = level;
	struct cpus *alone;

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
		if (rows[i].level == level && rows[i].vendor == model->vendor &&
		    topo_cpu_model_lacks(model, rows[i].lack) &&
		    versions_have(&rows[i].versions, version))
			taken_for = rows[i].taken_for;
	if (taken_for != ALONE)
		return cpus_copy(topo_mask(topo, taken_for, cpu));
	alone = cpus_new();
	cpus_add(alone, cpu);
	return alone;
}
