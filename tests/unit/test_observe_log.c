// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's log. Records are written as devkmsg_read() gives them (kernel/printk/printk.c of
 * Linux 6.12, info_print_ext_header() and msg_print_ext_body()); the domain trees as
 * sched_domain_debug_one() prints them (kernel/sched/topology.c of 6.12 and 7.3).
 */
#include "base/error.h"
#include "members.h"
#include "observe/observe.h"
#include "observe/sched_log.h"

static GPtrArray *log_read(const char *kmsg, GError **error)
{
	GHashTable *members = members_new();
	AUTO(root) *root = root_new_members(members);

	members_add(members, "kmsg", "%s", kmsg);
	return observe_kernel_log(root, error);
}

static void assert_messages(GPtrArray *log, const char *const *texts)
{
	guint n = 0;

	for (; texts[n] && n < log->len; n++)
		g_assert_cmpstr(((struct kernel_message *)log->pdata[n])->text, ==, texts[n]);
	g_assert_null(texts[n]);
	g_assert_cmpuint(log->len, ==, n);
}

static void test_records(void)
{
	static const char kmsg[] = "5,0,0,-;Linux version 6.12.117\n"
				   "6,1,1344713,-;rcu: \\x09Max phase no-delay instances is 1000.\n"
				   "30,2,4400000,-;ACPI: \\x5c_SB_.GSIF: Enabled at IRQ 21\n"
				   " SUBSYSTEM=acpi\n"
				   " DEVICE=+acpi:PNP0A08:00\n"
				   "4,3,4500000,-,caller=T1;first\\x0asecond\\x0a\n"
				   "6,4,4500001,-;\n"
				   "4,5,4500002,-;  indented \n";
	static const char *const texts[] = {
		"Linux version 6.12.117",
		"rcu: \tMax phase no-delay instances is 1000.",
		"ACPI: \\_SB_.GSIF: Enabled at IRQ 21",
		"first",
		"second",
		"",
		"  indented",
		NULL,
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) log = log_read(kmsg, &error);
	const struct kernel_message *acpi;

	g_assert_no_error(error);
	assert_messages(log, texts);
	acpi = log->pdata[2];
	/* 30 is facility 3, level 6. */
	g_assert_cmpuint(acpi->priority, ==, 6);
	g_assert_cmpuint(acpi->usec, ==, 4400000);
}

