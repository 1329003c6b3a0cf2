// SPDX-License-Identifier: GPL-2.0-only
/*
 * Boots every mini with every kernel of kernels/ and compares the domains that result.json reports
 * with spans typed from public sources. The full machines run in slow mode only (make check-all).
 */
#include "topo/load.h"
#include "../run_topolab.h"

#include <stdbool.h>
#include <string.h>

struct want {
	const char *topology;
	const char *kernels; /* blank separated; NULL: all */
	unsigned cpu;
	const char *chain; /* NAME SPAN; from the inside out */
};

#define DEBIAN_6    "debian-6.1 debian-6.12"
#define DIE_KERNELS "debian-6.1"
/* DIE was renamed in 6.7: commit f577cd57bfaa. */
#define PKG_KERNELS "debian-6.12 debian-7.3"

static const struct want wanted[] = {
	/*
	 * K Prateek Nayak, LKML, 16 June 2023, on a 2 x 64C/128T EPYC of the third generation.
	 * "NPS4": node 0 is 0-15,128-143 and holds 2 CCX of 8 cores; the package is nodes 0-3,
	 * 0-63,128-191 (the same mail's NPS1 listing of node 0).
	 */
	{"nps4", NULL, 0,
	 "SMT 0,128; MC 0-7,128-135; NODE 0-15,128-143; NUMA 0-63,128-191; NUMA 0-255"},
	/* Its node 7, 112-127 and 240-255 (the mail has a typing slip there: 232-255). */
	{"nps4", NULL, 255,
	 "SMT 127,255; MC 120-127,248-255; NODE 112-127,240-255; NUMA 64-127,192-255; NUMA 0-255"},
	/* "NPS2": "Node 0: 0-31, 128-159" and "Node 3: 96-127, 223-255" (224), 4 CCX per node. */
	{"nps2", NULL, 0,
	 "SMT 0,128; MC 0-7,128-135; NODE 0-31,128-159; NUMA 0-63,128-191; NUMA 0-255"},
	{"nps2", NULL, 255,
	 "SMT 127,255; MC 120-127,248-255; NODE 96-127,224-255; NUMA 64-127,192-255; NUMA 0-255"},
	/* "NPS1": "Node 0: 0-63, 128-191", "Node 1: 64-127, 192-255", 8 CCX per node. */
	{"nps1", PKG_KERNELS, 0, "SMT 0,128; MC 0-7,128-135; PKG 0-63,128-191; NUMA 0-255"},
	{"nps1", PKG_KERNELS, 255,
	 "SMT 127,255; MC 120-127,248-255; PKG 64-127,192-255; NUMA 0-255"},
	/*
	 * /sys of two EPYC 9654 in ydb's CPU topology snapshot: 0-95,192-287 and 96-191,288-383 are
	 * the packages; NPS4 makes nodes of a quarter, and 12 CCX of 8 cores are 3 in each.
	 */
	{"genoa-nps4", NULL, 0,
	 "SMT 0,192; MC 0-7,192-199; NODE 0-23,192-215; NUMA 0-95,192-287; NUMA 0-383"},
	{"genoa-nps4", NULL, 383,
	 "SMT 191,383; MC 184-191,376-383; NODE 168-191,360-383; NUMA 96-191,288-383; NUMA 0-383"},
	/*
	 * Chen Yu, LKML, June 2023, on splitting the Sapphire Rapids LLC, cpu0's masks in
	 * schedstat:
	 * ...00010000...00000001, ...3fff0000...00003fff, ...ff,ffffffff,ffff0000,...00ffffff,
	 * ffffffff and all 224.
	 */
	{"snc4", NULL, 0, "SMT 0,112; MC 0-13,112-125; NUMA 0-55,112-167; NUMA 0-223"},
	/*
	 * Peter Newman, LKML, 22 June 2023, Re: [PATCH v2 7/7] x86/resctrl: Determine if Sub-NUMA
	 * Cluster is enabled: nodes 0-27,112-139; 28-55,140-167; 56-83,168-195; 84-111,196-223, and
	 * one L3 for the first two.
	 */
	{"snc2", NULL, 0, "SMT 0,112; MC 0-27,112-139; NUMA 0-55,112-167; NUMA 0-223"},
	{"snc2", NULL, 223, "SMT 111,223; MC 84-111,196-223; NUMA 56-111,168-223; NUMA 0-223"},
	/* "package0 CPU(s): 0-55,112-167", Kanchana P Sridhar's IAA series on LKML. */
	{"snc-off", NULL, 0, "SMT 0,112; MC 0-55,112-167; NUMA 0-223"},
	{"snc-off", NULL, 223, "SMT 111,223; MC 56-111,168-223; NUMA 0-223"},
	/*
	 * The same listings on fewer cores, counted by hand: n cores, so that the siblings are c
	 * and c + n; an L3, a node and a package are that many cores of them as the file says.
	 */
	{"nps1-mini", DIE_KERNELS, 0, "SMT 0,8; MC 0-1,8-9; DIE 0-3,8-11; NUMA 0-15"},
	{"nps1-mini", PKG_KERNELS, 0, "SMT 0,8; MC 0-1,8-9; PKG 0-3,8-11; NUMA 0-15"},
	{"nps1-mini", PKG_KERNELS, 15, "SMT 7,15; MC 6-7,14-15; PKG 4-7,12-15; NUMA 0-15"},
	{"nps2-mini", NULL, 0, "SMT 0,16; MC 0-1,16-17; NODE 0-3,16-19; NUMA 0-7,16-23; NUMA 0-31"},
	{"nps2-mini", NULL, 31,
	 "SMT 15,31; MC 14-15,30-31; NODE 12-15,28-31; NUMA 8-15,24-31; NUMA 0-31"},
	{"nps4-mini", NULL, 0,
	 "SMT 0,32; MC 0-1,32-33; NODE 0-3,32-35; NUMA 0-15,32-47; NUMA 0-63"},
	{"nps4-l3numa-mini", NULL, 0,
	 "SMT 0,16; MC 0-1,16-17; NUMA 0-3,16-19; NUMA 0-7,16-23; NUMA 0-31"},
	{"nps4-l3numa-mini", NULL, 31,
	 "SMT 15,31; MC 14-15,30-31; NUMA 12-15,28-31; NUMA 8-15,24-31; NUMA 0-31"},
	{"rome-nps4-mini", NULL, 0,
	 "SMT 0,32; MC 0-1,32-33; NODE 0-7,32-39; NUMA 0-15,32-47; NUMA 0-63"},
	{"rome-nps4-mini", NULL, 63,
	 "SMT 31,63; MC 30-31,62-63; NODE 24-31,56-63; NUMA 16-31,48-63; NUMA 0-63"},
	{"naples-mini", NULL, 0,
	 "SMT 0,24; MC 0-2,24-26; NODE 0-5,24-29; NUMA 0-11,24-35; NUMA 0-47"},
	{"naples-mini", NULL, 47,
	 "SMT 23,47; MC 21-23,45-47; NODE 18-23,42-47; NUMA 12-23,36-47; NUMA 0-47"},
	{"genoa-nps4-mini", NULL, 0,
	 "SMT 0,24; MC 0-1,24-25; NODE 0-5,24-29; NUMA 0-11,24-35; NUMA 0-47"},
	{"genoa-nps4-mini", NULL, 47,
	 "SMT 23,47; MC 22-23,46-47; NODE 18-23,42-47; NUMA 12-23,36-47; NUMA 0-47"},
	/* One thread per core; a node's two L3 have two and four cores. */
	{"hbv3-mini", NULL, 0, "MC 0-1; NODE 0-5; NUMA 0-11; NUMA 0-23"},
	{"hbv3-mini", NULL, 23, "MC 20-23; NODE 18-23; NUMA 12-23; NUMA 0-23"},
	{"turin-nps1-mini", DIE_KERNELS, 0, "SMT 0,16; MC 0-1,16-17; DIE 0-7,16-23; NUMA 0-31"},
	{"turin-nps1-mini", PKG_KERNELS, 0, "SMT 0,16; MC 0-1,16-17; PKG 0-7,16-23; NUMA 0-31"},
	{"snc-off-mini", NULL, 0, "SMT 0,8; MC 0-3,8-11; NUMA 0-15"},
	{"snc2-mini", NULL, 0, "SMT 0,8; MC 0-1,8-9; NUMA 0-3,8-11; NUMA 0-15"},
	{"snc4-mini", NULL, 0, "SMT 0,16; MC 0-1,16-17; NUMA 0-7,16-23; NUMA 0-31"},
	/*
	 * CPU 0 of a Granite Rapids in SNC-3: Tim Chen's dmesg, LKML, 14 October 2025, Re: [RESEND
	 * PATCH] sched/fair: Skip sched_balance_running cmpxchg; here nodes are of two CPUs, not 32
	 * cores. Commit 528d89a4707e makes all remote distances equal.
	 */
	{"gnr-snc3-mini", DEBIAN_6, 0,
	 "MC 0-1; NUMA 0-3; NUMA 0-5; NUMA 0-7; NUMA 0-7,10-11; NUMA 0-11"},
	{"gnr-snc3-mini", "debian-7.3", 0, "MC 0-1; NUMA 0-3; NUMA 0-5; NUMA 0-11"},
	{"gnr-snc3-mini", "debian-7.3", 3, "MC 2-3; NUMA 0-5; NUMA 0-11"},
	/* Commit 0fb3978b0aac: no level for the distances to nodes without CPUs, 17 and 28. */
	{"clx-pmem-mini", NULL, 0, "SMT 0,6; MC 0-2,6-8; NUMA 0-11"},
	/* Commit 66558b730f25: 24 cores in 6 clusters of 4 that share an L2. */
	{"jacobsville", NULL, 0, "CLS 0-3; MC 0-23"},
	{"jacobsville", NULL, 23, "CLS 20-23; MC 0-23"},
};

