/* SPDX-License-Identifier: GPL-2.0-only */
/* Whole results for reports: one of every kind. */
#ifndef TEST_REPORT_PAGES_H
#define TEST_REPORT_PAGES_H

#include "test_report_help.h"

static inline void result_release(gpointer result)
{
	result_free(result);
}

static inline struct result *passed(void)
{
	struct result *result = some_result("quad", "debian-6.12");

	add_check(result, "guest.ending", VERDICT_PASS, "the guest powered itself off");
	add_check(result, "guest.cpuid", VERDICT_PASS, "69 values of CPUID compared");
	add_check(result, "domains.rules", VERDICT_PASS, "48 domains compared");
	add_check(result, "invariants.meet", VERDICT_PASS, "16 online CPUs compared");
	result->judgement->observed = tree_of_scx_1434();
	return result;
}

static inline struct result *failed(void)
{
	struct result *result = passed();
	struct check check = {
		.name = "domains.rules",
		.verdict = VERDICT_FAIL,
		.cpu = 4,
		.level = 1,
		.cpus = "4-7,12",
		.expected = "4-7",
		.observed = "0-15",
		.rule = "MC: x86_topology, cpu_coregroup_mask() (6.7 and later)",
		.reason = "MC spans other CPUs than the machine asks for",
		.evidence = "proc/schedstat",
	};

	replace_set(&domain_tree_get(result->judgement->observed, 4, 1)->span, "0-15");
	checks_add(result->judgement->checks, &check);
	check.observed = "1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,45,47,49,"
			 "51,53,55,57,59,61,63";
	check.cpus = NULL;
	checks_add(result->judgement->checks, &check);
	return result;
}

/* A guest may print anything; none of it may move the reader's cursor. */
static inline struct result *broken(void)
{
	struct result *result = some_result("quad", "./my\033[31mImage");

	result->kernel_package = (g_free(result->kernel_package), NULL);
	result->ending = ENDING_DIED;
	result->accel = (g_free(result->accel), g_strdup("kvm"));
	result->qemu = (g_free(result->qemu), NULL);
	result->libvirt = (g_free(result->libvirt), NULL);
	result->boot_ms = -1;
	add_check(result, "guest.ending", VERDICT_ERROR,
		  "QEMU or libvirt died: \033]0;owned\007 \xff\xfe and \xc3\xa9");
	return result;
}

/* Names and spans that do not fit their columns. */
static inline struct result *wide(void)
{
	struct result *result = some_result("odd", "custom");

	result->boots = 2;
	add_check(result, "guest.ending", VERDICT_PASS, "the guest powered itself off");
	result->judgement->observed = domain_tree_new();
	add_domain(result->judgement->observed, 0, "SOMETHING", -1, "0-3", NULL, NULL);
	add_domain(result->judgement->observed, 0, "NUMA", -1,
		   "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46", FLAGS_NUMA,
		   NULL);
	add_domain(result->judgement->observed, 1, "SMT", -1, "0-1",
		   "SD_BALANCE_NEWIDLE SD_BALANCE_EXEC SD_BALANCE_FORK SD_WAKE_AFFINE "
		   "SD_SHARE_CPUCAPACITY SD_SHARE_PKG_RESOURCES SD_PREFER_SIBLING",
		   NULL);
	domain_tree_touch(result->judgement->observed, 2);
	return result;
}

/* Checks that this kernel or host cannot give, and a situation that never came about. */
static inline struct result *skipped(void)
{
	struct result *result = some_result("quad", "old");

	add_check(result, "guest.table-upgrade", VERDICT_SKIP,
		  "the kernel lacks CONFIG_ACPI_TABLE_UPGRADE # TODO \\ and more");
	add_check(result, "kernel.stalls", VERDICT_TIMEOUT, "no byte for 30 s");
	add_check(result, "wakeup.idle-core", VERDICT_INVALID, NULL);
	add_check(result, "one # TODO two", VERDICT_PASS, "<![CDATA[ \"&amp;' ]]>");
	return result;
}

/* A guest that stood still, and where. */
static inline struct result *stalled(void)
{
	struct result *result = some_result("quad", "linux");

	result->boot_ms = -1;
	result->ending = ENDING_STALLED;
	result->look = look_new();
	result->look->console_bytes = 24374;
	look_note(result->look, LOOK_REGISTERS, NULL);
	look_note(result->look, LOOK_SYSRQ_L, NULL);
	look_note(result->look, LOOK_SYSRQ_W, "the kernel did not \033[2J answer");
	result->traced = 37;
	look_add_place(result->look, &(struct look_place){
					     .vcpus = (char[]){"0"},
					     .where = (char[]){"build_sched_domains+0x2a4"},
					     .source = (char[]){"kernel/sched/topology.c:2477"},
				     });
	look_add_place(result->look, &(struct look_place){
					     .vcpus = (char[]){"1-3"},
					     .where = (char[]){"pv_native_safe_halt+0xf"},
					     .source = (char[]){"arch/x86/kernel/paravirt.c:127"},
					     .state = (char[]){"halted"},
				     });
	add_check(result, "guest.ending", VERDICT_TIMEOUT,
		  "the kernel spoke, then made no progress: no byte came from the guest for 60 "
		  "seconds");
	return result;
}

/* A job of which nothing is known but that it was asked for. */
static inline struct result *unjudged(void)
{
	return some_result("quad", "debian-6.12");
}

#endif