static void test_lost(void)
{
	static const struct {
		const char *kmsg, *message;
	} cases[] = {
		{"6,3,0,-;a\n",
		 "the kernel log goes on with record 3 where 0 is due: records were lost, a larger "
		 "log_buf_len= keeps them"},
		{"6,0,0,-;a\n6,1,0,-;b\n6,3,0,-;c\n",
		 "the kernel log goes on with record 3 where 2 is due: records were lost, a larger "
		 "log_buf_len= keeps them"},
		{"6,0,0,-;a\n6,0,0,-;a\n",
		 "the kernel log goes on with record 0 where 1 is due: records were lost, a larger "
		 "log_buf_len= keeps them"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(log_read(cases[i].kmsg, &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		g_assert_cmpstr(error->message, ==, cases[i].message);
	}
}

static void test_malformed(void)
{
	static const char *const texts[] = {
		"",
		"text\n",
		"6,0,0,-\n",
		"6,0,-;a\n",
		"6,x,0,-;a\n",
		"-6,0,0,-;a\n",
		"6,0,0,-;a\nb\n",
		"6,0,0,-;a\n\n6,1,0,-;b\n",
		"99999999999999999999,0,0,-;a\n",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GError) error = NULL;

		if (log_read(texts[i], &error))
			g_error("accepted: '%s'", texts[i]);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	}
}

/* Escapes that are no escapes stay; a NUL cannot end the text. */
static void test_escapes(void)
{
	static const char *const texts[] = {"a?b", "\\xZZ\\x4", "\xc3\xa9", NULL};
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) log =
		log_read("6,0,0,-;a\\x00b\n6,1,0,-;\\xZZ\\x4\n6,2,0,-;\\xc3\\xa9\n", &error);

	g_assert_no_error(error);
	assert_messages(log, texts);
}

/* A record holds 1024 bytes (PRINTKRB_RECORD_MAX); what follows comes with flag 'c'. */
static void test_continuation(void)
{
	static const char *const texts[] = {
		"CPU0 attaching sched-domain(s):",
		" domain-0: span=0-3 level=MC",
		"  groups: 0:{ span=0 }, 1:{ span=1 }, 2:{ span=2 }, 3:{ span=3 }",
		"next",
		NULL,
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) log = log_read("7,0,0,-;CPU0 attaching sched-domain(s):\n"
					    "7,1,0,-; domain-0: span=0-3 level=MC\n"
					    "7,2,0,-;  groups: 0:{ span=0 }, 1:{ span=1 },\n"
					    "7,3,0,c; 2:{ span=2 }\n"
					    "7,4,0,c;, 3:{ span=3 }\n"
					    "6,5,0,-;next\n",
					    &error);

	g_assert_no_error(error);
	assert_messages(log, texts);
}

/* Another CPU's line, or the scheduler's own complaint, comes between. */
static void test_interrupted(void)
{
	static const char *const texts[] = {
		" domain-0: span=0-3 level=MC",
		"random: crng init done",
		"  groups: 0:{ span=0-1 }, 2:{ span=2-3 }",
		"ERROR: domain->groups does not match domain->child",
		"end",
		NULL,
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) log =
		log_read("7,0,0,-; domain-0: \n"
			 "6,1,0,-;random: crng init done\n"
			 "7,2,0,c;span=0-3 level=MC\n"
			 "7,3,0,-;  groups: 0:{ span=0-1\n"
			 "3,4,0,-;ERROR: domain->groups does not match domain->child\n"
			 "7,5,0,c; }, 2:{ span=2-3 }\n"
			 "6,6,0,-;end\n",
			 &error);

	g_assert_no_error(error);
	assert_messages(log, texts);
}

/* A continuation that begins the log, or belongs to no tree: to the line before, if any. */
static void test_plain_continuation(void)
{
	static const char *const texts[] = {"one", "two three", NULL};
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) log = log_read("6,0,0,c;one\n6,1,0,-;two\n6,2,0,c; three\n", &error);

	g_assert_no_error(error);
	assert_messages(log, texts);
}

static GPtrArray *lines_log(const char *lines)
{
	g_auto(GStrv) parts = g_strsplit(lines, "\n", -1);
	g_autoptr(GString) kmsg = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	GPtrArray *log;

	for (unsigned i = 0; parts[i]; i++)
		g_string_append_printf(kmsg, "7,%u,0,-;%s\n", i, parts[i]);
	log = log_read(kmsg->str, &error);
	g_assert_no_error(error);
	return log;
}

static void assert_group(const struct domain *domain, guint i, int id, const char *span,
			 const char *mask)
{
	const struct domain_group *group = domain->groups->pdata[i];
	g_autofree char *span_list = cpus_to_list(group->span);
	g_autofree char *mask_list = group->mask ? cpus_to_list(group->mask) : NULL;

	g_assert_cmpint(group->id, ==, id);
	g_assert_cmpstr(span_list, ==, span);
	g_assert_cmpstr(mask_list, ==, mask);
}

/*
 * CPU 0 of the machine with the asymmetric SLIT of Granite Rapids' SNC3, two CPUs a node, as Linux
 * 6.12 prints it (the fault is described in Linux commit 4d6dd05d07d0).
 */
