// SPDX-License-Identifier: GPL-2.0-only
/* Which guests may run beside which, by hand. */
#include "members.h"
#include "run/pack.h"
#include "topo/load.h"

#include <string.h>

#define NONE                                                                                       \
	{                                                                                          \
		0                                                                                  \
	}

static const struct pack_case {
	const char *name;
	struct pack_load limit, running;
	struct pack_load waiting[3];
	unsigned n;
	int next;
} cases[] = {
	/* guests, vCPUs, MiB */
	{"first", {2, 128, 4096}, NONE, {{1, 64, 1024}, {1, 16, 512}}, 2, 0},
	{"nothing-waits", {2, 128, 4096}, NONE, {NONE}, 0, -1},
	{"exactly-full", {2, 128, 4096}, {1, 64, 2048}, {{1, 64, 2048}}, 1, 0},
	{"one-vcpu-too-many", {2, 128, 4096}, {1, 65, 2048}, {{1, 64, 2048}}, 1, -1},
	{"one-mib-too-many", {2, 128, 4096}, {1, 64, 2049}, {{1, 64, 2048}}, 1, -1},
	{"guests-are-counted", {2, 128, 4096}, {2, 2, 2}, {{1, 1, 1}}, 1, -1},
	{"smaller-passes", {3, 128, 4096}, {1, 64, 64}, {{1, 256, 9}, {1, 64, 9}}, 2, 1},
	{"small-memory-passes", {3, 128, 4096}, {1, 1, 4000}, {{1, 1, 97}, {1, 1, 96}}, 2, 1},
	{"too-large-waits-for-all", {2, 128, 4096}, {1, 1, 1}, {{1, 256, 9999}}, 1, -1},
	{"too-large-runs-alone", {2, 128, 4096}, NONE, {{1, 256, 9999}, {1, 1, 1}}, 2, 0},
	{"one-at-a-time", {1, 128, 4096}, {1, 1, 1}, {{1, 1, 1}}, 1, -1},
	{"unlimited", {9, G_MAXUINT, G_MAXUINT64}, {8, 4096, 1 << 20}, {{1, 999, 999}}, 1, 0},
};

static void test_case(gconstpointer data)
{
	const struct pack_case *pack = data;

	g_assert_cmpint(pack_next(&pack->limit, &pack->running, pack->waiting, pack->n), ==,
			pack->next);
}

/* A plan of guests, each of which runs to its end before the next one ends: never over the limit.
 */
static void test_whole_plan(void)
{
	const struct pack_load limit = {3, 100, 1000};
	const struct pack_load plan[] = {{1, 50, 100}, {1, 60, 100}, {1, 40, 900},
					 {1, 10, 10},  {1, 200, 5},  {1, 10, 10}};
	const unsigned wanted[] = {0, 2, 1, 3, 5, 4}; /* the order in which they begin */
	struct pack_load waiting[G_N_ELEMENTS(plan)], running = NONE;
	unsigned queue[G_N_ELEMENTS(plan)], begun[G_N_ELEMENTS(plan)], n = 0, ended = 0;
	unsigned left = G_N_ELEMENTS(plan);

	for (unsigned i = 0; i < left; i++) {
		waiting[i] = plan[i];
		queue[i] = i;
	}
	while (left || running.guests) {
		int next = pack_next(&limit, &running, waiting, left);

		if (next < 0) {
			pack_remove(&running, &plan[begun[ended++]]);
			continue;
		}
		pack_add(&running, &waiting[next]);
		g_assert_true(running.guests == 1 || (running.guests <= 3 && running.vcpus <= 100 &&
						      running.memory_mib <= 1000));
		begun[n++] = queue[next];
		left--;
		memmove(&waiting[next], &waiting[next + 1],
			(left - (unsigned)next) * sizeof(*plan));
		memmove(&queue[next], &queue[next + 1], (left - (unsigned)next) * sizeof(*queue));
	}
	g_assert_cmpmem(begun, n * sizeof(*begun), wanted, sizeof(wanted));
	g_assert_cmpuint(running.vcpus, ==, 0);
	g_assert_cmpuint(running.memory_mib, ==, 0);
}

static void test_limit(void)
{
	/* Of a GitHub runner. */
	static const char meminfo[] = "MemTotal:       16374136 kB\nMemFree:          325292 kB\n"
				      "MemAvailable:   15019008 kB\nBuffers:          271272 kB\n";
	static const char old[] = "MemTotal:       16374136 kB\nMemFree:          325292 kB\n";
	AUTO(root) *root = root_of("proc/meminfo", meminfo, NULL);
	AUTO(root) *bare = root_of("proc/meminfo", old, NULL);
	struct pack_load tcg = pack_limit(root, 3, 4, EMIT_ACCEL_TCG);
	struct pack_load kvm = pack_limit(root, 3, 4, EMIT_ACCEL_KVM);
	struct pack_load unknown = pack_limit(bare, 3, 4, EMIT_ACCEL_TCG);

	g_assert_cmpuint(tcg.guests, ==, 3);
	g_assert_cmpuint(tcg.vcpus, ==, 256);
	g_assert_cmpuint(kvm.vcpus, ==, 512);
	g_assert_cmpuint(tcg.memory_mib, ==, 14667); /* 15019008 / 1024 */
	g_assert_cmpuint(unknown.memory_mib, ==, G_MAXUINT64);
	g_assert_cmpuint(unknown.vcpus, ==, 256);
}

/* All of a guest's memory is counted, that of nodes without CPUs too, and QEMU's own. */
static void test_guest(void)
{
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_load_file(TOPOLAB_SOURCE "/tests/golden/show/skew.yaml", &error);
	struct pack_load load;

	g_assert_no_error(error);
	load = pack_guest(topo);
	g_assert_cmpuint(load.guests, ==, 1);
	g_assert_cmpuint(load.vcpus, ==, 8);
	g_assert_cmpuint(load.memory_mib, >, 4 * 64 + 1024 + 100);
	g_assert_cmpuint(load.memory_mib, <, 4 * 64 + 1024 + 400);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strdup_printf("/run/pack/%s", cases[i].name);

		g_test_add_data_func(path, &cases[i], test_case);
	}
	g_test_add_func("/run/pack/whole-plan", test_whole_plan);
	g_test_add_func("/run/pack/limit", test_limit);
	g_test_add_func("/run/pack/guest", test_guest);
	return g_test_run();
}
