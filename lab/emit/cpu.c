// SPDX-License-Identifier: GPL-2.0-only
/* The guest's processor: one row per kind, whatever the machine. */
#include "emit/emit_priv.h"

/* APIC ids from here on do not fit the 8 bits of xAPIC, where 255 is the broadcast. */
#define WIDE_APIC_ID 255

struct cpu_row {
	bool (*applies)(const struct topo_cpu_model *model);
	const char *model;
	const char *features;
	/* Each L3 is a die, or dies are the package's nodes and may have several L3. */
	bool dies_are_nodes;
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

static bool is_amd(const struct topo_cpu_model *model)
{
	return model->vendor == TOPO_VENDOR_AMD;
}

static bool is_amd_without_topoext(const struct topo_cpu_model *model)
{
	return topo_cpu_model_lacks(model, TOPO_LACK_TOPOEXT);
}

static bool is_intel(const struct topo_cpu_model *model)
{
	return model->vendor == TOPO_VENDOR_INTEL;
}

/*
 * The topology leaves need an identity and TOPOEXT (CPUID 0x8000001d and 0x8000001e), which TCG
 * lacks and must be forced to have. Forcing a whole EPYC model would force instructions that TCG
 * cannot run, hence the smallest model.
 */
#define AMD_MODEL	 "qemu64"
#define AMD_FORCED	 "+x2apic,x-force-features=on"
#define AMD_FEATURES	 "xlevel=0x8000001e,+topoext," AMD_FORCED
#define AMD_LESS_TOPOEXT "-topoext," AMD_FORCED

/* The first that applies. */
static const struct cpu_row cpu_rows[] = {
	{
		/* Zen 1's 0x8000001e counts the nodes of a package; QEMU counts its dies. */
		.applies = topo_cpu_model_fixes_llc,
		.model = AMD_MODEL,
		.features = AMD_FEATURES ",legacy-multi-node=on",
		.dies_are_nodes = true,
	},
	{
		.applies = is_amd_without_topoext,
		.model = AMD_MODEL,
		.features = AMD_LESS_TOPOEXT,
	},
	{
		.applies = is_amd,
		.model = AMD_MODEL,
		.features = AMD_FEATURES,
	},
	{
		/*
		 * Leaves 4, 0xb and 0x1f come with any recent model; family and model choose the
		 * kernel's rules. Sub-NUMA clusters are SRAT and SLIT alone, a die would show up in
		 * leaf 0x1f.
		 */
		.applies = is_intel,
		.model = "SapphireRapids",
		.features = "+x2apic",
	},
};

static const char *l3_feature(const struct topo_cpu_model *model)
{
	return topo_cpu_model_lacks(model, TOPO_LACK_L3) ? ",l3-cache=off" : "";
}

static const struct cpu_row *cpu_row_find(const struct topo *topo)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(cpu_rows); i++)
		if (cpu_rows[i].applies(topo_cpu_model(topo)))
			return &cpu_rows[i];
	g_assert_not_reached();
}

struct emit_shape emit_shape(const struct topo *topo)
{
	unsigned llcs = topo_llcs_per_package(topo);
	/* Where QEMU has one L3 per package the validator lets only such machines through. */
	unsigned dies = cpu_row_find(topo)->dies_are_nodes ? topo_nodes_per_package(topo) : llcs;

	struct emit_shape shape = {
		.sockets = topo_n_packages(topo),
		.dies = dies,
		.modules = llcs / dies,
		.cores = topo_core_slots_per_llc(topo),
		.threads = topo_threads_per_core(topo),
		.module_cache = llcs > dies ? "l3" : NULL,
	};

	if (topo_cores_per_l2(topo) > 1) {
		shape.modules = shape.cores / topo_cores_per_l2(topo);
		shape.cores = topo_cores_per_l2(topo);
		shape.module_cache = "l2";
	}
	return shape;
}

char *emit_cpu(const struct topo *topo, enum emit_accel accel)
{
	const struct topo_cpu_model *model = topo_cpu_model(topo);
	const struct cpu_row *row = cpu_row_find(topo);

	/* Under KVM a named model has the host's vendor unless it is told. */
	return g_strdup_printf("%s,vendor=%s,family=%u,model=%u,stepping=%u,%s%s%s", row->model,
			       topo_vendor_name(model->vendor), model->family, model->model,
			       model->stepping, row->features, l3_feature(model),
			       accel_features[accel]);
}

bool emit_has_wide_apic_ids(const struct topo *topo)
{
	return topo_apic_id_of_vcpu(topo, topo_n_vcpus(topo) - 1) >= WIDE_APIC_ID;
}

bool emit_has_modules(const struct topo *topo)
{
	return emit_shape(topo).module_cache != NULL;
}