static const char snc3[] =
	"CPU0 attaching sched-domain(s):\n"
	" domain-0: span=0-1 level=MC\n"
	"  groups: 0:{ span=0 cap=1012 }, 1:{ span=1 }\n"
	"  domain-1: span=0-3 level=NUMA\n"
	"   groups: 0:{ span=0-1 cap=2036 }, 2:{ span=2-3 cap=2048 }\n"
	"   domain-2: span=0-5 level=NUMA\n"
	"    groups: 0:{ span=0-3 mask=0-1 cap=4084 }, 4:{ span=2-5 mask=4-5 cap=4093 }\n"
	"    domain-3: span=0-11 level=NUMA\n"
	"     groups: 0:{ span=0-7,10-11 mask=0-1 cap=10223 }\n"
	"ERROR: groups don't span domain->span\n"
	"root domain span: 0-11";

static void test_tree(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) log = lines_log(snc3);
	AUTO(domain_tree) *tree = sched_log_domains(log, &error);
	const struct domain *domain;
	g_autofree char *span = NULL;

	g_assert_no_error(error);
	g_assert_cmpuint(domain_tree_depth(tree, 0), ==, 4);
	domain = domain_tree_get(tree, 0, 2);
	span = cpus_to_list(domain->span);
	g_assert_cmpstr(span, ==, "0-5");
	g_assert_cmpstr(domain->name, ==, "NUMA");
	g_assert_cmpuint(domain->groups->len, ==, 2);
	assert_group(domain, 0, 0, "0-3", "0-1");
	assert_group(domain, 1, 4, "2-5", "4-5");
	domain = domain_tree_get(tree, 0, 0);
	g_assert_cmpstr(domain->name, ==, "MC");
	assert_group(domain, 0, 0, "0", NULL);
	assert_group(domain, 1, 1, "1", NULL);
	g_assert_cmpuint(domain_tree_get(tree, 0, 3)->groups->len, ==, 1);
}

/* Domains are rebuilt at run time; an isolated CPU ends with none. */
static void test_last_attach(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) log = lines_log("CPU0 attaching sched-domain(s):\n"
					     " domain-0: span=0-1 level=MC\n"
					     "  groups: 0:{ span=0 }, 1:{ span=1 }\n"
					     "CPU1 attaching sched-domain(s):\n"
					     " domain-0: span=0-1 level=MC\n"
					     "  groups: 1:{ span=1 }, 0:{ span=0 }\n"
					     "CPU0 attaching NULL sched-domain.\n"
					     "CPU1 attaching NULL sched-domain.\n"
					     "CPU0 attaching sched-domain(s):\n"
					     " domain-0: span=0,2 level=PKG\n"
					     "  groups: 0:{ span=0 }, 2:{ span=2 }");
	AUTO(domain_tree) *tree = sched_log_domains(log, &error);
	g_autofree char *span = NULL;
	g_autofree char *cpus = NULL;

	g_assert_no_error(error);
	cpus = cpus_to_list(domain_tree_cpus(tree));
	g_assert_cmpstr(cpus, ==, "0-1");
	g_assert_cmpuint(domain_tree_depth(tree, 0), ==, 1);
	g_assert_cmpuint(domain_tree_depth(tree, 1), ==, 0);
	g_assert_cmpstr(domain_tree_get(tree, 0, 0)->name, ==, "PKG");
	span = cpus_to_list(domain_tree_get(tree, 0, 0)->span);
	g_assert_cmpstr(span, ==, "0,2");
}

/* sched_domain_debug_one() leaves a list that has an empty group, and says so. */
static void test_short_groups(void)
{
	static const char *const texts[] = {
		"CPU0 attaching sched-domain(s):\n domain-0: span=0-1 level=MC\n"
		"  groups: 0:{ span=0 },\nERROR: empty group",
		"CPU0 attaching sched-domain(s):\n domain-0: span=0-1 level=MC\n"
		"  groups:\nERROR: group is NULL",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) log = lines_log(texts[i]);
		AUTO(domain_tree) *tree = sched_log_domains(log, &error);

		g_assert_no_error(error);
		g_assert_cmpuint(domain_tree_depth(tree, 0), ==, 1);
	}
}