#define NEAR "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE SD_SERIALIZE"
#define FAR  "SD_BALANCE_NEWIDLE SD_SERIALIZE"

/* The flags of CPU 0's outermost domain. */
static const struct {
	const char *topology, *kernel, *flags;
} wanted_flags[] = {
	/*
	 * Distance 32. The limit is 30, or 32 on a Zen: commit a55c7454a8c8. Before 6.8 families
	 * 17h and 19h alone are Zens (arch/x86/kernel/cpu/amd.c of 6.1.192); SD_OVERLAP went with
	 * 1eec89a67141 (6.17).
	 */
	{"nps1-mini", "debian-6.1", NEAR " SD_OVERLAP SD_NUMA"},
	{"nps1-mini", "debian-7.3", NEAR " SD_NUMA"},
	{"rome-nps4-mini", "debian-6.1", NEAR " SD_OVERLAP SD_NUMA"},
	{"turin-nps1-mini", "debian-6.1", FAR " SD_OVERLAP SD_NUMA"},
	{"turin-nps1-mini", "debian-6.12", NEAR " SD_OVERLAP SD_NUMA"},
	{"turin-nps1-mini", "debian-7.3", NEAR " SD_NUMA"},
};

/* What a kernel is known to build wrong: a case, not a mistake of ours. */
static const struct {
	const char *topology, *kernels;
} broken[] = {
	/* Linux commit 528d89a4707e, "x86/topo: Fix SNC topology mess" */
	{"gnr-snc3-mini", DEBIAN_6},
};

