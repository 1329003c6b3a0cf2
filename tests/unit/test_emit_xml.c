// SPDX-License-Identifier: GPL-2.0-only
/*
 * Domain XML: what it must say of machines whose vCPUs were counted by hand, then a golden file for
 * each machine of topologies/ (TOPOLAB_UPDATE_GOLDEN=1 rewrites them: review the difference).
 */
#include "base/error.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "emit/emit.h"
#include "emit_machine.h"

#include <glib/gstdio.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <libxml/xpathInternals.h>

#define TOPOLOGIES    TOPOLAB_SOURCE "/topologies"
#define GOLDEN_FOLDER TOPOLAB_SOURCE "/tests/golden/emit"
#define SCHEMA	      "/usr/share/libvirt/schemas/domain.rng"

static const struct emit_domain a_domain = {
	.name = "t-1",
	.kernel_path = "/boot/vmlinuz",
	.initrd_path = "/boot/initrd",
	.command_line = "console=ttyS0",
};

static char *emit(const struct machine *machine, const struct emit_domain *domain)
{
	AUTO(topo) *topo = machine_load(machine);
	g_autoptr(GError) error = NULL;
	char *text = emit_domain_xml(topo, domain, &error);

	if (!text)
		g_error("%s", error->message);
	return text;
}

/* The XPath string() of @path; "" when nothing is there. */
static char *query(const char *text, const char *path)
{
	xmlDoc *document = xmlReadMemory(text, (int)strlen(text), "domain.xml", NULL, 0);
	xmlXPathContext *context = xmlXPathNewContext(document);
	g_autofree char *expression = g_strdup_printf("string(%s)", path);
	xmlXPathObject *object;
	char *value;

	g_assert_nonnull(document);
	xmlXPathRegisterNs(context, (const xmlChar *)"qemu",
			   (const xmlChar *)"http://libvirt.org/schemas/domain/qemu/1.0");
	object = xmlXPathEvalExpression((const xmlChar *)expression, context);
	value = g_strdup(object ? (const char *)object->stringval : "");
	xmlXPathFreeObject(object);
	xmlXPathFreeContext(context);
	xmlFreeDoc(document);
	return value;
}

static void assert_says(const char *text, const char *path, const char *expected)
{
	g_autofree char *value = query(text, path);

	if (strcmp(value, expected) != 0)
		g_test_fail_printf("%s is '%s', expected '%s'", path, value, expected);
}

/* 16 cores of 2 threads make 32 vCPUs a node, four nodes a package. */
static void test_nps4(void)
{
	const struct machine machine = MACHINE_NPS4;
	g_autofree char *text = emit(&machine, &a_domain);

	assert_says(text, "/domain/@type", "qemu");
	assert_says(text, "/domain/vcpu", "256");
	assert_says(text, "/domain/memory", "3072"); /* 8 x 384 */
	assert_says(text, "/domain/memory/@unit", "MiB");
	assert_says(text, "//topology/@sockets", "2");
	assert_says(text, "//topology/@dies", "8");
	assert_says(text, "//topology/@cores", "8");
	assert_says(text, "//topology/@threads", "2");
	assert_says(text, "count(//cell)", "8");
	assert_says(text, "//cell[@id=0]/@cpus", "0-31");
	assert_says(text, "//cell[@id=1]/@cpus", "32-63");
	assert_says(text, "//cell[@id=7]/@cpus", "224-255");
	assert_says(text, "//cell[@id=3]/@memory", "384");
	assert_says(text, "count(//sibling)", "64");
	assert_says(text, "//cell[@id=1]//sibling[@id=1]/@value", "10");
	assert_says(text, "//cell[@id=1]//sibling[@id=3]/@value", "12");
	assert_says(text, "//cell[@id=3]//sibling[@id=4]/@value", "32");
	/* APIC id 255 cannot be reached without x2APIC and interrupt remapping. */
	assert_says(text, "//features/ioapic/@driver", "qemu");
	assert_says(text, "//iommu/@model", "intel");
	assert_says(text, "//iommu/driver/@intremap", "on");
	assert_says(text, "//iommu/driver/@eim", "on");
	assert_says(text, "//qemu:arg[last()-1]/@value", "-cpu");
	assert_says(text, "//qemu:arg[last()]/@value",
		    "qemu64,vendor=AuthenticAMD,family=25,model=1,stepping=1,"
		    "xlevel=0x8000001e,+topoext,+x2apic,x-force-features=on,-mtrr,-pat");
}