static void test_no_tree(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) log = lines_log("CPU0 attaching something else\nCPU1: thread -1");

	g_assert_null(sched_log_domains(log, &error));
	g_assert_no_error(error);
}

static void test_malformed_tree(void)
{
	static const char *const lines[] = {
		" domain-1: span=0-1 level=MC",
		" domain-0: span=0-1",
		" domain-0: ",
		" domain-0: span= level=MC",
		" domain-0: span=1-0 level=MC",
		" domain-0: span=0-9999 level=MC",
		" domain-0: span=0-1 level=",
		" domain-0: span=0-1 level=MC more",
		"  groups: 0:{ span=0 }",
		" domain-0: span=0-1 level=MC\n  groups: 0:{ span=0 },",
		" domain-0: span=0-1 level=MC\n  groups: 0:{ span=0",
		" domain-0: span=0-1 level=MC\n  groups:",
		" domain-0: span=0-1 level=MC\n  groups: 0:{ span=0 } 1:{ span=1 }",
		" domain-0: span=0-1 level=MC\n  groups: 0:{ span=0 mask= }",
		" domain-0: span=0-1 level=MC\n  groups: 0:{ span=0 cap= }",
		" domain-0: span=0-1 level=MC\n  groups: 9999:{ span=0 }",
		" domain-0: span=0-1 level=MC\n  groups: 0:{ span=x }",
		" domain-0: span=0 level=MC\n  groups: 0:{ span=0 }\n  groups: 0:{ span=0 }",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autofree char *text =
			g_strdup_printf("CPU0 attaching sched-domain(s):\n%s\nend", lines[i]);
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) log = lines_log(text);

		if (sched_log_domains(log, &error))
			g_error("accepted: '%s'", lines[i]);
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	}
}

/* Lines of healthy boots: Debian's 6.12 and 7.3, and what user programs make the kernel say. */
static void test_healthy(void)
{
	g_autoptr(GPtrArray) log = lines_log(
		"Speculative Return Stack Overflow: WARNING: See "
		"https://kernel.org/doc/html/latest/admin-guide/hw-vuln/srso.html for mitigation "
		"options.\n"
		"Spectre V2 : WARNING: Unprivileged eBPF is enabled\n"
		"traps: init[1] general protection fault ip:401000 sp:7ffc0 error:0 in init\n"
		"init[1]: segfault at 0 ip 0000000000401000 sp 00007ffc0 error 4\n"
		"ACPI Error: AE_NOT_FOUND\n"
		"x86/fpu: x87 FPU will use FXSAVE\n"
		"Kernel command line: console=ttyS0 panic=-1 oops=panic\n"
		"Key type .fscrypt registered\n"
		"RAS: Correctable Errors collector initialized.\n"
		"pci 0000:00:1f.0: [8086:2918] type 00 class 0x060100\n"
		"Dynamic Preempt: voluntary\n"
		"tsc: Fast TSC calibration failed\n"
		"=== end ===\n"
		"debug: unmapping init [mem 0x0-0x1]");
	g_autoptr(GPtrArray) splats = observe_splats(log);

	g_assert_cmpuint(splats->len, ==, 0);
}

static void test_splats(void)
{
	static const char *const lines[] = {
		"BUG: kernel NULL pointer dereference, address: 0000000000000008",
		"BUG: arch topology borken",
		"Oops: Oops: 0000 [#1] PREEMPT SMP NOPTI",
		"invalid opcode: 0000 [#1] PREEMPT SMP NOPTI",
		"divide error: 0000 [#12] SMP",
		"general protection fault, probably for non-canonical address 0xdead: 0000 [#1]",
		"kernel BUG at kernel/sched/core.c:1234!",
		"unchecked MSR access error: RDMSR from 0x1b1 at rIP: 0xffffffff81000000",
		"Kernel panic - not syncing: Attempted to kill init! exitcode=0x0000000b",
		"ERROR: groups don't span domain->span",
		"ERROR: Node-distance not symmetric",
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autofree char *text = g_strdup_printf("before\n%s\nafter", lines[i]);
		g_autoptr(GPtrArray) log = lines_log(text);
		g_autoptr(GPtrArray) splats = observe_splats(log);

		if (splats->len != 1 || splats->pdata[0] != log->pdata[1])
			g_error("not found: '%s'", lines[i]);
	}
}