/* Is @word one of the blank separated @words? */
static bool has_word(const char *words, const char *word)
{
	g_auto(GStrv) list = g_strsplit(words, " ", -1);

	return g_strv_contains((const char *const *)list, word);
}

static bool is_broken(const char *topology, const char *kernel)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(broken); i++)
		if (strcmp(broken[i].topology, topology) == 0 &&
		    has_word(broken[i].kernels, kernel))
			return true;
	return false;
}

static json_t *domains_of(const json_t *result, unsigned cpu)
{
	json_t *cpus = json_object_get(json_object_get(result, "domains"), "cpus"), *entry;
	size_t i;

	json_array_foreach (cpus, i, entry)
		if (json_integer_value(json_object_get(entry, "cpu")) == cpu)
			return json_object_get(entry, "domains");
	return NULL;
}

/* The CPU's domains in @result in the form of struct want. */
static char *chain_of(const json_t *result, unsigned cpu)
{
	GString *chain = g_string_new(NULL);
	json_t *domain;
	size_t i;

	json_array_foreach (domains_of(result, cpu), i, domain)
		g_string_append_printf(chain, "%s%s %s", chain->len ? "; " : "",
				       json_string_value(json_object_get(domain, "name")),
				       json_string_value(json_object_get(domain, "span")));
	return g_string_free(chain, FALSE);
}

static char *outer_flags(const json_t *result)
{
	GString *flags = g_string_new(NULL);
	json_t *domains = domains_of(result, 0);
	json_t *outermost = json_array_get(domains, json_array_size(domains) - 1), *flag;
	size_t i;

	json_array_foreach (json_object_get(outermost, "flags"), i, flag)
		g_string_append_printf(flags, "%s%s", i ? " " : "", json_string_value(flag));
	return g_string_free(flags, FALSE);
}

static void check_flags(const json_t *result, const char *topology, const char *kernel)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(wanted_flags); i++) {
		g_autofree char *flags = NULL;

		if (strcmp(wanted_flags[i].topology, topology) != 0 ||
		    strcmp(wanted_flags[i].kernel, kernel) != 0)
			continue;
		flags = outer_flags(result);
		g_assert_cmpstr(flags, ==, wanted_flags[i].flags);
	}
}

