// SPDX-License-Identifier: GPL-2.0-only
#include "observe/cpuid.h"

#include "base/error.h"
#include "observe/scan.h"
#include "topo/topo.h"

#include <string.h>

/* Thirteen plain leaves and six lists of at most 32 subleaves. */
#define LINES_MAX 256

struct cpuid_dump {
	GArray *leaves; /* struct cpuid_leaf */
};

void cpuid_dump_free(struct cpuid_dump *dump)
{
	if (!dump)
		return;
	g_array_unref(dump->leaves);
	g_free(dump);
}

const struct cpuid_leaf *cpuid_dump_find(const struct cpuid_dump *dump, guint32 leaf,
					 guint32 subleaf)
{
	for (guint i = 0; i < dump->leaves->len; i++) {
		const struct cpuid_leaf *found = &g_array_index(dump->leaves, struct cpuid_leaf, i);

		if (found->leaf == leaf && found->subleaf == subleaf)
			return found;
	}
	return NULL;
}

/* @n numbers with one blank between them. */
static bool scan_registers(const char **cursor, guint32 *registers, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if ((i && !scan_literal(cursor, " ")) || !scan_hex32(cursor, &registers[i]))
			return false;
	return true;
}

static bool leaf_parse(const char *line, struct cpuid_leaf *leaf)
{
	guint32 in[5], out[4]; /* mask, EAX to EDX; EAX to EDX */

	if (!scan_registers(&line, in, 5) || !scan_literal(&line, " => ") ||
	    !scan_registers(&line, out, 4) || *line || (in[0] != 1 && in[0] != 5))
		return false;
	*leaf = (struct cpuid_leaf){.leaf = in[1],
				    .subleaf = in[0] == 5 ? in[3] : 0,
				    .eax = out[0],
				    .ebx = out[1],
				    .ecx = out[2],
				    .edx = out[3]};
	return true;
}

struct cpuid_dump *cpuid_dump_parse(const char *text, const char *member, GError **error)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", LINES_MAX + 1);
	AUTO(cpuid_dump) *dump = g_new0(struct cpuid_dump, 1);

	dump->leaves = g_array_new(FALSE, FALSE, sizeof(struct cpuid_leaf));
	for (unsigned i = 0; lines[i]; i++) {
		struct cpuid_leaf leaf;

		if (*lines[i] == '#' || !*lines[i])
			continue;
		if (i >= LINES_MAX || !leaf_parse(lines[i], &leaf)) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "line %u of '%s' is not a CPUID leaf: '%.80s'", i + 1, member,
				    lines[i]);
			return NULL;
		}
		if (cpuid_dump_find(dump, leaf.leaf, leaf.subleaf)) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "'%s' holds CPUID leaf 0x%x, subleaf %u twice", member,
				    leaf.leaf, leaf.subleaf);
			return NULL;
		}
		g_array_append_val(dump->leaves, leaf);
	}
	return g_steal_pointer(&dump);
}

/* Intel SDM and AMD APM, CPUID 1 EAX: extended fields count only in these families. */
static void signature_decode(guint32 eax, bool intel, struct cpuid_identity *identity)
{
	unsigned family = eax >> 8 & 0xf, model = eax >> 4 & 0xf;

	if (family == 0xf || (intel && family == 6))
		model |= (eax >> 16 & 0xf) << 4;
	if (family == 0xf)
		family += eax >> 20 & 0xff;
	identity->family = (int)family;
	identity->model = (int)model;
	identity->stepping = (int)(eax & 0xf);
}

/* CPUID 0x80000001 ECX bit 22 */
static bool has_topoext(const struct cpuid_dump *dump)
{
	const struct cpuid_leaf *features = cpuid_dump_find(dump, 0x80000001, 0);

	return features && features->ecx >> 22 & 1;
}

/* AMD APM: 0x80000006 EDX is 0 without one. Intel SDM: leaf 4 EAX bits 5 to 7 are the level. */
static bool has_l3(const struct cpuid_dump *dump, bool intel)
{
	const struct cpuid_leaf *caches = cpuid_dump_find(dump, 0x80000006, 0);

	if (!intel)
		return caches && caches->edx;
	for (guint i = 0; i < dump->leaves->len; i++) {
		const struct cpuid_leaf *leaf = &g_array_index(dump->leaves, struct cpuid_leaf, i);

		if (leaf->leaf == 4 && (leaf->eax >> 5 & 7) == 3)
			return true;
	}
	return false;
}