/* The line below a cut or a frame says what happened. */
static void test_splat_frames(void)
{
	static const struct {
		const char *text, *splat;
	} cases[] = {
		{"------------[ cut here ]------------\n"
		 "WARNING: CPU: 0 PID: 1 at kernel/sched/topology.c:2414 "
		 "build_sched_domains+0x1/0x2",
		 "WARNING: CPU: 0 PID: 1 at kernel/sched/topology.c:2414 "
		 "build_sched_domains+0x1/0x2"},
		{"------------[ cut here ]------------\nkernel BUG at mm/slub.c:1!",
		 "kernel BUG at mm/slub.c:1!"},
		{"======================================================\n"
		 "WARNING: possible circular locking dependency detected",
		 "WARNING: possible circular locking dependency detected"},
		{"------------[ cut here ]------------", "------------[ cut here ]------------"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GPtrArray) log = lines_log(cases[i].text);
		g_autoptr(GPtrArray) splats = observe_splats(log);

		g_assert_cmpuint(splats->len, ==, 1);
		g_assert_cmpstr(((struct kernel_message *)splats->pdata[0])->text, ==,
				cases[i].splat);
	}
}

/*
 * Richard W.M. Jones, LKML, 5 July 2023, "Re: qemu-x86_64 booting with 8.0.0 stil see int3: when
 * running LTP tracing testing", on a 6.4 in an emulated guest: the byte before the marked one is
 * the 0x66 of the no-op that the breakpoint had made place for.
 */
#define STALE_INT3                                                                                 \
	"int3: 0000 [#1] PREEMPT SMP NOPTI\n"                                                      \
	"CPU: 3 PID: 1 Comm: swapper/0 Not tainted 6.4.0-10173-ga901a3568fd2 #8\n"                 \
	"RIP: 0010:__mod_timer+0x1c3/0x370\n"
#define STALE_CODE                                                                                 \
	"Code: 00 00 41 bd ff ff ff ff 31 d2 4c 89 f6 4c 89 ff e8 f2 ef ff ff 41 89 c4 85 c0 75 "  \
	"09 83 e3 01 0f 85 54 ff ff ff 41 8b 4f 20 66 <90> f7 c1 00 00 10 00 0f 84 23 01 00 00\n"

static void test_stale_breakpoint(void)
{
	static const struct {
		const char *text;
		bool stale;
	} cases[] = {
		{STALE_INT3 STALE_CODE, true},
		/* die() in arch/x86/kernel/dumpstack.c says "Oops: " since 6.10 */
		{"Oops: " STALE_INT3 STALE_CODE, true},
		{STALE_INT3 "Code: 8b 4f 20 cc <90> f7 c1\n" STALE_CODE, false},
		{STALE_INT3 "Code: 8b 4f 20 66 90\n", false},
		{STALE_INT3 "Code: <90> f7\n", false},
		{STALE_INT3 "Code: Bad RIP value.\n", false},
		{STALE_INT3, false},
		{STALE_CODE, false},
		{"Oops: 0002 [#1] PREEMPT SMP NOPTI\n" STALE_CODE, false},
		{"BUG: int3: 0000 [#1\n" STALE_CODE, false},
		{"BUG: arch topology borken\n" STALE_INT3 STALE_CODE, true},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GPtrArray) log = lines_log(cases[i].text);

		if ((observe_stale_breakpoint(log) != NULL) != cases[i].stale)
			g_error("case %u: %s", i, cases[i].text);
	}
}