static void check_result(const char *folder, const char *topology, const char *kernel)
{
	g_autofree char *job = g_build_filename(topology, kernel, NULL);
	const char *verdict = is_broken(topology, kernel) ? "FAIL" : "PASS";
	json_t *result = result_load(folder, job);
	unsigned n = 0;

	if (!result)
		return;
	if (g_strcmp0(json_string_value(json_object_get(result, "verdict")), verdict) != 0) {
		result_explain(folder, job, result);
		g_test_fail_printf("%s: not %s", job, verdict);
		json_decref(result);
		return;
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(wanted); i++) {
		g_autofree char *chain = NULL;

		if (strcmp(wanted[i].topology, topology) != 0 ||
		    (wanted[i].kernels && !has_word(wanted[i].kernels, kernel)))
			continue;
		chain = chain_of(result, wanted[i].cpu);
		g_assert_cmpstr(chain, ==, wanted[i].chain);
		n++;
	}
	/* A machine without a wanted span would pass for nothing. */
	g_assert_cmpuint(n, >, 0);
	check_flags(result, topology, kernel);
	json_decref(result);
}

/* Boots all @topologies with all @kernels (blank separated) into @folder and compares. */
static void check_machines(const char *folder, const char *topologies, const char *kernels,
			   unsigned jobs)
{
	g_auto(GStrv) topology = g_strsplit(topologies, " ", -1);
	g_auto(GStrv) kernel = g_strsplit(kernels, " ", -1);
	g_autofree char *kernel_options = g_strjoinv(" --kernel ", kernel);
	struct topolab_run run = topolab_run("run %s --kernel %s -j %u --timeout 120 -o %s",
					     topologies, kernel_options, jobs, folder);
	int status = 0;

	for (unsigned i = 0; topology[i]; i++) {
		for (unsigned j = 0; kernel[j]; j++) {
			if (is_broken(topology[i], kernel[j]))
				status = 1;
			check_result(folder, topology[i], kernel[j]);
		}
	}
	g_assert_cmpint(run.status, ==, status);
	topolab_run_clear(&run);
}

/* The machines of topologies/ that are minis, blank separated. */
static char *mini_names(void)
{
	const char *const path[] = {TOPOLAB_SOURCE "/topologies", NULL};
	g_auto(GStrv) names = topo_list(path);
	GString *minis = g_string_new(NULL);

	for (unsigned i = 0; names[i]; i++)
		if (g_str_has_suffix(names[i], "-mini"))
			g_string_append_printf(minis, "%s%s", minis->len ? " " : "", names[i]);
	return g_string_free(minis, FALSE);
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
static void check_gnr_snc3(const char *folder, const char *kernel)
{
	g_autofree char *job = g_build_filename("gnr-snc3-mini", kernel, NULL);
	json_t *result = result_load(folder, job);

	if (!result)
		return;
	g_assert_true(has_finding(result, "invariants.groups-cover", "0-1", "CPUs 8-9"));
	g_assert_true(has_finding(result, "invariants.groups-cover", "6-7", "CPUs 2-3"));
	json_decref(result);
}

/* Whole machines that are small enough as they are. */
#define SMALL "jacobsville"

static void test_minis(void)
{
	g_autofree char *folder = g_dir_make_tmp("topolab-boot-XXXXXX", NULL);
	g_autofree char *minis = mini_names();
	g_autofree char *machines = g_strconcat(minis, " ", SMALL, NULL);

	check_machines(folder, machines, "debian-6.1 debian-6.12 debian-7.3", 2);
	check_gnr_snc3(folder, "debian-6.1");
	check_gnr_snc3(folder, "debian-6.12");
	folder_remove(folder);
}

static void test_full(gconstpointer topology)
{
	g_autofree char *folder = NULL;

	if (!g_test_slow()) {
		g_test_skip("the full machines boot in slow mode (make check-all)");
		return;
	}
	folder = g_dir_make_tmp("topolab-boot-XXXXXX", NULL);
	check_machines(folder, topology, "debian-6.12", 1);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	static const char *const full[] = {"nps1",    "nps2", "nps4", "genoa-nps4",
					   "snc-off", "snc2", "snc4"};

	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/boot/minis", test_minis);
	for (unsigned i = 0; i < G_N_ELEMENTS(full); i++) {
		g_autofree char *path = g_strconcat("/boot/full/", full[i], NULL);

		g_test_add_data_func(path, full[i], test_full);
	}
	return g_test_run();
}
