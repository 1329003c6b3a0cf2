// SPDX-License-Identifier: GPL-2.0-only
/*
 * Guests that are given tables of a file's own. What kernels make of them is read from their
 * sources; the commits are named at the rows.
 */
#include "../run_topolab.h"
#include "observe/observe.h"

#include <stdbool.h>

/*
 * Two x2APIC entries ahead of those of the LAPICs, and four positions without a CPU that firmware
 * of ACPI 6.3 says may get one.
 */
static const char numbers[] =
	"name: numbers\ntitle: numbers\nreference: {cpu: x, packages: x, l3_per_package: x, "
	"cores_per_l3: x, core_slots_per_l3: x, threads_per_core: x, nodes_per_package: x, "
	"memory_per_node: x, distances: x, numbering: x, firmware: x}\n"
	"cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"
	"packages: 1\nl3_per_package: 1\ncores_per_l3: 4\ncore_slots_per_l3: 8\n"
	"threads_per_core: 1\nnodes_per_package: 1\nmemory_per_node: 512M\ndistances: {}\n"
	"numbering: threads-last\n"
	"firmware:\n"
	"  madt:\n"
	"    - {cpus: 2-3, type: x2apic}\n"
	"    - {cpus: 0-1}\n"
	"    - {cpus: 4-7, enabled: no, online-capable: yes}\n"
	"  facp: {revision: 6, minor: 3}\n";

/* Memory without CPUs as domain 0, and what the CPUs get from it. */
static const char memory[] =
	"name: memory\ntitle: memory\nreference: {cpu: x, packages: x, l3_per_package: x, "
	"cores_per_l3: x, threads_per_core: x, nodes_per_package: x, memory_only_nodes: x, "
	"memory_per_node: x, distances: x, numbering: x, firmware: x}\n"
	"cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"
	"packages: 2\nl3_per_package: 1\ncores_per_l3: 2\nthreads_per_core: 1\n"
	"nodes_per_package: 1\nmemory_only_nodes: 1\nmemory_per_node: 256M\n"
	"distances: [[10, 21, 17], [21, 10, 28], [17, 28, 10]]\nnumbering: threads-last\n"
	"firmware:\n"
	"  srat:\n"
	"    - {cpus: 0-1, domain: 1}\n"
	"    - {cpus: 2-3, domain: 2}\n"
	"    - {memory: 2, domain: 0}\n"
	"    - {memory: 0, domain: 1}\n"
	"    - {memory: 1, domain: 2}\n"
	"  hmat:\n"
	"    latency: [[100, 180, 300], [180, 100, 380]]\n"
	"    bandwidth: [[200000, 90000, 40000], [90000, 200000, 20000]]\n";

/* A remote distance of 10, which Linux takes for a table of a BIOS that fills in 10 everywhere. */
static const char distances[] =
	"name: distances\ntitle: distances\nreference: {cpu: x, packages: x, l3_per_package: x, "
	"cores_per_l3: x, threads_per_core: x, nodes_per_package: x, memory_per_node: x, "
	"distances: x, numbering: x, firmware: x}\n"
	"cpu: {vendor: GenuineIntel, family: 6, model: 143, stepping: 8}\n"
	"packages: 2\nl3_per_package: 1\ncores_per_l3: 2\nthreads_per_core: 1\n"
	"nodes_per_package: 1\nmemory_per_node: 256M\ndistances: {other-package: 20}\n"
	"numbering: threads-last\nfirmware: {slit: [[10, 10], [10, 10]]}\n";

static const struct guest {
	const char *name, *text, *kernel;
	struct {
		const char *member, *value;
	} members[5];
	const char *apic_ids; /* of /proc/cpuinfo, in the order of Linux's numbers */
	const char *says;     /* the kernel's log */
} guests[] = {
	/* Before ec9aedb2aa1a (6.7) every entry counts. */
	{
		.name = "numbers",
		.text = numbers,
		.kernel = "debian-6.1",
		.members = {{"sys/devices/system/cpu/online", "0-3"},
			    {"sys/devices/system/cpu/possible", "0-7"}},
		.apic_ids = "0 2 3 1",
		.says = "smpboot: Allowing 8 CPUs, 4 hotplug CPUs",
	},
	{
		.name = "numbers",
		.text = numbers,
		.kernel = "debian-6.12",
		.members = {{"sys/devices/system/cpu/online", "0-1"},
			    {"sys/devices/system/cpu/possible", "0-5"}},
		.apic_ids = "0 1",
		.says = "CPU topo: Allowing 2 present CPUs plus 4 hotplug CPUs",
	},
	/* acpi_map_pxm_to_node(): domains with CPUs become nodes first. */
	{
		.name = "memory",
		.text = memory,
		.kernel = "debian-7.3",
		.members = {{"sys/devices/system/node/has_cpu", "0-1"},
			    {"sys/devices/system/node/has_memory", "0-2"},
			    {"sys/devices/system/node/node2/cpulist", ""},
			    {"sys/devices/system/node/node0/distance", "10 21 17"},
			    {"sys/devices/system/node/node2/distance", "17 28 10"}},
		.apic_ids = "0 1 2 3",
		.says = "acpi/hmat: Memory Flags:0000 Processor Domain:0 Memory Domain:0",
	},
	/* slit_valid() */
	{
		.name = "distances",
		.text = distances,
		.kernel = "debian-6.12",
		.members = {{"sys/devices/system/node/node0/distance", "10 20"}},
		.apic_ids = "0 1 2 3",
		.says = "ACPI: SLIT table looks invalid. Not used.",
	},
};

