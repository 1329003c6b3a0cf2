// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the QEMUs of distributions can be. q35 had 288 CPUs until 8.2 and has 4096 since 9.0; x2APIC
 * under TCG came with 9.0, smp-cache with 10.0 (the ChangeLogs of wiki.qemu.org).
 */
#include "run/ability.h"
#include "topo/load.h"

#include <string.h>

static char v7[] = "7.2.22", v8[] = "8.2.2", v9[] = "9.2.1", v10[] = "10.0.2";
static const struct qemu bookworm = {.version = v7, .max_cpus = 288};
static const struct qemu noble = {.version = v8, .max_cpus = 1024};
static const struct qemu plucky = {.version = v9, .max_cpus = 4096, .tcg_x2apic = true};
static const struct qemu trixie = {
	.version = v10, .max_cpus = 4096, .tcg_x2apic = true, .smp_cache = true};

static const struct {
	const char *topology;
	const struct qemu *qemu;
	enum emit_accel accel;
	const char *lack; /* NULL: none */
} cases[] = {
	{"nps4-mini", &bookworm, EMIT_ACCEL_TCG, NULL},
	{"nps4", &bookworm, EMIT_ACCEL_KVM, NULL},
	{"nps4", &bookworm, EMIT_ACCEL_TCG,
	 "QEMU 7.2.22 has no x2APIC under TCG, which APIC ids above 254 need; QEMU 9.0 has"},
	{"nps4", &plucky, EMIT_ACCEL_TCG, NULL},
	{"genoa-nps4", &bookworm, EMIT_ACCEL_KVM,
	 "QEMU 7.2.22 has machines of up to 288 CPUs, not 384"},
	{"naples-mini", &noble, EMIT_ACCEL_KVM,
	 "QEMU 8.2.2 cannot say which cores of a die share a cache; QEMU 10.0 can"},
	{"naples-mini", &trixie, EMIT_ACCEL_KVM, NULL},
	{"jacobsville", &plucky, EMIT_ACCEL_TCG,
	 "QEMU 9.2.1 cannot say which cores of a die share a cache; QEMU 10.0 can"},
	{"jacobsville", &trixie, EMIT_ACCEL_TCG, NULL},
};

static struct topo *machine(const char *name)
{
	const char *const path[] = {TOPOLAB_SOURCE "/topologies", NULL};
	g_autoptr(GError) error = NULL;
	struct topo *topo = topo_find(name, path, &error);

	g_assert_no_error(error);
	return topo;
}

static void test_lack(void)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(topo) *topo = machine(cases[i].topology);
		g_autofree char *lack = ability_lack(cases[i].qemu, cases[i].accel, topo);

		g_assert_cmpstr(lack, ==, cases[i].lack);
		/* QEMU is not even asked for a machine that any can be. */
		g_assert_true(!lack || ability_is_needed(topo));
	}
}

static void test_is_needed(void)
{
	AUTO(topo) *mini = machine("nps4-mini");

	g_assert_false(ability_is_needed(mini));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/run/ability/lack", test_lack);
	g_test_add_func("/run/ability/is-needed", test_is_needed);
	return g_test_run();
}
