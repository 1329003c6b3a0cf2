// SPDX-License-Identifier: GPL-2.0-only
/* The guest's processor: one row per vendor, whatever the machine. */
#include "emit/emit_priv.h"

/* APIC ids from here on do not fit the 8 bits of xAPIC, where 255 is the broadcast. */
#define WIDE_APIC_ID 255

struct cpu_row {
	const char *model;
	const char *features;
};

/*
 * With PAT or MTRRs the kernel stops all CPUs at once to set them up (cache_aps_init()), and under
 * TCG each turn of that spinning takes QEMU's big lock: with 64 CPUs on two busy host cores what
 * comes before the sched domains took 10.4 s, and 0.6 s without. No rule of the scheduler or of the
 * topology looks at them.
 */
static const char *const accel_features[] = {
	[EMIT_ACCEL_TCG] = ",-mtrr,-pat",
	[EMIT_ACCEL_KVM] = "",
};
_Static_assert(G_N_ELEMENTS(accel_features) == EMIT_ACCEL_COUNT, "an accelerator without a row");

static const struct cpu_row cpu_rows[] = {
	/*
	 * The topology leaves need an identity and TOPOEXT (CPUID 0x8000001d and 0x8000001e), which
	 * TCG lacks and must be forced to have. Forcing a whole EPYC model would force instructions
	 * that TCG cannot run, hence the smallest model.
	 */
	[TOPO_VENDOR_AMD] =
		{
			.model = "qemu64",
			.features = "xlevel=0x8000001e,+topoext,+x2apic,x-force-features=on",
		},
	/*
	 * Leaves 4, 0xb and 0x1f come with any recent model; family and model choose the kernel's
	 * rules. Sub-NUMA clusters are SRAT and SLIT alone, a die would show up in leaf 0x1f.
	 */
	[TOPO_VENDOR_INTEL] =
		{
			.model = "SapphireRapids",
			.features = "+x2apic",
		},
};
_Static_assert(G_N_ELEMENTS(cpu_rows) == TOPO_VENDOR_COUNT, "a vendor without a row");

struct emit_shape emit_shape(const struct topo *topo)
{
	/* Where QEMU has one L3 per package the validator lets only such machines through. */
	return (struct emit_shape){
		.sockets = topo_n_packages(topo),
		.dies = topo_llcs_per_package(topo),
		.cores = topo_core_slots_per_llc(topo),
		.threads = topo_threads_per_core(topo),
	};
}

char *emit_cpu(const struct topo *topo, enum emit_accel accel)
{
	const struct topo_cpu_model *model = topo_cpu_model(topo);
	const struct cpu_row *row = &cpu_rows[model->vendor];

	/* Under KVM a named model has the host's vendor unless it is told. */
	return g_strdup_printf("%s,vendor=%s,family=%u,model=%u,stepping=%u,%s%s", row->model,
			       topo_vendor_name(model->vendor), model->family, model->model,
			       model->stepping, row->features, accel_features[accel]);
}

bool emit_has_wide_apic_ids(const struct topo *topo)
{
	return topo_apic_id_of_vcpu(topo, topo_n_vcpus(topo) - 1) >= WIDE_APIC_ID;
}
