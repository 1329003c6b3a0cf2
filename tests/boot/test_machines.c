// SPDX-License-Identifier: GPL-2.0-only
/*
 * Boots machines with real kernels and compares the domains that result.json reports with spans
 * typed from public sources. The full machines run in slow mode only (make check-all).
 */
#include "../run_topolab.h"

#include <stdbool.h>
#include <string.h>

struct want {
	const char *topology;
	unsigned cpu;
	const char *chain; /* NAME SPAN; from the inside out */
};

static const struct want wanted[] = {
	/*
	 * K Prateek Nayak, LKML, 16 June 2023, "NPS4": node 0 is 0-15,128-143 and holds 2 CCX of 8
	 * cores; the package is nodes 0-3, 0-63,128-191 (the same mail's NPS1 listing of node 0).
	 */
	{"nps4", 0, "SMT 0,128; MC 0-7,128-135; NODE 0-15,128-143; NUMA 0-63,128-191; NUMA 0-255"},
	/* Its node 7, 112-127 and 240-255 (the mail has a typing slip there: 232-255). */
	{"nps4", 255,
	 "SMT 127,255; MC 120-127,248-255; NODE 112-127,240-255; NUMA 64-127,192-255; NUMA 0-255"},
	/*
	 * Chen Yu, LKML, June 2023, on splitting the Sapphire Rapids LLC, cpu0's masks in
	 * schedstat:
	 * ...00010000...00000001, ...3fff0000...00003fff, ...ff,ffffffff,ffff0000,...00ffffff,
	 * ffffffff and all 224.
	 */
	{"snc4", 0, "SMT 0,112; MC 0-13,112-125; NUMA 0-55,112-167; NUMA 0-223"},
	/*
	 * The same rules on fewer cores, counted by hand: n cores, so the siblings are c and c + n.
	 */
	{"nps1-mini", 0, "SMT 0,8; MC 0-1,8-9; PKG 0-3,8-11; NUMA 0-15"},
	{"nps2-mini", 0, "SMT 0,16; MC 0-1,16-17; NODE 0-3,16-19; NUMA 0-7,16-23; NUMA 0-31"},
	{"nps2-mini", 31,
	 "SMT 15,31; MC 14-15,30-31; NODE 12-15,28-31; NUMA 8-15,24-31; NUMA 0-31"},
	{"nps4-mini", 0, "SMT 0,32; MC 0-1,32-33; NODE 0-3,32-35; NUMA 0-15,32-47; NUMA 0-63"},
	{"snc4-mini", 0, "SMT 0,16; MC 0-1,16-17; NUMA 0-7,16-23; NUMA 0-31"},
};

/* The CPU's domains in @result in the form of struct want. */
static char *chain_of(const json_t *result, unsigned cpu)
{
	GString *chain = g_string_new(NULL);
	json_t *cpus = json_object_get(json_object_get(result, "domains"), "cpus"), *entry;
	json_t *domain;
	size_t i, j;

	json_array_foreach (cpus, i, entry) {
		if (json_integer_value(json_object_get(entry, "cpu")) != cpu)
			continue;
		json_array_foreach (json_object_get(entry, "domains"), j, domain)
			g_string_append_printf(chain, "%s%s %s", chain->len ? "; " : "",
					       json_string_value(json_object_get(domain, "name")),
					       json_string_value(json_object_get(domain, "span")));
	}
	return g_string_free(chain, FALSE);
}

static void check_result(const char *folder, const char *topology, const char *kernel)
{
	g_autofree char *job = g_build_filename(topology, kernel, NULL);
	json_t *result = result_load(folder, job);

	if (!result)
		return;
	g_assert_cmpstr(json_string_value(json_object_get(result, "verdict")), ==, "PASS");
	for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++) {
		g_autofree char *chain = NULL;

		if (strcmp(wanted[i].topology, topology) != 0)
			continue;
		chain = chain_of(result, wanted[i].cpu);
		g_assert_cmpstr(chain, ==, wanted[i].chain);
	}
	json_decref(result);
}

/* @topologies, @kernels: blank separated. */
static void check_pass(const char *topologies, const char *kernels, unsigned jobs)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-boot-XXXXXX", NULL);
	g_auto(GStrv) topology = g_strsplit(topologies, " ", -1);
	g_auto(GStrv) kernel = g_strsplit(kernels, " ", -1);
	g_autofree char *kernel_options = g_strjoinv(" --kernel ", kernel);
	struct topolab_run run = topolab_run("run %s --kernel %s -j %u -o %s", topologies,
					     kernel_options, jobs, folder);

	g_assert_cmpint(run.status, ==, 0);
	for (unsigned i = 0; topology[i]; i++)
		for (unsigned j = 0; kernel[j]; j++)
			check_result(folder, topology[i], kernel[j]);
	topolab_run_clear(&run);
	folder_remove(folder);
}

static void test_minis(void)
{
	check_pass("nps4-mini nps2-mini snc4-mini nps1-mini", "debian-6.12 debian-7.3", 2);
}

static void test_full(void)
{
	if (!g_test_slow()) {
		g_test_skip("the full machines boot in slow mode (make check-all)");
		return;
	}
	check_pass("nps4 snc4", "debian-6.12", 1);
}

/* Has @result a finding of that check with that verdict, for just those CPUs, that says @says? */
static bool has_finding(const json_t *result, const char *name, const char *cpus, const char *says)
{
	json_t *check;
	size_t i;

	json_array_foreach (json_object_get(result, "checks"), i, check) {
		const char *reason = json_string_value(json_object_get(check, "reason"));

		if (g_strcmp0(json_string_value(json_object_get(check, "name")), name) == 0 &&
		    g_strcmp0(json_string_value(json_object_get(check, "verdict")), "FAIL") == 0 &&
		    g_strcmp0(json_string_value(json_object_get(check, "cpus")), cpus) == 0 &&
		    reason && strstr(reason, says))
			return true;
	}
	return false;
}

/*
 * A public bug: the asymmetric SLIT of Granite Rapids in SNC-3 breaks the top domain of nodes 0 and
 * 3 (commit 4d6dd05d07d0's message); 7.0's rework 528d89a4707e mends it. Nodes have 2 CPUs here, so
 * those are CPUs 0, 1, 6 and 7; node 0's groups lack node 4 and node 3's lack node 1.
 */
static void test_gnr_snc3(void)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-boot-XXXXXX", NULL);
	struct topolab_run run = topolab_run("run gnr-snc3-mini --kernel debian-6.12 "
					     "--kernel debian-7.3 -j 2 -o %s",
					     folder);
	json_t *result;

	g_assert_cmpint(run.status, ==, 1);
	result = result_load(folder, "gnr-snc3-mini/debian-6.12");
	g_assert_cmpstr(json_string_value(json_object_get(result, "verdict")), ==, "FAIL");
	g_assert_true(has_finding(result, "invariants.groups-cover", "0-1", "CPUs 8-9"));
	g_assert_true(has_finding(result, "invariants.groups-cover", "6-7", "CPUs 2-3"));
	json_decref(result);
	result = result_load(folder, "gnr-snc3-mini/debian-7.3");
	g_assert_cmpstr(json_string_value(json_object_get(result, "verdict")), ==, "PASS");
	json_decref(result);
	topolab_run_clear(&run);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/boot/minis", test_minis);
	g_test_add_func("/boot/gnr-snc3", test_gnr_snc3);
	g_test_add_func("/boot/full", test_full);
	return g_test_run();
}