/*
 * One vCPU after the other: 7 million instructions a second are for each of 256 vCPUs more than the
 * 1000 million of shift 0, for each of 16 less than the 125 million of shift 3. -cpu stays last.
 */
static void test_in_turn(void)
{
	const struct machine many = MACHINE_NPS4;
	const struct machine few = {.cpu = MACHINE_SPR,
				    .packages = 1,
				    .llcs = 1,
				    .cores = 8,
				    .threads = 2,
				    .nodes = 1,
				    .distances = "{}",
				    .numbering = "threads-last"};
	struct emit_domain domain = a_domain;
	g_autofree char *wide = NULL;
	g_autofree char *narrow = NULL;
	g_autofree char *usual = emit(&few, &domain);

	domain.in_turn = true;
	wide = emit(&many, &domain);
	narrow = emit(&few, &domain);
	assert_says(usual, "count(//qemu:arg[@value='-icount'])", "0");
	assert_says(wide, "//qemu:arg[@value='-icount']/following-sibling::*[1]/@value", "shift=0");
	assert_says(narrow, "//qemu:arg[@value='-icount']/following-sibling::*[1]/@value",
		    "shift=3");
	assert_says(narrow, "//qemu:arg[last()-1]/@value", "-cpu");
}

/* Sub-NUMA clusters: nodes inside a package of one L3, so no dies. */
static void test_intel(void)
{
	const struct machine machine = {.cpu = MACHINE_SPR,
					.packages = 2,
					.llcs = 1,
					.cores = 8,
					.threads = 2,
					.nodes = 2,
					.distances = "{same-package: 12, other-package: 21}",
					.numbering = "threads-last"};
	struct emit_domain domain = a_domain;
	g_autofree char *text = NULL;

	domain.accel = EMIT_ACCEL_KVM;
	text = emit(&machine, &domain);
	assert_says(text, "/domain/@type", "kvm");
	assert_says(text, "//topology/@sockets", "2");
	assert_says(text, "//topology/@dies", "1");
	assert_says(text, "//topology/@cores", "8");
	assert_says(text, "//cell[@id=0]/@cpus", "0-7");
	assert_says(text, "//cell[@id=3]/@cpus", "24-31");
	assert_says(text, "count(//iommu)", "0");
	assert_says(text, "count(//ioapic)", "0");
	assert_says(text, "//qemu:arg[last()]/@value",
		    "SapphireRapids,vendor=GenuineIntel,family=6,model=143,stepping=8,+x2apic");
}

