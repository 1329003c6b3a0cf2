// SPDX-License-Identifier: GPL-2.0-only
/*
 * Gives the guest another machine than the topology file says, by one edit of the domain XML, the
 * command line or the initrd at a time, boots it and judges it. The lab must notice by itself: a
 * guest that was not given the machine is the lab's fault (ERROR), never a PASS.
 */
#include "base/paths.h"
#include "base/records.h"
#include "emit/emit.h"
#include "image/initramfs.h"
#include "kernel/kernel.h"
#include "topo/load.h"
#include "verdict/verdict.h"
#include "vm/vm.h"

#include "../run_topolab.h"

#include <string.h>

struct fault {
	const char *name;
	const char *topology;
	const char *find, *replace; /* in the XML, each occurrence; NULL: none */
	bool without_madt;
	enum verdict verdict;
	const char *check; /* one that must have that verdict; NULL: any */
};

/* nps1-mini: 16 vCPUs, node 0 is vCPUs 0-7; sockets 2, dies 2, cores 2, threads 2. */
static const struct fault faults[] = {
	{"none", "nps1-mini", NULL, NULL, false, VERDICT_PASS, NULL},
	{"nodes swapped", "nps1-mini", "cpus='0-7'>cpus='8-15'", "swap", false, VERDICT_ERROR,
	 "guest.srat"},
	{"a vCPU in the other node", "nps1-mini", "cpus='0-7'>cpus='8-15'", "cpus='0-6'>cpus='7-15'",
	 false, VERDICT_ERROR, "guest.srat"},
	{"a die lost", "nps1-mini", "dies='2' cores='2'", "dies='1' cores='4'", false,
	 VERDICT_ERROR, "guest.cpuid"},
	{"a thread lost", "nps1-mini", "cores='2' threads='2'", "cores='4' threads='1'", false,
	 VERDICT_ERROR, "guest.cpuid"},
	{"vendor", "nps1-mini", "vendor=AuthenticAMD", "vendor=GenuineIntel", false, VERDICT_ERROR,
	 "guest.cpuid"},
	{"family", "nps1-mini", "family=25", "family=23", false, VERDICT_ERROR, "guest.cpuid"},
	{"no topoext", "nps1-mini", "+topoext", "-topoext", false, VERDICT_ERROR, "guest.cpuid"},
	{"a SLIT cell", "nps1-mini", "<sibling id='1' value='32'/>", "<sibling id='1' value='31'/>",
	 false, VERDICT_ERROR, "guest.slit"},
	{"MADT not taken", "nps1-mini", NULL, NULL, true, VERDICT_ERROR, "guest.madt"},
	{"a vCPU missing", "nps1-mini", "<vcpu placement='static'>16",
	 "<vcpu placement='static' current='15'>16", false, VERDICT_ERROR, NULL},
	{"an argument that no rule models", "nps1-mini", "sched_verbose", "sched_verbose nosmt",
	 false, VERDICT_SKIP, "kernel.arguments"},
	{"domains not shown", "nps1-mini", "sched_verbose", "", false, VERDICT_ERROR, NULL},
	{"SNC node swapped", "snc4-mini", "cpus='0-3'>cpus='4-7'", "swap", false, VERDICT_ERROR,
	 "guest.srat"},
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
		g_test_fail_printf("'%s' is not in the XML, so the fault was not made:\n%s", find, text);
	return g_strjoinv(replace, parts);
}

/* "A>B" with "swap": A and B change places; with "C>D": A becomes C and B becomes D. */
static char *fault_apply(const struct fault *fault, const char *xml)
{
	g_auto(GStrv) find = g_strsplit(fault->find, ">cpus", -1);
	g_autofree char *second = NULL;
	g_autofree char *marked = NULL;
	g_autofree char *half = NULL;
	g_auto(GStrv) to = NULL;
	g_autofree char *second_to = NULL;

	if (!find[1])
		return text_replaced(xml, fault->find, fault->replace);
	second = g_strconcat("cpus", find[1], NULL);
	to = g_strsplit(fault->replace, ">cpus", -1);
	second_to = to[1] ? g_strconcat("cpus", to[1], NULL) : g_strdup(find[0]);
	marked = text_replaced(xml, find[0], "@first@");
	half = text_replaced(marked, second, second_to);
	return text_replaced(half, "@first@", to[1] ? to[0] : second);
}

