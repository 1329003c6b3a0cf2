// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gives the guest another machine than the topology file says, by one edit of the domain XML, the
 * command line or the initrd at a time, boots it and judges it. The lab must notice by itself: a
 * guest that was not given the machine is the lab's fault (ERROR), never a PASS.
 */
#include "base/paths.h"
#include "emit/emit.h"
#include "image/initramfs.h"
#include "kernel/kernel.h"
#include "run/assembly.h"
#include "run/channel.h"
#include "topo/load.h"
#include "verdict/verdict.h"
#include "vm/vm.h"

#include "../run_topolab.h"

#include <string.h>

struct edit {
	const char *find, *replace; /* each occurrence in the XML */
};

struct fault {
	const char *name;
	const char *topology;
	struct edit edits[3]; /* one after the other */
	bool without_madt;
	enum verdict verdict;
	const char *check; /* one that must have that verdict; NULL: any */
	/* What the agent's hello must say it speaks over; NULL: either. */
	const char *channel;
};

#define AMD_CELL_0 "id=\"0\" cpus=\"0-7\""
#define AMD_CELL_1 "id=\"1\" cpus=\"8-15\""

/* Arguments and CPU features that are there for speed change no domain. */
#define WITHOUT_SPEED                                                                              \
	{                                                                                          \
		{" lpj=5000000 tsc=reliable cpuhp.parallel=off", ""},                              \
			{" intel_iommu=off initcall_blacklist=init_tsc_clocksource "               \
			 "initcall_blacklist=ledtrig_cpu_init,amd_uncore_init,mcheck_init_device," \
			 "amd_postcore_init",                                                      \
			 ""},                                                                      \
			{",-mtrr,-pat", ""},                                                       \
	}

/* nps1-mini: 16 vCPUs, node 0 is vCPUs 0-7; sockets 2, dies 2, cores 2, threads 2. */
static const struct fault faults[] = {
	{
		.name = "none",
		.topology = "nps1-mini",
		.verdict = VERDICT_PASS,
	},
	{
		.name = "none, without what is for speed, AMD",
		.topology = "nps1-mini",
		.edits = WITHOUT_SPEED,
		.verdict = VERDICT_PASS,
	},
	{
		.name = "none, without what is for speed, Intel",
		.topology = "snc2-mini",
		.edits = WITHOUT_SPEED,
		.verdict = VERDICT_PASS,
	},
	{
		/* A kernel without a built-in virtio console: the second serial port carries it
		   all. */
		.name = "none, over the serial port",
		.topology = "nps1-mini",
		.edits = {{"amd_postcore_init", "amd_postcore_init,virtio_console_init"}},
		.verdict = VERDICT_PASS,
		.channel = "serial",
	},
	{
		.name = "nodes swapped",
		.topology = "nps1-mini",
		.edits = {{AMD_CELL_0, "id=\"0\" cpus=\"8-15\""},
			  {AMD_CELL_1, "id=\"1\" cpus=\"0-7\""}},
		.verdict = VERDICT_ERROR,
		.check = "guest.srat",
	},
	{
		.name = "a core in the other node",
		.topology = "nps1-mini",
		.edits = {{AMD_CELL_0, "id=\"0\" cpus=\"0-5\""},
			  {AMD_CELL_1, "id=\"1\" cpus=\"6-15\""}},
		.verdict = VERDICT_ERROR,
		.check = "guest.srat",
	},
	{
		.name = "a die lost",
		.topology = "nps1-mini",
		.edits = {{"dies=\"2\" cores=\"2\"", "dies=\"1\" cores=\"4\""}},
		.verdict = VERDICT_ERROR,
		.check = "guest.cpuid",
	},
	{
		.name = "a thread lost",
		.topology = "nps1-mini",
		.edits = {{"cores=\"2\" threads=\"2\"", "cores=\"4\" threads=\"1\""}},
		.verdict = VERDICT_ERROR,
		.check = "guest.cpuid",
	},
	{
		.name = "a package lost",
		.topology = "nps1-mini",
		.edits = {{"sockets=\"2\" dies=\"2\"", "sockets=\"1\" dies=\"4\""}},
		.verdict = VERDICT_ERROR,
		.check = "guest.cpuid",
	},
	{
		.name = "another vendor",
		.topology = "nps1-mini",
		.edits = {{"vendor=AuthenticAMD", "vendor=HygonGenuine"}},
		.verdict = VERDICT_ERROR,
		.check = "guest.cpuid",
	},
	{
		.name = "another family",
		.topology = "nps1-mini",
		.edits = {{"family=25", "family=23"}},
		.verdict = VERDICT_ERROR,
		.check = "guest.cpuid",
	},
	{
		.name = "no topoext",
		.topology = "nps1-mini",
		.edits = {{"+topoext", "-topoext"}},
		.verdict = VERDICT_ERROR,
		.check = "guest.cpuid",
	},
	{
		.name = "a SLIT cell",
		.topology = "nps1-mini",
		.edits = {{"<sibling id=\"1\" value=\"32\"/>", "<sibling id=\"1\" value=\"31\"/>"}},
		.verdict = VERDICT_ERROR,
		.check = "guest.slit",
	},
	{
		.name = "a SLIT cell of a node without CPUs",
		.topology = "clx-pmem-mini",
		.edits = {{"<sibling id=\"2\" value=\"17\"/>", "<sibling id=\"2\" value=\"18\"/>"}},
		.verdict = VERDICT_ERROR,
		.check = "guest.slit",
	},
	{
		.name = "one L3 for a die of Zen 1",
		.topology = "naples-mini",
		.edits = {{"smp-cache.0.topology=module", "smp-cache.0.topology=die"}},
		.verdict = VERDICT_ERROR,
		.check = "guest.cpuid",
	},
	{
		.name = "an L2 for each core",
		.topology = "jacobsville",
		.edits = {{"smp-cache.0.topology=module", "smp-cache.0.topology=core"}},
		.verdict = VERDICT_ERROR,
		.check = "guest.cpuid",
	},
	{
		.name = "MADT not taken",
		.topology = "nps1-mini",
		.without_madt = true,
		.verdict = VERDICT_ERROR,
		.check = "guest.madt",
	},
	{
		.name = "a vCPU missing",
		.topology = "nps1-mini",
		.edits = {{"<vcpu>16</vcpu>", "<vcpu current=\"15\">16</vcpu>"}},
		.verdict = VERDICT_ERROR,
	},
	{
		.name = "an argument that no rule models",
		.topology = "nps1-mini",
		.edits = {{"sched_verbose", "sched_verbose possible_cpus=64"}},
		.verdict = VERDICT_SKIP,
		.check = "kernel.arguments",
	},
	{
		.name = "domains not shown",
		.topology = "nps1-mini",
		.edits = {{"sched_verbose", ""}},
		.verdict = VERDICT_ERROR,
	},
	{
		.name = "no init",
		.topology = "nps1-mini",
		.edits = {{"panic=-1", "panic=-1 rdinit=/none root=/dev/none"}},
		.verdict = VERDICT_ERROR,
		.check = "guest.ending",
	},
	{
		.name = "SNC nodes swapped",
		.topology = "snc4-mini",
		.edits = {{"id=\"0\" cpus=\"0-3\"", "id=\"0\" cpus=\"4-7\""},
			  {"id=\"1\" cpus=\"4-7\"", "id=\"1\" cpus=\"0-3\""}},
		.verdict = VERDICT_ERROR,
		.check = "guest.srat",
	},
};