/*
 * The widest APIC id that the CPU shows: 32 bits in leaf 0xB, else in AMD's 0x8000001E with
 * TOPOEXT (0x80000001 ECX bit 22), else 8 bits in leaf 1.
 */
static guint32 apic_id_find(const struct cpuid_dump *dump, const struct cpuid_leaf *leaf1)
{
	const struct cpuid_leaf *x2apic = cpuid_dump_find(dump, 0xb, 0);
	const struct cpuid_leaf *topoext = cpuid_dump_find(dump, 0x8000001e, 0);

	if (x2apic && x2apic->ebx)
		return x2apic->edx;
	if (topoext && has_topoext(dump))
		return topoext->eax;
	return leaf1->ebx >> 24;
}

bool cpuid_dump_identity(const struct cpuid_dump *dump, const char *member,
			 struct cpuid_identity *identity, GError **error)
{
	const struct cpuid_leaf *leaf0 = cpuid_dump_find(dump, 0, 0);
	const struct cpuid_leaf *leaf1 = cpuid_dump_find(dump, 1, 0);
	bool intel;

	if (!leaf0 || !leaf1) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "'%s' lacks CPUID leaf %d", member,
			    leaf0 ? 1 : 0);
		return false;
	}
	memcpy(identity->vendor, &leaf0->ebx, 4);
	memcpy(identity->vendor + 4, &leaf0->edx, 4);
	memcpy(identity->vendor + 8, &leaf0->ecx, 4);
	identity->vendor[12] = '\0';
	for (char *p = identity->vendor; *p; p++)
		if (!g_ascii_isprint(*p))
			*p = '?';
	intel = g_str_equal(identity->vendor, topo_vendor_name(TOPO_VENDOR_INTEL));
	signature_decode(leaf1->eax, intel, identity);
	identity->lacks = (intel || has_topoext(dump) ? 0 : 1u << TOPO_LACK_TOPOEXT) |
			  (has_l3(dump, intel) ? 0 : 1u << TOPO_LACK_L3);
	identity->apic_id = apic_id_find(dump, leaf1);
	return true;
}

static bool is_list_leaf(guint32 leaf)
{
	static const guint32 lists[] = {0x4, 0x7, 0xb, 0x1f, 0x8000001d, 0x80000026};

	for (unsigned i = 0; i < G_N_ELEMENTS(lists); i++)
		if (lists[i] == leaf)
			return true;
	return false;
}

static guint32 round_up_power(guint32 n)
{
	guint32 power = 1;

	while (power < n)
		power *= 2;
	return power;
}

/*
 * hwloc 2.9 reads leaf 0xB of an AMD CPU only when it has x2APIC (leaf 1 ECX bit 21), and otherwise
 * takes the core number of 0x8000001E, which QEMU counts within the die. Linux reads leaf 0xB
 * whenever it is there (cpu_parse_topology_ext()), and so shall hwloc.
 */
static void leaf1_adapt(const struct cpuid_dump *dump, struct cpuid_leaf *leaf)
{
	const struct cpuid_leaf *x2apic = cpuid_dump_find(dump, 0xb, 0);

	if (x2apic && x2apic->ebx)
		leaf->ecx |= 1u << 21;
}

/*
 * AMD APM volume 3, E.4.15: CPUs share a cache when their APIC ids shifted by the log2 of the
 * sharing count, rounded up, are equal. hwloc 2.9 rounds some counts and divides by others.
 */
static void cache_adapt(struct cpuid_leaf *leaf)
{
	guint32 sharing = (leaf->eax >> 14 & 0xfff) + 1;

	leaf->eax = (leaf->eax & ~(0xfffu << 14)) | ((round_up_power(sharing) - 1) & 0xfff) << 14;
}

char *cpuid_dump_for_hwloc(const struct cpuid_dump *dump)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < dump->leaves->len; i++) {
		struct cpuid_leaf leaf = g_array_index(dump->leaves, struct cpuid_leaf, i);

		if (leaf.leaf == 1)
			leaf1_adapt(dump, &leaf);
		else if (leaf.leaf == 0x8000001d)
			cache_adapt(&leaf);
		/* Lists always by ECX: a list without it would never end. */
		g_string_append_printf(text, "%x %x 0 %x 0 => %x %x %x %x\n",
				       is_list_leaf(leaf.leaf) || leaf.subleaf ? 5 : 1, leaf.leaf,
				       leaf.subleaf, leaf.eax, leaf.ebx, leaf.ecx, leaf.edx);
	}
	return g_string_free(text, FALSE);
}
