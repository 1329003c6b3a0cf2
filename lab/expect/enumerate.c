// SPDX-License-Identifier: GPL-2.0-only
#include "expect/enumerate.h"

#include "base/error.h"
#include "expect/versions.h"

/* ACPI 6.5, 5.2.12.12: where there are type 0 entries those of type 9 are for ids from here on. */
#define FIRST_X2APIC_ID 255

/* The first version whose FACP has the flag Online Capable, acpi_parse_madt(). */
#define ONLINE_CAPABLE_REVISION 6u
#define ONLINE_CAPABLE_MINOR	3u

/* Is an entry worth a CPU? acpi_is_processor_usable(), arch/x86/kernel/acpi/boot.c */
typedef bool (*usable_function)(const struct enumerate_input *input,
				const struct topo_madt_entry *entry);

static bool has_online_capable(const struct topo_facp *facp)
{
	return facp->revision > ONLINE_CAPABLE_REVISION ||
	       (facp->revision == ONLINE_CAPABLE_REVISION && facp->minor >= ONLINE_CAPABLE_MINOR);
}

/*
 * fed8d8773b8e (6.3, 6.1.20): before ACPI 6.3 every entry may be plugged in. Debian's 6.1 has it,
 * whose name says nothing of its patch level.
 */
static bool usable_unless_said(const struct enumerate_input *input,
			       const struct topo_madt_entry *entry)
{
	return entry->enabled || !has_online_capable(&input->facp) || entry->online_capable;
}

/* 4368a3b96c42 (7.0, 6.12.77): only a hypervisor's entries may, when firmware cannot say. */
static bool usable_in_guests(const struct enumerate_input *input,
			     const struct topo_madt_entry *entry)
{
	if (entry->enabled)
		return true;
	return has_online_capable(&input->facp) ? entry->online_capable : input->hypervisor_known;
}

static const struct usable_row {
	struct versions versions;
	usable_function usable;
} usable_rows[] = {
	{{RELEASE(6, 1), KERNEL_VERSION_OF(6, 12, 77)}, usable_unless_said},
	{{KERNEL_VERSION_OF(6, 12, 77), RELEASE(6, 13)}, usable_in_guests},
	{{RELEASE(6, 13), RELEASE(7, 0)}, usable_unless_said},
	{{RELEASE(7, 0), 0}, usable_in_guests},
};

/* The entries that a kernel registers, in its order. acpi_parse_madt_lapic_entries() */
enum order {
	ORDER_TABLE,	   /* all, as the table lists them */
	ORDER_LAPIC_FIRST, /* those of type 0, then those of type 9 that ACPI wants to be such */
	ORDER_TABLE_SANE,  /* as the table lists them, without those of type 9 that ACPI does not */
};

/*
 * ec9aedb2aa1a (6.7) and 0141978ae75b (6.14, 6.12.14). Of 6.13 only the first releases are known.
 */
static const struct order_row {
	struct versions versions;
	enum order order;
} order_rows[] = {
	{{RELEASE(6, 1), RELEASE(6, 7)}, ORDER_TABLE},
	{{RELEASE(6, 7), KERNEL_VERSION_OF(6, 12, 14)}, ORDER_LAPIC_FIRST},
	{{KERNEL_VERSION_OF(6, 12, 14), RELEASE(6, 13)}, ORDER_TABLE_SANE},
	{{RELEASE(6, 13), RELEASE(6, 14)}, ORDER_LAPIC_FIRST},
	{{RELEASE(6, 14), 0}, ORDER_TABLE_SANE},
};

/* How CPUs are registered. */
struct registry {
	const struct enumerate_input *input;
	GArray *present;    /* struct topo_madt_entry by Linux's number; the boot CPU is first */
	GArray *absent;	    /* struct topo_madt_entry, each once */
	unsigned n_counted; /* present ones, as this kernel counts them */
	unsigned n_absent;  /* absent ones, as every kernel counts them */
	bool first_is_boot_cpu; /* the first entry is rejected if it is another CPU */
	bool started;
};

/* Short but for duplicates and absent CPUs, so a walk will do. */
static bool list_has(const GArray *list, guint32 apic_id)
{
	for (guint i = 0; i < list->len; i++)
		if (g_array_index(list, struct topo_madt_entry, i).apic_id == apic_id)
			return true;
	return false;
}

static void registry_add(struct registry *registry, const struct topo_madt_entry *entry)
{
	bool is_first = !registry->started;

	registry->started = true;
	if (is_first && registry->first_is_boot_cpu &&
	    entry->apic_id != registry->input->boot_apic_id)
		return;
	if (!entry->enabled) {
		registry->n_absent++;
		if (!list_has(registry->absent, entry->apic_id))
			g_array_append_val(registry->absent, *entry);
		return;
	}
	registry->n_counted++;
	/* allocate_logical_cpuid() of 6.x, topo_get_cpunr() since 6.9: an id keeps its number. */
	if (!list_has(registry->present, entry->apic_id))
		g_array_append_val(registry->present, *entry);
}