static void test_table_upgrade(void)
{
	g_autoptr(GPtrArray) log =
		lines_log("ACPI: Table Upgrade: override [APIC-BOCHS -BXPC    ]\n"
			  "ACPI: Table Upgrade: install [SRAT-BOCHS -BXPC    ]\n"
			  "XACPI: Table Upgrade: override [SLIT-BOCHS -BXPC    ]");

	g_assert_true(observe_table_upgraded(log, "APIC"));
	g_assert_false(observe_table_upgraded(log, "SRAT"));
	g_assert_false(observe_table_upgraded(log, "SLIT"));
	g_assert_true(observe_table_installed(log, "SRAT"));
	g_assert_false(observe_table_installed(log, "APIC"));
}

/* arch/x86/kernel/cpu/hypervisor.c */
static void test_hypervisor(void)
{
	g_autoptr(GPtrArray) kvm = lines_log("Linux version 6.12.117\nHypervisor detected: KVM");
	g_autoptr(GPtrArray) tcg = lines_log("Linux version 6.12.117\nkvm: Hypervisor detected: x");

	g_assert_true(observe_hypervisor(kvm));
	g_assert_false(observe_hypervisor(tcg));
}

static void test_console(void)
{
	static const char text[] = "SeaBIOS (version 1.16)\r\n"
				   "[    0.000000] Linux version 6.12.117\r\n"
				   "[   12.345678][    T1] Kernel panic - not syncing: x\r\n"
				   "[broken\n"
				   "last";
	static const char *const texts[] = {"SeaBIOS (version 1.16)",
					    "Linux version 6.12.117",
					    "Kernel panic - not syncing: x",
					    "[broken",
					    "last",
					    NULL};
	g_autoptr(GPtrArray) log = observe_console(text, sizeof(text) - 1);
	g_autoptr(GPtrArray) splats = observe_splats(log);
	g_autoptr(GPtrArray) empty = observe_console("", 0);

	assert_messages(log, texts);
	g_assert_cmpuint(((struct kernel_message *)log->pdata[2])->usec, ==, 12345678);
	g_assert_cmpuint(splats->len, ==, 1);
	g_assert_cmpuint(empty->len, ==, 0);
}

/* NULs, wherever they stand, neither end a line nor hide what it says. */
static void test_console_nul(void)
{
	static const char text[] = "a\0b\r\n"
				   "\0\0BUG: x\r\n"
				   "[    1.000000] \0Kernel panic - not syncing: y\n"
				   "\0";
	static const char *const texts[] = {"ab", "BUG: x", "Kernel panic - not syncing: y", "",
					    NULL};
	g_autoptr(GPtrArray) log = observe_console(text, sizeof(text) - 1);
	g_autoptr(GPtrArray) splats = observe_splats(log);

	assert_messages(log, texts);
	g_assert_cmpuint(splats->len, ==, 2);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/log/stale-breakpoint", test_stale_breakpoint);
	g_test_add_func("/log/records", test_records);
	g_test_add_func("/log/lost", test_lost);
	g_test_add_func("/log/malformed", test_malformed);
	g_test_add_func("/log/escapes", test_escapes);
	g_test_add_func("/log/continuation", test_continuation);
	g_test_add_func("/log/interrupted", test_interrupted);
	g_test_add_func("/log/plain-continuation", test_plain_continuation);
	g_test_add_func("/log/tree", test_tree);
	g_test_add_func("/log/last-attach", test_last_attach);
	g_test_add_func("/log/short-groups", test_short_groups);
	g_test_add_func("/log/no-tree", test_no_tree);
	g_test_add_func("/log/malformed-tree", test_malformed_tree);
	g_test_add_func("/log/healthy", test_healthy);
	g_test_add_func("/log/splats", test_splats);
	g_test_add_func("/log/splat-frames", test_splat_frames);
	g_test_add_func("/log/table-upgrade", test_table_upgrade);
	g_test_add_func("/log/hypervisor", test_hypervisor);
	g_test_add_func("/log/console", test_console);
	g_test_add_func("/log/console-nul", test_console_nul);
	return g_test_run();
}
