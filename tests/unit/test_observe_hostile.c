// SPDX-License-Identifier: GPL-2.0-only
/*
 * Evidence that lies. Members of a small machine (and of the archives that TOPOLAB_TEST_EVIDENCE
 * names, blank separated) are damaged at random: whatever comes of it, it is an answer or an error.
 * Run with --seed to repeat a failure, and with TOPOLAB_TEST_ROUNDS for more rounds.
 */
#include "base/error.h"
#include "members.h"
#include "observe/observe.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>

#define ROUNDS 2000
/* hwloc's child is slow: it takes part in one round of so many. */
#define HARDWARE_EVERY 50

#define ZEROS12 " 0 0 0 0 0 0 0 0 0 0 0 0"
#define CPU	"sys/devices/system/cpu/cpu"
#define NODE	"sys/devices/system/node/"
#define DEBUGFS "sys/kernel/debug/sched/domains/cpu"

static const char *const texts[][2] = {
	{"proc/version", "Linux version 6.12.117 (a@b) (gcc) #1 SMP\n"},
	{"proc/schedstat",
	 "version 16\ntimestamp 1\ncpu0 0 0 0 0 0 0 0 0 0\ndomain0 3" ZEROS12 ZEROS12 ZEROS12
	 "\ncpu1 0 0 0 0 0 0 0 0 0\ndomain0 3" ZEROS12 ZEROS12 ZEROS12 "\n"},
	{"proc/cpuinfo",
	 "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 1\n"
	 "stepping\t: 1\napicid\t\t: 0\n\nprocessor\t: 1\nvendor_id\t: AuthenticAMD\n"
	 "cpu family\t: 25\nmodel\t\t: 1\nstepping\t: 1\napicid\t\t: 1\n\n"},
	{"sys/devices/system/cpu/online", "0-1\n"},
	{CPU "0/topology/core_cpus_list", "0\n"},
	{CPU "0/topology/package_cpus_list", "0-1\n"},
	{CPU "0/cache/index0/level", "3\n"},
	{CPU "0/cache/index0/type", "Unified\n"},
	{CPU "0/cache/index0/shared_cpu_list", "0-1\n"},
	{CPU "1/topology/core_cpus_list", "1\n"},
	{CPU "1/topology/package_cpus_list", "0-1\n"},
	{NODE "online", "0-1\n"},
	{NODE "node0/cpulist", "0\n"},
	{NODE "node0/distance", "10 20\n"},
	{NODE "node1/cpulist", "1\n"},
	{NODE "node1/distance", "20 10\n"},
	{DEBUGFS "0/domain0/name", "MC\n"},
	{DEBUGFS "0/domain0/flags", "SD_BALANCE_NEWIDLE SD_SHARE_LLC \n"},
	{DEBUGFS "0/domain0/level", "2\n"},
	{DEBUGFS "1/domain0/name", "MC\n"},
	{DEBUGFS "1/domain0/flags", "SD_BALANCE_NEWIDLE SD_SHARE_LLC \n"},
	{DEBUGFS "1/domain0/level", "2\n"},
	{"cpuid/pu0", "1 0 0 0 0 => d 68747541 444d4163 69746e65\n1 1 0 0 0 => a00f11 800 0 0\n"
		      "1 80000000 0 0 0 => 8000001e 0 0 0\n1 80000001 0 0 0 => 0 0 400000 0\n"
		      "5 b 0 0 0 => 1 2 100 0\n5 8000001d 0 0 0 => 4163 3c0003f 3fff 2\n"},
	{"cpuid/pu1", "1 0 0 0 0 => d 68747541 444d4163 69746e65\n1 1 0 0 0 => a00f11 1000800 0 0\n"
		      "1 80000000 0 0 0 => 8000001e 0 0 0\n1 80000001 0 0 0 => 0 0 400000 0\n"
		      "5 b 0 0 0 => 1 2 100 1\n5 8000001d 0 0 0 => 4163 3c0003f 3fff 2\n"},
	{"kmsg",
	 "5,0,0,-;Linux version 6.12.117\n7,1,1,-;CPU0 attaching sched-domain(s):\n"
	 "7,2,2,-; domain-0: span=0-1 level=MC\n"
	 "7,3,3,-;  groups: 0:{ span=0 mask=0 cap=1 },\n7,4,3,c; 1:{ span=1 }\n"
	 " SUBSYSTEM=x\n7,5,5,-;CPU1 attaching sched-domain(s):\n"
	 "7,6,6,-; domain-0: span=0-1 level=MC\n7,7,7,-;  groups: 1:{ span=1 }, 0:{ span=0 }\n"
	 "3,8,8,-;ERROR: x\\x0a\n4,9,9,-,caller=T1;------------[ cut here ]------------\n"},
};

