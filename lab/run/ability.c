// SPDX-License-Identifier: GPL-2.0-only
#include "run/ability.h"

bool ability_is_needed(const struct topo *topo)
{
	return emit_has_wide_apic_ids(topo) || emit_has_modules(topo);
}

char *ability_lack(const struct qemu *qemu, enum emit_accel accel, const struct topo *topo)
{
	if (topo_n_cpus(topo) > qemu->max_cpus)
		return g_strdup_printf("QEMU %s has machines of up to %u CPUs, not %u",
				       qemu->version, qemu->max_cpus, topo_n_cpus(topo));
	if (accel == EMIT_ACCEL_TCG && emit_has_wide_apic_ids(topo) && !qemu->tcg_x2apic)
		return g_strdup_printf("QEMU %s has no x2APIC under TCG, which APIC ids above 254 "
				       "need; QEMU 9.0 has",
				       qemu->version);
	if (emit_has_modules(topo) && !qemu->smp_cache)
		return g_strdup_printf("QEMU %s cannot say which cores of a die share a cache; "
				       "QEMU 10.0 can",
				       qemu->version);
	return NULL;
}