/* "0 2 3 1", of lines "apicid		: 2" */
static char *apic_ids_of(const char *cpuinfo)
{
	g_auto(GStrv) lines = g_strsplit(cpuinfo, "\n", -1);
	GString *ids = g_string_new(NULL);

	for (unsigned i = 0; lines[i]; i++)
		if (g_str_has_prefix(lines[i], "apicid"))
			g_string_append_printf(ids, "%s%s", ids->len ? " " : "",
					       strrchr(lines[i], ' ') + 1);
	return g_string_free(ids, FALSE);
}

static bool log_says(struct root *evidence, const char *text)
{
	g_autoptr(GPtrArray) log = observe_kernel_log(evidence, NULL);

	for (guint i = 0; log && i < log->len; i++)
		if (strcmp(((struct kernel_message *)g_ptr_array_index(log, i))->text, text) == 0)
			return true;
	return false;
}

static void check_evidence(const struct guest *guest, const char *job)
{
	g_autofree char *path = g_build_filename(job, "evidence.tar.gz", NULL);
	g_autofree char *cpuinfo = NULL;
	g_autofree char *apic_ids = NULL;
	g_autofree char *bytes = NULL;
	g_autoptr(GBytes) archive = NULL;
	AUTO(root) *evidence = NULL;
	gsize length;

	if (!g_file_get_contents(path, &bytes, &length, NULL)) {
		g_test_fail_printf("there is no '%s'", path);
		return;
	}
	archive = g_bytes_new(bytes, length);
	evidence = evidence_open(archive, NULL);
	for (unsigned i = 0; i < G_N_ELEMENTS(guest->members) && guest->members[i].member; i++) {
		g_autofree char *value = root_read(evidence, NULL, "%s", guest->members[i].member);

		g_assert_cmpstr(value, ==, guest->members[i].value);
	}
	cpuinfo = root_read(evidence, NULL, "proc/cpuinfo");
	apic_ids = apic_ids_of(cpuinfo);
	g_assert_cmpstr(apic_ids, ==, guest->apic_ids);
	g_assert_true(log_says(evidence, guest->says));
}

/* The tables were given and taken, and the kernel's CPUs and nodes are those that follow. */
static void check_checks(const json_t *result)
{
	static const char *const wanted[] = {"guest.table-upgrade", "guest.madt-order",
					     "kernel.presence",	    "kernel.possible",
					     "kernel.cpus",	    "kernel.numa"};
	g_autoptr(GHashTable) passed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	json_t *check;
	size_t i;

	json_array_foreach (json_object_get(result, "checks"), i, check) {
		const char *verdict = json_string_value(json_object_get(check, "verdict"));

		g_assert_cmpstr(verdict, !=, "FAIL");
		g_assert_cmpstr(verdict, !=, "ERROR");
		if (g_strcmp0(verdict, "PASS") == 0)
			g_hash_table_add(passed, g_strdup(json_string_value(
							 json_object_get(check, "name"))));
	}
	for (unsigned k = 0; k < G_N_ELEMENTS(wanted); k++)
		if (!g_hash_table_contains(passed, wanted[k]))
			g_test_fail_printf("'%s' did not pass", wanted[k]);
}

static void test_guest(gconstpointer data)
{
	const struct guest *guest = data;
	g_autofree char *folder = g_dir_make_tmp("topolab-boot-XXXXXX", NULL);
	g_autofree char *base = g_strconcat(guest->name, ".yaml", NULL);
	g_autofree char *file = g_build_filename(folder, base, NULL);
	g_autofree char *output = g_build_filename(folder, "run", NULL);
	g_autofree char *job = g_build_filename(guest->name, guest->kernel, NULL);
	g_autofree char *job_folder = g_build_filename(output, job, NULL);
	struct topolab_run run;
	json_t *result;

	g_assert_true(g_file_set_contents(file, guest->text, -1, NULL));
	run = topolab_run("run %s --kernel %s --timeout 120 -o %s", file, guest->kernel, output);
	result = result_load(output, job);
	if (result) {
		check_checks(result);
		check_evidence(guest, job_folder);
		if (g_test_failed())
			result_explain(output, job, result);
	}
	json_decref(result);
	topolab_run_clear(&run);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	for (unsigned i = 0; i < G_N_ELEMENTS(guests); i++) {
		g_autofree char *path =
			g_strdup_printf("/firmware/%s/%s", guests[i].name, guests[i].kernel);

		g_test_add_data_func(path, &guests[i], test_guest);
	}
	return g_test_run();
}