struct boot {
	GMainLoop *loop;
	struct vm_end end;
};

static void boot_ended(const struct vm_end *end, void *data)
{
	struct boot *boot = data;

	boot->end.ending = end->ending;
	boot->end.detail = g_strdup(end->detail);
	g_main_loop_quit(boot->loop);
}

static GBytes *bytes_of_file(const char *path)
{
	char *data;
	gsize length;
	g_autoptr(GError) error = NULL;

	g_file_get_contents(path, &data, &length, &error);
	g_assert_no_error(error);
	return g_bytes_new_take(data, length);
}

static char *text_replaced(const char *text, const char *find, const char *replace)
{
	g_auto(GStrv) parts = g_strsplit(text, find, -1);

	if (!parts[1])
		g_test_fail_printf("'%s' is not in the XML, so the fault was not made:\n%s", find,
				   text);
	return g_strjoinv(replace, parts);
}

static char *fault_xml(const struct fault *fault, const struct topo *topo, struct vm_root *root,
		       const struct kernel *kernel, GBytes *initrd)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *command_line = emit_command_line(topo, EMIT_ACCEL_TCG);
	struct assembly assembly = {
		.topo = topo,
		.kernel = kernel,
		.initramfs = initrd,
		.command_line = command_line,
		.accel = EMIT_ACCEL_TCG,
	};
	char *xml = assembly_domain(&assembly, root, &error);

	g_assert_no_error(error);
	for (unsigned i = 0; i < G_N_ELEMENTS(fault->edits) && fault->edits[i].find; i++) {
		g_autofree char *before = xml;

		xml = text_replaced(before, fault->edits[i].find, fault->edits[i].replace);
	}
	return xml;
}

static GBytes *fault_initrd(const struct fault *fault, const struct topo *topo)
{
	g_autofree char *agent_path = paths_data("agent");
	g_autoptr(GBytes) agent = bytes_of_file(agent_path);
	g_autoptr(GError) error = NULL;
	GBytes *initrd = fault->without_madt ? initramfs_build(agent, NULL, 0, &error)
					     : assembly_initramfs(topo, agent, &error);

	g_assert_no_error(error);
	return initrd;
}