static char *fault_xml(const struct fault *fault, const struct topo *topo, struct vm_root *root,
		       const struct kernel *kernel, GBytes *initrd)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *command_line = emit_command_line(topo, EMIT_ACCEL_TCG);
	g_autofree char *kernel_path = vm_root_put_file(root, "kernel", kernel->image_path, &error);
	g_autofree char *initrd_path = vm_root_put(root, "initrd", initrd, &error);
	struct emit_domain domain = {
		.name = topo_name(topo),
		.kernel_path = kernel_path,
		.initrd_path = initrd_path,
		.command_line = command_line,
		.accel = EMIT_ACCEL_TCG,
	};
	char *xml;

	g_assert_no_error(error);
	xml = emit_domain_xml(topo, &domain, &error);
	g_assert_no_error(error);
	if (fault->find) {
		g_autofree char *plain = xml;

		xml = fault_apply(fault, plain);
	}
	return xml;
}

static GBytes *fault_initrd(const struct fault *fault, const struct topo *topo)
{
	g_autofree char *agent_path = paths_data("agent");
	g_autoptr(GBytes) agent = bytes_of_file(agent_path);
	g_autoptr(GBytes) madt = emit_madt(topo);
	struct initramfs_table table = {"APIC", madt};
	g_autoptr(GError) error = NULL;
	GBytes *initrd = initramfs_build(agent, &table, fault->without_madt ? 0 : 1, &error);

	g_assert_no_error(error);
	return initrd;
}

/* What the guest left in @folder, judged against the machine that it should have been. */
static struct judgement *fault_judge(const struct topo *topo, const struct kernel *kernel,
				     const char *folder, const struct vm_end *end)
{
	g_autofree char *channel_path = g_build_filename(folder, "channel.bin", NULL);
	g_autofree char *console_path = g_build_filename(folder, "console.log", NULL);
	g_autofree char *channel = NULL;
	g_autofree char *console = NULL;
	gsize channel_length = 0, console_length = 0;
	AUTO(records) *records = NULL;
	struct verdict_input input = {
		.topo = topo,
		.facts = kernel->facts,
		.ending = end->ending,
		.ending_detail = end->detail,
	};

	g_file_get_contents(channel_path, &channel, &channel_length, NULL);
	g_file_get_contents(console_path, &console, &console_length, NULL);
	input.console = console;
	input.console_length = console_length;
	if (channel_length)
		records = records_parse((const guint8 *)channel, channel_length, NULL);
	if (records)
		input.evidence = records_blob(records, "evidence");
	return judge(&input);
}

static bool has_check(const struct checks *checks, const char *name, enum verdict verdict)
{
	for (guint i = 0; i < checks_count(checks); i++) {
		const struct check *check = checks_get(checks, i);

		if (check->verdict != VERDICT_PASS)
			g_test_message("%s %s: %s; expected '%s', observed '%s'", check->name,
				       verdict_name(check->verdict), check->reason ?: "",
				       check->expected ?: "", check->observed ?: "");
		if (check->verdict == verdict && (!name || strcmp(check->name, name) == 0))
			return true;
	}
	return false;
}

static void test_fault(gconstpointer data)
{
	const struct fault *fault = data;
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) path = topo_search_path();
	AUTO(topo) *topo = topo_find(fault->topology, (const char *const *)path, &error);
	AUTO(kernel) *kernel = kernel_get("debian-6.12", &(struct kernel_options){0}, &error);
	AUTO(vm_root) *root = vm_root_new(&error);
	g_autofree char *folder = g_dir_make_tmp("topolab-fault-XXXXXX", NULL);
	g_autoptr(GBytes) initrd = fault_initrd(fault, topo);
	g_autofree char *xml = fault_xml(fault, topo, root, kernel, initrd);
	struct boot boot = {.loop = g_main_loop_new(NULL, FALSE)};
	struct vm_spec spec = {.root = root, .xml = xml, .folder = folder, .silence_seconds = 120};
	AUTO(judgement) *judgement = NULL;

	g_assert_nonnull(vm_start(&spec, NULL, boot_ended, &boot, &error));
	g_assert_no_error(error);
	g_main_loop_run(boot.loop);
	g_main_loop_unref(boot.loop);
	judgement = fault_judge(topo, kernel, folder, &boot.end);
	g_assert_cmpstr(verdict_name(checks_verdict(judgement->checks)), ==,
			verdict_name(fault->verdict));
	g_assert_true(has_check(judgement->checks, fault->check, fault->verdict));
	g_free(boot.end.detail);
	folder_remove(folder);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;

	/* vm/ starts its own binary again as the worker. */
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return vm_worker_main();
	g_test_init(&argc, &argv, NULL);
	g_assert_true(vm_init(&error));
	for (unsigned i = 0; i < G_N_ELEMENTS(faults); i++) {
		g_autofree char *name = g_strdup_printf("/faults/%s", faults[i].name);

		g_test_add_data_func(name, &faults[i], test_fault);
	}
	return g_test_run();
}