static GHashTable *small_machine(void)
{
	/* A MADT of two CPUs and a SLIT of one locality, without checksums: damage is the point. */
	static const guint8 madt[60] = {'A', 'P', 'I',	    'C', 60, [44] = 0, 8, 0,
					0,   1,	  [52] = 0, 8,	 1,  1,	       1};
	static const guint8 slit[45] = {'S', 'L', 'I', 'T', 45, [36] = 1, [44] = 10};
	GHashTable *members = members_new();

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++)
		members_add(members, texts[i][0], "%s", texts[i][1]);
	members_add_bytes(members, "sys/firmware/acpi/tables/APIC",
			  g_bytes_new(madt, sizeof(madt)));
	members_add_bytes(members, "sys/firmware/acpi/tables/SLIT",
			  g_bytes_new(slit, sizeof(slit)));
	return members;
}

static GHashTable *archive_members(const char *path)
{
	GHashTable *members = members_new();
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;

	archive_read_support_filter_gzip(archive);
	archive_read_support_format_tar(archive);
	if (archive_read_open_filename(archive, path, 65536) != ARCHIVE_OK)
		g_error("cannot open '%s'", path);
	while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
		gsize size = (gsize)archive_entry_size(entry);
		guint8 *data = g_malloc(size + 1);

		g_assert_cmpint(archive_read_data(archive, data, size), ==, (gssize)size);
		members_add_bytes(members, archive_entry_pathname(entry),
				  g_bytes_new_take(data, size));
	}
	archive_read_free(archive);
	return members;
}

static guint32 below(guint32 limit)
{
	return limit ? (guint32)g_test_rand_int_range(0, (gint32)limit) : 0;
}

/* Texts that tend to matter, put where they do not belong. */
static const char *const nuisances[] = {
	"\n",	    "\n\n",	  " ",	   ",",	     "-",
	":",	    ";",	  "{",	   "}",	     "0",
	"-1",	    "4294967295", "8191",  "8192",   "99999999999999999999",
	"domain0 ", "cpu0 ",	  "\\x00", "\\x",    "c;",
	"=>",	    "\t",	  "\xff",  "0-8191",
};

static GBytes *damaged(GBytes *bytes)
{
	gsize length;
	const guint8 *data = g_bytes_get_data(bytes, &length);
	g_autoptr(GByteArray) copy = g_byte_array_new();
	guint32 at = below((guint32)length), n = below(MIN(64, (guint32)length - at) + 1);
	const char *nuisance = nuisances[below(G_N_ELEMENTS(nuisances))];

	if (length)
		g_byte_array_append(copy, data, (guint)length);
	switch (below(6)) {
	case 0:
		if (length)
			copy->data[at] = (guint8)below(256);
		break;
	case 1:
		if (length)
			copy->data[at] ^= (guint8)(1u << below(8));
		break;
	case 2:
		g_byte_array_remove_range(copy, at, n);
		break;
	case 3:
		g_byte_array_set_size(copy, at);
		break;
	case 4: /* once more what stands there */
		g_byte_array_append(copy, data + at, (guint)(length - at));
		break;
	default:
		g_byte_array_set_size(copy, at);
		g_byte_array_append(copy, (const guint8 *)nuisance, (guint)strlen(nuisance));
		if (length)
			g_byte_array_append(copy, data + at, (guint)(length - at));
		break;
	}
	return g_byte_array_free_to_bytes(g_steal_pointer(&copy));
}

static void assert_answer(bool answer, GError *error)
{
	g_assert_true(answer == !error);
	if (error) {
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		g_assert_cmpstr(error->message, !=, "");
		g_error_free(error);
	}
}