static void test_lacks(void)
{
	static const struct {
		const char *cpu, *value;
	} cases[] = {
		{MACHINE_MILAN ", lacks: [topoext]",
		 "qemu64,vendor=AuthenticAMD,family=25,model=1,stepping=1,-topoext,+x2apic,"
		 "x-force-features=on,-mtrr,-pat"},
		{MACHINE_MILAN ", lacks: [l3]",
		 "qemu64,vendor=AuthenticAMD,family=25,model=1,stepping=1,xlevel=0x8000001e,"
		 "+topoext,+x2apic,x-force-features=on,l3-cache=off,-mtrr,-pat"},
		/* The dies of such a CPU would be nodes, and its L3 by APIC id. */
		{MACHINE_NAPLES ", lacks: [l3, topoext]",
		 "qemu64,vendor=AuthenticAMD,family=23,model=1,stepping=2,-topoext,+x2apic,"
		 "x-force-features=on,l3-cache=off,-mtrr,-pat"},
		{MACHINE_SPR ", lacks: [l3]",
		 "SapphireRapids,vendor=GenuineIntel,family=6,model=143,stepping=8,+x2apic,"
		 "l3-cache=off,-mtrr,-pat"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct machine machine = {.cpu = cases[i].cpu,
						.packages = 2,
						.llcs = 1,
						.cores = 4,
						.threads = 2,
						.nodes = 1,
						.distances = "{other-package: 21}",
						.numbering = "threads-last"};
		g_autofree char *text = emit(&machine, &a_domain);

		assert_says(text, "//qemu:arg[last()]/@value", cases[i].value);
	}
}

static void test_distances(void)
{
	const struct machine machine = {.cpu = MACHINE_SPR,
					.packages = 3,
					.llcs = 1,
					.cores = 2,
					.threads = 1,
					.nodes = 1,
					.distances = "[[10, 21, 31], [22, 10, 41], [33, 44, 10]]",
					.numbering = "threads-last"};
	g_autofree char *text = emit(&machine, &a_domain);

	assert_says(text, "//cell[@id=0]//sibling[@id=1]/@value", "21");
	assert_says(text, "//cell[@id=1]//sibling[@id=0]/@value", "22");
	assert_says(text, "//cell[@id=0]//sibling[@id=2]/@value", "31");
	assert_says(text, "//cell[@id=2]//sibling[@id=0]/@value", "33");
	assert_says(text, "//cell[@id=1]//sibling[@id=2]/@value", "41");
	assert_says(text, "//cell[@id=2]//sibling[@id=1]/@value", "44");
}

static void test_memory_only(void)
{
	const struct machine machine = {.cpu = MACHINE_MILAN,
					.packages = 2,
					.llcs = 1,
					.cores = 2,
					.threads = 1,
					.nodes = 1,
					.distances = "[[10, 32, 17], [32, 10, 28], [18, 28, 10]]",
					.numbering = "threads-last",
					.more = "memory_only_nodes: 1\n",
					.more_references = ", memory_only_nodes: x"};
	g_autofree char *text = emit(&machine, &a_domain);

	assert_says(text, "/domain/memory", "1152"); /* 3 x 384 */
	assert_says(text, "//cell[@id=1]/@cpus", "2-3");
	assert_says(text, "count(//cell[@id=2]/@cpus)", "0");
	assert_says(text, "//cell[@id=2]/@memory", "384");
	assert_says(text, "//cell[@id=0]//sibling[@id=2]/@value", "17");
	assert_says(text, "//cell[@id=2]//sibling[@id=0]/@value", "18");
}

/* libvirt plugs in what is enabled; the boot CPU is there from the start. */
static void test_sparse(void)
{
	const struct machine machine = MACHINE_SPARSE;
	g_autofree char *text = emit(&machine, &a_domain);

	assert_says(text, "/domain/vcpu", "96");
	assert_says(text, "/domain/vcpu/@current", "12");
	assert_says(text, "//topology/@dies", "3");
	assert_says(text, "//topology/@cores", "8");
	assert_says(text, "count(//vcpus/vcpu)", "96");
	assert_says(text, "count(//vcpus/vcpu[@enabled='yes'])", "12");
	assert_says(text, "//vcpus/vcpu[@id=0]/@hotpluggable", "no");
	assert_says(text, "count(//vcpus/vcpu[@hotpluggable='no'])", "1");
	assert_says(text, "//vcpus/vcpu[@id=1]/@enabled", "yes");
	assert_says(text, "//vcpus/vcpu[@id=2]/@enabled", "no");
	assert_says(text, "//vcpus/vcpu[@id=16]/@enabled", "yes");
	assert_says(text, "//vcpus/vcpu[@id=81]/@enabled", "yes");
	/* A position without a node would be QEMU's to place. */
	assert_says(text, "//cell[@id=0]/@cpus", "0-47");
	assert_says(text, "//cell[@id=1]/@cpus", "48-95");
	assert_says(text, "count(//iommu)", "0");
}

/* QEMU and libvirt go by the highest position: 17 L3 of 8 slots end at 271. */
static void test_sparse_wide(void)
{
	struct machine machine = MACHINE_SPARSE;
	g_autofree char *text = NULL;

	machine.packages = 1;
	machine.llcs = 17;
	machine.distances = "{}";
	text = emit(&machine, &a_domain);
	assert_says(text, "/domain/vcpu/@current", "34");
	assert_says(text, "count(//iommu)", "1");
}

/*
 * Two EPYC 7601, one core in each L3: 4 dies of 2 CCX of 4 slots. QEMU's dies are the nodes that
 * CPUID counts, its modules the CCX; libvirt, which has no modules, must see the same product.
 */
static void test_naples(void)
{
	const struct machine machine = {.cpu = MACHINE_NAPLES,
					.packages = 2,
					.llcs = 8,
					.cores = 1,
					.threads = 2,
					.nodes = 4,
					.distances = "{same-package: 16, other-package: 32}",
					.numbering = "threads-last",
					.more = "core_slots_per_l3: 4\n",
					.more_references = ", core_slots_per_l3: x"};
	g_autofree char *text = emit(&machine, &a_domain);

	assert_says(text, "//topology/@sockets", "2");
	assert_says(text, "//topology/@dies", "4");
	assert_says(text, "//topology/@cores", "8");
	assert_says(text, "//topology/@threads", "2");
	assert_says(text, "//qemu:arg[@value='-smp']/following-sibling::*[1]/@value",
		    "modules=2,cores=4");
	assert_says(text, "//qemu:arg[@value='-machine']/following-sibling::*[1]/@value",
		    "smp-cache.0.cache=l3,smp-cache.0.topology=module");
	assert_says(text, "//qemu:arg[@value='-cpu']/following-sibling::*[1]/@value",
		    "qemu64,vendor=AuthenticAMD,family=23,model=1,stepping=2,xlevel=0x8000001e,"
		    "+topoext,+x2apic,x-force-features=on,legacy-multi-node=on,-mtrr,-pat");
	/* libvirt cannot tell modules apart, so it must not plug in CPUs. */
	assert_says(text, "/domain/vcpu", "128");
	assert_says(text, "count(/domain/vcpu/@current) + count(//vcpus)", "0");
	assert_says(text, "//cell[@id=1]/@cpus", "16-31");
}

/* One CCX in each node: dies are enough, and QEMU before 10.0 can do it. */
static void test_naples_small(void)
{
	const struct machine machine = {.cpu = MACHINE_NAPLES,
					.packages = 1,
					.llcs = 2,
					.cores = 4,
					.threads = 2,
					.nodes = 2,
					.distances = "{same-package: 16}",
					.numbering = "threads-last"};
	g_autofree char *text = emit(&machine, &a_domain);

	assert_says(text, "//topology/@dies", "2");
	assert_says(text, "//topology/@cores", "4");
	assert_says(text, "count(//qemu:arg)", "2");
}

#define SMALL                                                                                      \
	{                                                                                          \
		.cpu = MACHINE_MILAN, .packages = 1, .llcs = 2, .cores = 2, .threads = 1,          \
		.nodes = 1, .distances = "{}", .numbering = "threads-last",                        \
	}

/* APIC ids up to 254 are xAPIC's: 1 package x 15 L3 x 8 cores x 2 threads end at 239. */
static void test_narrow_ids(void)
{
	const struct machine machine = {.cpu = MACHINE_MILAN,
					.packages = 1,
					.llcs = 15,
					.cores = 8,
					.threads = 2,
					.nodes = 1,
					.distances = "{}",
					.numbering = "threads-last"};
	g_autofree char *text = emit(&machine, &a_domain);

	assert_says(text, "count(//iommu)", "0");
}

/*
 * Few CPUs may still have wide ids: 3 packages x 5 L3 x 5 cores x 2 threads, 150 CPUs, take 1 bit
 * of thread, 3 of core and 3 of L3, so the last package starts at 256.
 */
static void test_wide_ids(void)
{
	const struct machine machine = {.cpu = MACHINE_MILAN,
					.packages = 3,
					.llcs = 5,
					.cores = 5,
					.threads = 2,
					.nodes = 1,
					.distances = "{other-package: 32}",
					.numbering = "threads-last"};
	g_autofree char *text = emit(&machine, &a_domain);

	assert_says(text, "/domain/vcpu", "150");
	assert_says(text, "count(//iommu)", "1");
}

static void test_devices(void)
{
	const struct machine machine = SMALL;
	g_autofree char *text = emit(&machine, &a_domain);

	assert_says(text, "//os/type/@machine", "q35");
	assert_says(text, "//os/kernel", "/boot/vmlinuz");
	assert_says(text, "//os/initrd", "/boot/initrd");
	assert_says(text, "count(//features/acpi) + count(//features/apic)", "2");
	assert_says(text, "//on_poweroff", "destroy");
	assert_says(text, "//on_reboot", "destroy");
	assert_says(text, "//on_crash", "destroy");
	assert_says(text, "count(//serial[@type='pty'])", "2");
	assert_says(text, "//channel/@type", "unix");
	assert_says(text, "//channel/target[@type='virtio']/@name", "topolab.0");
	assert_says(text, "//memballoon/@model", "none");
	assert_says(text, "//controller[@type='usb']/@model", "none");
	assert_says(text, "count(//graphics) + count(//video) + count(//interface) + count(//disk)",
		    "0");
}

static void test_sockets(void)
{
	const struct machine machine = SMALL;
	struct emit_domain domain = a_domain;
	g_autofree char *text = NULL;

	domain.socket_folder = "/run/t/a&b";
	text = emit(&machine, &domain);
	assert_says(text, "count(//serial[@type='unix']/source[@mode='bind'])", "2");
	assert_says(text, "//serial[target/@port='0']/source/@path", "/run/t/a&b/serial0");
	assert_says(text, "//serial[target/@port='1']/source/@path", "/run/t/a&b/serial1");
}

/* formatdomain.html: vmcoreinfo, with which libvirt gives QEMU the device of that name. */
static void test_vmcoreinfo(void)
{
	const struct machine machine = SMALL;
	struct emit_domain domain = a_domain;
	g_autofree char *without = emit(&machine, &domain);
	g_autofree char *text = NULL;

	domain.vmcoreinfo = true;
	text = emit(&machine, &domain);
	assert_says(without, "count(//vmcoreinfo)", "0");
	assert_says(text, "/domain/features/vmcoreinfo/@state", "on");
}

static void test_escaping(void)
{
	const struct machine machine = SMALL;
	struct emit_domain domain = a_domain;
	g_autofree char *text = NULL;

	domain.command_line = "dyndbg=\"file x.c +p\" a=<b>&amp;&'c' ]]> --%";
	domain.kernel_path = "/home/j\303\266/\"k\" & <x>";
	text = emit(&machine, &domain);
	assert_says(text, "//os/cmdline", domain.command_line);
	assert_says(text, "//os/kernel", domain.kernel_path);
}

static void assert_refused(const struct machine *machine, const struct emit_domain *domain,
			   const char *part)
{
	AUTO(topo) *topo = machine_load(machine);
	g_autoptr(GError) error = NULL;
	g_autofree char *text = emit_domain_xml(topo, domain, &error);

	g_assert_null(text);
	g_assert_error(error, TOPOLAB_ERROR, ERROR_INPUT);
	if (error && !strstr(error->message, part))
		g_test_fail_printf("'%s' does not say '%s'", error->message, part);
}

static void test_refusals(void)
{
	const struct machine machine = SMALL;
	g_autofree char *longest = g_strnfill(2047, 'x'), *longer = g_strnfill(2048, 'x');
	struct emit_domain domain = a_domain;
	g_autofree char *text = NULL;

	domain.command_line = longest;
	text = emit(&machine, &domain);
	domain.command_line = longer;
	assert_refused(&machine, &domain, "has 2048 bytes, Linux takes 2047");
	domain.command_line = "a\033[2Jb";
	assert_refused(&machine, &domain, "'a\\033[2Jb' holds a byte");
	domain.command_line = "a\nb";
	assert_refused(&machine, &domain, "holds a byte");
	domain.command_line = "a\377b";
	assert_refused(&machine, &domain, "holds a byte");
	domain.command_line = "a\357\277\277b"; /* U+FFFF, not a character of XML 1.0 */
	assert_refused(&machine, &domain, "holds a byte");
}

static char *emit_topology(const char *name)
{
	g_autofree char *path = g_strdup_printf(TOPOLOGIES "/%s.yaml", name);
	g_autoptr(GError) error = NULL;
	AUTO(topo) *topo = topo_load_file(path, &error);
	g_autofree char *command_line = NULL;
	struct emit_domain domain = a_domain;
	char *text = NULL;

	if (topo) {
		command_line = emit_command_line(topo, EMIT_ACCEL_TCG);
		domain.command_line = command_line;
		text = emit_domain_xml(topo, &domain, &error);
	}
	if (!text)
		g_test_fail_printf("%s: %s", name, error->message);
	return text;
}

/*
 * A new machine is one file, so it needs none of these; one of each kind is enough. To have one
 * more make an empty file and run with TOPOLAB_UPDATE_GOLDEN=1.
 */
static void test_golden(gconstpointer data)
{
	const char *name = data;
	g_autofree char *text = emit_topology(name);
	g_autofree char *path = g_strdup_printf(GOLDEN_FOLDER "/%s.xml", name);
	g_autofree char *golden = NULL;

	if (!text)
		return;
	if (g_getenv("TOPOLAB_UPDATE_GOLDEN"))
		g_file_set_contents(path, text, -1, NULL);
	g_assert_true(g_file_get_contents(path, &golden, NULL, NULL));
	if (g_strcmp0(golden, text) != 0)
		g_test_fail_printf("'%s' differs from what is emitted now:\n%s", path, text);
}

static void validate(const char *name, const char *text)
{
	g_autofree char *path = NULL;
	const char *argv[] = {"xmllint", "--noout", "--relaxng", SCHEMA, NULL, NULL};
	g_autoptr(GError) error = NULL;
	int fd = g_file_open_tmp("topolab-test-XXXXXX.xml", &path, NULL);

	g_assert_cmpint(fd, >=, 0);
	g_close(fd, NULL);
	g_file_set_contents(path, text, -1, NULL);
	argv[4] = path;
	if (!spawn_run(argv, NULL, NULL, &error))
		g_test_fail_printf("%s: %s", name, error->message);
	g_unlink(path);
}

/* libvirt's own schema, where it is installed. */
static void test_schema(gconstpointer data)
{
	const char *const *names = data;
	const struct machine machine = MACHINE_NPS4;
	g_autofree char *xmllint = g_find_program_in_path("xmllint");
	g_autofree char *nps4 = emit(&machine, &a_domain);

	if (!xmllint || !g_file_test(SCHEMA, G_FILE_TEST_EXISTS)) {
		g_test_skip("xmllint or '" SCHEMA "' is not installed");
		return;
	}
	validate("machine", nps4);
	for (unsigned i = 0; names[i]; i++) {
		g_autofree char *text = emit_topology(names[i]);

		if (text)
			validate(names[i], text);
	}
}

int main(int argc, char **argv)
{
	g_auto(GStrv) names = paths_names((const char *const[]){TOPOLOGIES, NULL}, ".yaml");
	g_auto(GStrv) golden = paths_names((const char *const[]){GOLDEN_FOLDER, NULL}, ".xml");

	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	g_test_add_func("/domain-xml/nps4", test_nps4);
	g_test_add_func("/domain-xml/intel", test_intel);
	g_test_add_func("/domain-xml/lacks", test_lacks);
	g_test_add_func("/domain-xml/in-turn", test_in_turn);
	g_test_add_func("/domain-xml/distances", test_distances);
	g_test_add_func("/domain-xml/memory-only", test_memory_only);
	g_test_add_func("/domain-xml/sparse", test_sparse);
	g_test_add_func("/domain-xml/sparse-wide", test_sparse_wide);
	g_test_add_func("/domain-xml/naples", test_naples);
	g_test_add_func("/domain-xml/naples-small", test_naples_small);
	g_test_add_func("/domain-xml/narrow-ids", test_narrow_ids);
	g_test_add_func("/domain-xml/wide-ids", test_wide_ids);
	g_test_add_func("/domain-xml/devices", test_devices);
	g_test_add_func("/domain-xml/sockets", test_sockets);
	g_test_add_func("/domain-xml/vmcoreinfo", test_vmcoreinfo);
	g_test_add_func("/domain-xml/escaping", test_escaping);
	g_test_add_func("/domain-xml/refusals", test_refusals);
	for (unsigned i = 0; golden[i]; i++) {
		g_autofree char *path = g_strdup_printf("/domain-xml/golden/%s", golden[i]);

		g_test_add_data_func(path, golden[i], test_golden);
	}
	g_test_add_data_func("/domain-xml/schema", names, test_schema);
	return g_test_run();
}