/* The number 0 is the boot CPU's, wherever it is listed. */
static void registry_add_boot_cpu(struct registry *registry)
{
	const struct enumerate_input *input = registry->input;

	for (unsigned i = 0; i < input->n_entries; i++) {
		if (input->entries[i].apic_id != input->boot_apic_id)
			continue;
		g_array_append_val(registry->present, input->entries[i]);
		return;
	}
}

static bool has_lapic_cpus(const struct enumerate_input *input, usable_function usable)
{
	for (unsigned i = 0; i < input->n_entries; i++)
		if (!input->entries[i].x2apic && usable(input, &input->entries[i]))
			return true;
	return false;
}

static void registry_add_types(struct registry *registry, usable_function usable, bool lapic,
			       bool x2apic, bool sane)
{
	const struct enumerate_input *input = registry->input;
	bool narrow = sane && has_lapic_cpus(input, usable);

	for (unsigned i = 0; i < input->n_entries; i++) {
		const struct topo_madt_entry *entry = &input->entries[i];

		if (!(entry->x2apic ? x2apic : lapic) || !usable(input, entry))
			continue;
		if (entry->x2apic && narrow && entry->apic_id < FIRST_X2APIC_ID)
			continue;
		registry_add(registry, entry);
	}
}

static void registry_fill(struct registry *registry, enum order order, usable_function usable)
{
	registry_add_boot_cpu(registry);
	switch (order) {
	case ORDER_TABLE:
		registry_add_types(registry, usable, true, true, false);
		break;
	case ORDER_LAPIC_FIRST:
		registry_add_types(registry, usable, true, false, true);
		registry_add_types(registry, usable, false, true, true);
		break;
	case ORDER_TABLE_SANE:
		registry_add_types(registry, usable, true, true, true);
		break;
	}
}

/* How many CPUs are possible, and which numbers those get that are not there. */
typedef void (*possible_function)(const struct registry *registry, struct enumeration *enumeration);

static int compare_apic_ids(const void *a, const void *b)
{
	const struct topo_madt_entry *left = a, *right = b;

	return left->apic_id < right->apic_id ? -1 : left->apic_id > right->apic_id;
}

static void enumeration_size(struct enumeration *enumeration, const struct registry *registry,
			     unsigned n_possible)
{
	enumeration->n_present = registry->present->len;
	enumeration->n_possible = n_possible;
	enumeration->position = g_new(int, n_possible);
	for (unsigned i = 0; i < n_possible; i++)
		enumeration->position[i] =
			i < registry->present->len
				? (int)g_array_index(registry->present, struct topo_madt_entry, i)
					  .vcpu
				: -1;
}

static bool is_added(const struct registry *registry, const struct topo_madt_entry *entry)
{
	return registry->input->there && cpus_has(registry->input->there, entry->vcpu) &&
	       !list_has(registry->present, entry->apic_id);
}

/*
 * prefill_possible_map(), smpboot.c of 6.1: generic_processor_info() counts an id that is listed
 * twice twice. Numbers are given when CPUs are added, acpi_map_cpu(): first to those that ACPI
 * finds in the DSDT, where QEMU lists them by APIC id.
 */
static void possible_by_count(const struct registry *registry, struct enumeration *enumeration)
{
	unsigned next = registry->present->len;

	enumeration_size(enumeration, registry, registry->n_counted + registry->n_absent);
	for (guint i = 0; i < registry->absent->len; i++) {
		const struct topo_madt_entry *entry =
			&g_array_index(registry->absent, struct topo_madt_entry, i);

		if (is_added(registry, entry))
			enumeration->position[next++] = (int)entry->vcpu;
	}
	enumeration->n_added = next - registry->present->len;
}

/* topology_init_possible_cpus(), topology.c: absent CPUs are numbered by their APIC ids. */
static void possible_by_apic_id(const struct registry *registry, struct enumeration *enumeration)
{
	unsigned next = registry->present->len;

	enumeration_size(enumeration, registry, next + registry->n_absent);
	for (guint i = 0; i < registry->absent->len; i++) {
		const struct topo_madt_entry *entry =
			&g_array_index(registry->absent, struct topo_madt_entry, i);

		if (list_has(registry->present, entry->apic_id))
			continue;
		enumeration->n_added += is_added(registry, entry);
		enumeration->position[next++] = (int)entry->vcpu;
	}
}

/* 6.9 has topology.c; 6.8 and before are as 6.1. */
static const struct possible_row {
	struct versions versions;
	possible_function possible;
	/*
	 * check_for_real_bsp(): a boot CPU that is not listed first meant a crash kernel, which
	 * must not start the one that is; 9d22c96316ac (6.10) asks the CPU.
	 */
	bool first_is_boot_cpu;
} possible_rows[] = {
	{{RELEASE(6, 1), RELEASE(6, 9)}, possible_by_count, false},
	{{RELEASE(6, 9), RELEASE(6, 10)}, possible_by_apic_id, true},
	{{RELEASE(6, 10), 0}, possible_by_apic_id, false},
};

