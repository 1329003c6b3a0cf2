// SPDX-License-Identifier: GPL-2.0-only
#include "guest/cpuid.h"

#include <cpuid.h>

/* No real CPU has as many subleaves; a hypervisor that never ends a list must not hang us. */
#define SUBLEAVES_MAX 32

/* Leaves without subleaves: vendor, identity, caches, topology, address sizes. */
static const unsigned plain_leaves[] = {
	0x0,	    0x1,	0x2,	    0x80000000, 0x80000001, 0x80000002, 0x80000003,
	0x80000004, 0x80000005, 0x80000006, 0x80000007, 0x80000008, 0x8000001e,
};

/* Enumerations by ECX; each ends after the first subleaf for which ends() holds. */
struct leaf_list {
	unsigned leaf;
	int (*ends)(unsigned eax, unsigned ebx);
};

static int cache_list_ends(unsigned eax, unsigned ebx)
{
	(void)ebx;
	return (eax & 0x1f) == 0; /* type 0: no more caches */
}

static int level_list_ends(unsigned eax, unsigned ebx)
{
	return eax == 0 && ebx == 0;
}

static int single_ends(unsigned eax, unsigned ebx)
{
	(void)eax;
	(void)ebx;
	return 1;
}

static const struct leaf_list leaf_lists[] = {
	{.leaf = 0x4, .ends = cache_list_ends},
	{.leaf = 0x7, .ends = single_ends},
	{.leaf = 0xb, .ends = level_list_ends},
	{.leaf = 0x1f, .ends = level_list_ends},
	{.leaf = 0x8000001d, .ends = cache_list_ends},
	{.leaf = 0x80000026, .ends = level_list_ends},
};

static void list_dump(struct text *out, const struct leaf_list *list)
{
	for (unsigned i = 0; i < SUBLEAVES_MAX; i++) {
		unsigned a, b, c, d;

		__cpuid_count(list->leaf, i, a, b, c, d);
		text_printf(out, "5 %x 0 %x 0 => %x %x %x %x\n", list->leaf, i, a, b, c, d);
		if (list->ends(a, b))
			break;
	}
}

void cpuid_dump(struct text *out)
{
	unsigned a, b, c, d, highest, highest_extended;

	__cpuid(0, highest, b, c, d);
	__cpuid(0x80000000, highest_extended, b, c, d);
	text_printf(out, "# mask e[abcd]x => e[abcd]x\n");
	for (unsigned i = 0; i < sizeof(plain_leaves) / sizeof(plain_leaves[0]); i++) {
		unsigned leaf = plain_leaves[i];

		if (leaf > (leaf & 0x80000000 ? highest_extended : highest))
			continue;
		__cpuid(leaf, a, b, c, d);
		text_printf(out, "1 %x 0 0 0 => %x %x %x %x\n", leaf, a, b, c, d);
	}
	for (unsigned i = 0; i < sizeof(leaf_lists) / sizeof(leaf_lists[0]); i++) {
		unsigned leaf = leaf_lists[i].leaf;

		if (leaf <= (leaf & 0x80000000 ? highest_extended : highest))
			list_dump(out, &leaf_lists[i]);
	}
}