/* What the guest left in @folder, judged against the machine that it should have been. */
static struct judgement *fault_judge(const struct topo *topo, const struct kernel *kernel,
				     const char *folder, const struct vm_end *end)
{
	g_autofree char *console_path = g_build_filename(folder, "console.log", NULL);
	g_autofree char *console = NULL;
	g_autofree char *problem = NULL;
	g_autoptr(GBytes) evidence = channel_read(folder, NULL, &problem);
	gsize console_length = 0;

	g_file_get_contents(console_path, &console, &console_length, NULL);
	return judge(&(struct verdict_input){
		.topo = topo,
		.facts = kernel->facts,
		.ending = end->ending,
		.ending_detail = end->detail,
		.channel_problem = problem,
		.console = console,
		.console_length = console_length,
		.evidence = evidence,
		.emulated = true,
		/* As on a small host, whatever runs the test: a vCPU may then come too late. */
		.vcpus_per_host_cpu = 2,
	});
}

static bool has_check(const struct checks *checks, const char *name, enum verdict verdict)
{
	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);

		if (check->verdict == verdict && (!name || strcmp(check->name, name) == 0))
			return true;
	}
	return false;
}

/* The first record is the hello, one line; the file is there until the folder goes. */
static void check_channel(const char *folder, const char *channel)
{
	g_autofree char *path = g_build_filename(folder, "channel.bin", NULL);
	g_autofree char *wanted = g_strdup_printf("\"channel\":\"%s\"", channel);
	g_autofree char *data = NULL;

	g_assert_true(g_file_get_contents(path, &data, NULL, NULL));
	g_assert_nonnull(data);
	if (data) {
		data[strcspn(data, "\n")] = '\0';
		g_assert_nonnull(strstr(data, wanted));
	}
}

/* The faulty guest, booted once and judged. */
static struct judgement *fault_boot(const struct fault *fault, const char *folder)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) path = topo_search_path();
	AUTO(topo) *topo = topo_find(fault->topology, (const char *const *)path, &error);
	AUTO(kernel) *kernel = kernel_get("debian-6.12", &(struct kernel_options){0}, &error);
	AUTO(vm_root) *root = vm_root_new(&error);
	g_autoptr(GBytes) initrd = fault_initrd(fault, topo);
	g_autofree char *xml = fault_xml(fault, topo, root, kernel, initrd);
	struct boot boot = {.loop = g_main_loop_new(NULL, FALSE)};
	struct vm_spec spec = {.root = root, .xml = xml, .folder = folder, .silence_seconds = 120};
	struct judgement *judgement;

	g_assert_nonnull(vm_start(&spec, NULL, boot_ended, &boot, &error));
	g_assert_no_error(error);
	g_main_loop_run(boot.loop);
	g_main_loop_unref(boot.loop);
	judgement = fault_judge(topo, kernel, folder, &boot.end);
	g_free(boot.end.detail);
	return judgement;
}

/* On stderr: prove and CI show no more of a test that fails. */
static void fault_explain(const struct fault *fault, const char *folder,
			  const struct judgement *judgement)
{
	for (guint i = 0; i < checks_count(judgement->checks); i++) {
		const struct check *check = checks_get(judgement->checks, i);

		if (check->verdict != VERDICT_PASS)
			g_printerr("%s: %s %s: %s; expected '%s', observed '%s'\n", fault->name,
				   verdict_name(check->verdict), check->name, check->reason ?: "",
				   check->expected ?: "", check->observed ?: "");
	}
	console_explain(folder, fault->name);
}

static void test_fault(gconstpointer data)
{
	const struct fault *fault = data;
	g_autofree char *folder = g_dir_make_tmp("topolab-fault-XXXXXX", NULL);
	AUTO(judgement) *judgement = fault_boot(fault, folder);

	/* As `run` does: what QEMU's TCG spoilt says nothing of the machine. */
	for (unsigned boots = 1; judgement_has(judgement, CHECK_EMULATOR) && boots < 3; boots++) {
		fault_explain(fault, folder, judgement);
		judgement_free(judgement);
		folder_remove(folder);
		g_mkdir(folder, 0700);
		judgement = fault_boot(fault, folder);
	}
	g_assert_cmpstr(verdict_name(checks_verdict(judgement->checks)), ==,
			verdict_name(fault->verdict));
	g_assert_true(has_check(judgement->checks, fault->check, fault->verdict));
	if (g_test_failed())
		fault_explain(fault, folder, judgement);
	if (fault->channel)
		check_channel(folder, fault->channel);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;

	/* vm/ starts its own binary again as the worker. */
	if (argc >= 2 && strcmp(argv[1], "worker") == 0)
		return vm_worker_main();
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_assert_true(vm_init(&error));
	for (unsigned i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *name = g_strdup_printf("/faults/%s", faults[i].name);

		g_test_add_data_func(name, &faults[i], test_fault);
	}
	return g_test_run();
}