/*
 * As ACPI wants it: the boot CPU first, each CPU once and enabled, in an entry of its type; and
 * none of type 0 behind one of type 9, of which some kernels change the order.
 */
static bool is_plain(const struct enumerate_input *input)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
	bool x2apic = false;

	for (unsigned i = 0; i < input->n_entries; i++) {
		const struct topo_madt_entry *entry = &input->entries[i];

		if (!entry->enabled || entry->x2apic != (entry->apic_id >= FIRST_X2APIC_ID) ||
		    (x2apic && !entry->x2apic) ||
		    !g_hash_table_add(seen, GUINT_TO_POINTER(entry->apic_id)))
			return false;
		x2apic = entry->x2apic;
	}
	return input->n_entries && input->entries[0].apic_id == input->boot_apic_id;
}

#define FIND_ROW(rows, version) find_row(rows, sizeof(rows[0]), G_N_ELEMENTS(rows), version)

/* Each row begins with its versions. NULL: none of @n holds for @version. */
static const void *find_row(const void *rows, gsize size, gsize n, unsigned version)
{
	const char *row = rows;

	for (gsize i = 0; i < n; i++, row += size) {
		const void *versions = row;

		if (versions_have(versions, version))
			return row;
	}
	return NULL;
}

/* Takes @enumeration over. Which number is whose would else hang on what is never there. */
static struct enumeration *enumeration_without_gaps(struct enumeration *enumeration,
						    const struct enumerate_input *input,
						    GError **error)
{
	for (unsigned i = 0; i < enumeration->n_added; i++) {
		if (cpus_has(input->there,
			     (unsigned)enumeration->position[enumeration->n_present + i]))
			continue;
		g_set_error(
			error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
			"CPU %u, which may be plugged in, is not there, but one after it is: no "
			"rule knows such numbers",
			enumeration->n_present + i);
		enumeration_free(enumeration);
		return NULL;
	}
	return enumeration;
}

struct enumeration *enumerate(const struct enumerate_input *input, GError **error)
{
	const struct usable_row *usable = FIND_ROW(usable_rows, input->version);
	const struct order_row *order = FIND_ROW(order_rows, input->version);
	const struct possible_row *possible = FIND_ROW(possible_rows, input->version);
	g_autoptr(GArray) present = g_array_new(FALSE, FALSE, sizeof(struct topo_madt_entry));
	g_autoptr(GArray) absent = g_array_new(FALSE, FALSE, sizeof(struct topo_madt_entry));
	struct registry registry = {.input = input, .present = present, .absent = absent};
	struct enumeration *enumeration;

	if (is_plain(input)) {
		/* No kernel has ever had a choice. */
		registry_fill(&registry, ORDER_TABLE, usable_unless_said);
		enumeration = g_new0(struct enumeration, 1);
		enumeration_size(enumeration, &registry, present->len);
		return enumeration;
	}
	if (!usable || !order || !possible) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_UNSUPPORTED,
			    "no rule knows how kernel %u.%u.%u enumerates the CPUs of such a MADT, "
			    "6.1 is the first that is known",
			    input->version >> 20, input->version >> 10 & 0x3ff,
			    input->version & 0x3ff);
		return NULL;
	}
	registry.first_is_boot_cpu = possible->first_is_boot_cpu;
	registry_fill(&registry, order->order, usable->usable);
	g_array_sort(absent, compare_apic_ids);
	enumeration = g_new0(struct enumeration, 1);
	possible->possible(&registry, enumeration);
	return enumeration_without_gaps(enumeration, input, error);
}

void enumeration_free(struct enumeration *enumeration)
{
	if (!enumeration)
		return;
	g_free(enumeration->position);
	g_free(enumeration);
}

struct enumeration *enumerate_machine(const struct topo *topo, unsigned version,
				      bool hypervisor_known, GError **error)
{
	struct enumerate_input input = {
		.facp = topo_facp(topo),
		.boot_apic_id = topo_apic_id_of_vcpu(topo, 0),
		.version = version,
		.hypervisor_known = hypervisor_known,
	};
	AUTO(cpus) *there = cpus_new();

	for (unsigned cpu = 0; cpu < topo_n_cpus(topo); cpu++)
		cpus_add(there, topo_cpu(topo, cpu)->vcpu);
	input.there = there;
	input.entries = topo_madt(topo, &input.n_entries);
	return enumerate(&input, error);
}

struct topo *enumeration_topo(const struct enumeration *enumeration, const struct topo *topo)
{
	unsigned n = enumeration->n_present + enumeration->n_added;
	g_autofree int *order = g_new(int, n);

	for (unsigned cpu = 0; cpu < n; cpu++)
		order[cpu] = topo_cpu_of_vcpu(topo, (unsigned)enumeration->position[cpu]);
	return topo_renumbered(topo, order, n, enumeration->n_added);
}