static void look(struct root *root, bool hardware)
{
	GError *errors[5] = {NULL};
	g_autofree char *release = observe_release(root, &errors[0]);
	AUTO(view) *system = observe_system(root, &errors[1]);
	AUTO(domain_tree) *tree = observe_domains(root, &errors[2]);
	g_autoptr(GPtrArray) log = observe_kernel_log(root, &errors[3]);
	AUTO(view) *cpuid = hardware ? observe_hardware(root, &errors[4]) : NULL;

	assert_answer(release, errors[0]);
	assert_answer(system, errors[1]);
	assert_answer(tree, errors[2]);
	assert_answer(log, errors[3]);
	if (hardware)
		assert_answer(cpuid, errors[4]);
	if (log) {
		g_autoptr(GPtrArray) splats = observe_splats(log);

		g_assert_cmpuint(splats->len, <=, log->len);
		observe_table_upgraded(log, "APIC");
	}
}

static unsigned rounds_wanted(void)
{
	const char *text = g_getenv("TOPOLAB_TEST_ROUNDS");

	return text ? (unsigned)strtoul(text, NULL, 10) : ROUNDS;
}

/* Members that are read as one: damage there is worth more than in one of thousands of masks. */
static const char *member_pick(char *const *paths, guint n)
{
	static const char *const favourites[] = {"kmsg",
						 "proc/schedstat",
						 "proc/cpuinfo",
						 "cpuid/pu0",
						 "cpuid/pu1",
						 "sys/firmware/acpi/tables/APIC",
						 "sys/firmware/acpi/tables/SRAT",
						 "sys/firmware/acpi/tables/SLIT"};

	return below(2) ? favourites[below(G_N_ELEMENTS(favourites))] : paths[below(n)];
}

static char **paths_of(GHashTable *members, guint *n)
{
	char **paths = (char **)g_hash_table_get_keys_as_array(members, n);

	for (guint i = 0; i < *n; i++)
		paths[i] = g_strdup(paths[i]);
	return paths;
}

static void damage_rounds(GHashTable *members)
{
	guint n;
	g_auto(GStrv) paths = paths_of(members, &n);

	for (unsigned round = 0; round < rounds_wanted(); round++) {
		const char *path = member_pick(paths, n);
		GBytes *bytes = g_hash_table_lookup(members, path);
		bool hardware =
			round % HARDWARE_EVERY == 0 || g_str_has_prefix(path, "sys/firmware");
		AUTO(root) *root = NULL;

		if (!bytes)
			continue;
		g_bytes_ref(bytes);
		if (below(8) == 0)
			members_remove(members, path);
		else
			members_add_bytes(members, path, damaged(bytes));
		root = root_new_members(g_hash_table_ref(members));
		look(root, hardware);
		/* Repaired for the next round. */
		members_add_bytes(members, path, bytes);
	}
}

static void test_small(void)
{
	g_autoptr(GHashTable) members = small_machine();

	damage_rounds(members);
}

static void test_archives(void)
{
	g_auto(GStrv) paths = g_strsplit(g_getenv("TOPOLAB_TEST_EVIDENCE"), " ", -1);

	for (unsigned i = 0; paths[i]; i++) {
		g_autoptr(GHashTable) members = archive_members(paths[i]);

		damage_rounds(members);
	}
}

/* The archive itself: every damage is an error, since the checksums of gzip cover all of it. */
static void test_archive_bytes(void)
{
	g_auto(GStrv) paths = g_strsplit(g_getenv("TOPOLAB_TEST_EVIDENCE"), " ", -1);

	for (unsigned i = 0; paths[i]; i++) {
		g_autofree char *data = NULL;
		g_autoptr(GBytes) bytes = NULL;
		gsize length;

		if (!g_file_get_contents(paths[i], &data, &length, NULL))
			g_error("cannot open '%s'", paths[i]);
		bytes = g_bytes_new(data, length);
		for (unsigned round = 0; round < rounds_wanted() / 10; round++) {
			g_autoptr(GBytes) broken = damaged(bytes);
			g_autoptr(GError) error = NULL;
			AUTO(root) *root = evidence_open(broken, &error);

			g_assert_true(!root == !!error);
		}
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/hostile/small", test_small);
	if (g_getenv("TOPOLAB_TEST_EVIDENCE")) {
		g_test_add_func("/hostile/archives", test_archives);
		g_test_add_func("/hostile/archive-bytes", test_archive_bytes);
	}
	return g_test_run();
}
