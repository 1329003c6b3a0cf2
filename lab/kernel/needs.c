// SPDX-License-Identifier: GPL-2.0-only
#include "kernel/needs.h"

#include "base/names.h"

ENUM_NAMES(need_cost, NEED_COUNT, [NEED_VERDICT] = "no verdict", [NEED_MACHINES] = "machines",
	   [NEED_DOMAINS] = "domains", [NEED_SPEED] = "speed")

#define NO_START    "the kernel does not start the agent"
#define NO_CONSOLE  "nothing is seen of a kernel that complains or dies"
#define NO_TOPOLOGY "the kernel does not read the machine's topology"
#define NO_WIDE	    "no machine with APIC ids above 254, such as nps4, genoa-nps4 and hbv3"

/* Kconfig files of 6.1, 6.12 and 7.3. In the order of their weight. */
static const struct kernel_need needs[] = {
	/* to start, and to be heard */
	{.symbol = "64BIT", .cost = NEED_VERDICT, .sentence = "the agent is a 64-bit program"},
	{.symbol = "BINFMT_ELF", .cost = NEED_VERDICT, .sentence = NO_START},
	{.symbol = "BLK_DEV_INITRD", .cost = NEED_VERDICT, .sentence = NO_START},
	{.symbol = "RD_GZIP", .cost = NEED_VERDICT, .sentence = NO_START},
	{.symbol = "DEVTMPFS",
	 .cost = NEED_VERDICT,
	 .sentence = "the agent finds no port over which to send the evidence"},
	{.symbol = "PRINTK", .cost = NEED_VERDICT, .sentence = NO_CONSOLE},
	{.symbol = "TTY", .cost = NEED_VERDICT, .sentence = NO_CONSOLE},
	{.symbol = "SERIAL_8250", .cost = NEED_VERDICT, .sentence = NO_CONSOLE},
	{.symbol = "SERIAL_8250_CONSOLE", .cost = NEED_VERDICT, .sentence = NO_CONSOLE},
	/* to have CPUs and nodes */
	{.symbol = "SMP", .cost = NEED_VERDICT, .sentence = "one CPU has no domains"},
	{.symbol = "ACPI", .cost = NEED_VERDICT, .sentence = NO_TOPOLOGY},
	{.symbol = "CPU_SUP_AMD", .cost = NEED_MACHINES, .sentence = "no machine of AMD's"},
	{.symbol = "CPU_SUP_INTEL", .cost = NEED_MACHINES, .sentence = "no machine of Intel's"},
	/* for the evidence */
	{.symbol = "PROC_FS", .cost = NEED_VERDICT, .sentence = "there is no evidence"},
	{.symbol = "SYSFS", .cost = NEED_VERDICT, .sentence = "there is no evidence"},
	{.symbol = "DEBUG_FS",
	 .cost = NEED_VERDICT,
	 .sentence = "names, flags and levels of domains are not seen"},
	/* Since 6.15 what it did is always there: commit b52173065e0a. */
	{.symbol = "SCHED_DEBUG",
	 .until = KERNEL_VERSION_OF(6, 15, 0),
	 .cost = NEED_VERDICT,
	 .sentence = "names, flags and groups of domains are not seen"},
	{.symbol = "ACPI_TABLE_UPGRADE",
	 .cost = NEED_MACHINES,
	 .sentence = "no machine whose CPUs firmware numbers otherwise than QEMU, or that has "
		     "empty positions"},
	{.symbol = "X86_X2APIC", .cost = NEED_MACHINES, .sentence = NO_WIDE},
	{.symbol = "IRQ_REMAP", .cost = NEED_MACHINES, .sentence = NO_WIDE},
	{.symbol = "INTEL_IOMMU", .cost = NEED_MACHINES, .sentence = NO_WIDE},
	{.symbol = "NR_CPUS",
	 .least = 384,
	 .cost = NEED_MACHINES,
	 .sentence = "machines with more CPUs are skipped; genoa-nps4 has 384"},
	{.symbol = "NUMA", .cost = NEED_DOMAINS, .sentence = "no NUMA domains and no nodes"},
	{.symbol = "ACPI_NUMA", .cost = NEED_DOMAINS, .sentence = "no NUMA domains and no nodes"},
	{.symbol = "SCHED_SMT", .cost = NEED_DOMAINS, .sentence = "no SMT domains"},
	{.symbol = "SCHED_MC", .cost = NEED_DOMAINS, .sentence = "no MC domains, so no LLCs"},
	/* x86 has it since 5.16: commit 66558b730f25. */
	{.symbol = "SCHED_CLUSTER",
	 .since = KERNEL_VERSION_OF(5, 16, 0),
	 .cost = NEED_DOMAINS,
	 .sentence = "no CLS domains"},
	{.symbol = "SCHEDSTATS",
	 .cost = NEED_SPEED,
	 .sentence = "spans come from the verbose log alone, without a second source"},
	{.symbol = "VIRTIO_PCI",
	 .cost = NEED_SPEED,
	 .sentence = "the evidence takes the slower second serial port"},
	{.symbol = "VIRTIO_CONSOLE",
	 .cost = NEED_SPEED,
	 .sentence = "the evidence takes the slower second serial port"},
	{.symbol = "KVM_GUEST",
	 .cost = NEED_SPEED,
	 .sentence = "under KVM spinning vCPUs wait for others that do not run"},
};

char *kernel_config_version(const char *text)
{
	/* "# Linux/$ARCH ...": x86_64 where make was told ARCH=x86_64. */
	static const char before[] = "# Linux/x86", behind[] = " Kernel Configuration";
	const char *version = strstr(text, before);
	const char *end;

	if (!version)
		return NULL;
	version += strlen(before);
	if (g_str_has_prefix(version, "_64"))
		version += strlen("_64");
	if (*version++ != ' ')
		return NULL;
	end = strpbrk(version, " \n");
	return end && g_str_has_prefix(end, behind) ? g_strndup(version, (gsize)(end - version))
						    : NULL;
}

static bool need_applies(const struct kernel_need *need, unsigned version)
{
	return version >= need->since && (!need->until || version < need->until);
}

static bool need_is_met(const struct kernel_need *need, const struct kernel_facts *facts)
{
	const char *value = kernel_facts_config(facts, need->symbol);

	if (need->least)
		return value && g_ascii_strtoull(value, NULL, 10) >= need->least;
	return g_strcmp0(value, "y") == 0;
}

GPtrArray *kernel_needs_unmet(const struct kernel_facts *facts)
{
	GPtrArray *unmet = g_ptr_array_new();
	unsigned version = kernel_facts_version(facts);

	for (enum need_cost cost = 0; cost < NEED_COUNT; cost++)
		for (gsize i = 0; i < G_N_ELEMENTS(needs); i++)
			if (needs[i].cost == cost && need_applies(&needs[i], version) &&
			    !need_is_met(&needs[i], facts))
				g_ptr_array_add(unmet, (gpointer)(guintptr)&needs[i]);
	return unmet;
}
