// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPUID dumps and ACPI tables to a machine. The leaves are those of QEMU 10.0's
 * qemu64,vendor=AuthenticAMD,family=25,model=1,stepping=1,+topoext and GraniteRapids, with the
 * fields that name the topology filled in from the AMD APM (volume 3, appendix E) and the Intel SDM
 * (CPUID leaves 4 and 0xB). What must come out follows from the APIC ids alone.
 */
#include "base/error.h"
#include "members.h"
#include "observe/cpuid.h"
#include "observe/observe.h"

#include <string.h>

#define TABLES "sys/firmware/acpi/tables/"

static GBytes *table(const char *signature, guint8 revision, GByteArray *body)
{
	gsize length = 36 + body->len;
	guint8 *bytes = g_malloc0(length);
	guint8 sum = 0;

	memcpy(bytes, signature, 4);
	bytes[4] = (guint8)length;
	bytes[5] = (guint8)(length >> 8);
	bytes[8] = revision;
	memcpy(bytes + 36, body->data, body->len);
	for (gsize i = 0; i < length; i++)
		sum = (guint8)(sum + bytes[i]);
	bytes[9] = (guint8)-sum;
	return g_bytes_new_take(bytes, length);
}

/* MADT, SRAT and SLIT for the CPUs' APIC ids; two nodes, 12 there and 21 back. */
static void add_tables(GHashTable *members, const unsigned *ids, const unsigned *nodes, unsigned n)
{
	static const guint8 slit_body[] = {2, 0, 0, 0, 0, 0, 0, 0, 10, 12, 21, 10};
	static const guint8 zeros[12];
	g_autoptr(GByteArray) madt = g_byte_array_new();
	g_autoptr(GByteArray) srat = g_byte_array_new();
	g_autoptr(GByteArray) slit = g_byte_array_new();

	g_byte_array_append(madt, zeros, 8);
	g_byte_array_append(srat, zeros, 12);
	g_byte_array_append(slit, slit_body, sizeof(slit_body));
	for (unsigned i = 0; i < n; i++) {
		const guint8 cpu[] = {0, 8, (guint8)i, (guint8)ids[i], 1, 0, 0, 0};
		const guint8 affinity[16] = {0, 16, (guint8)nodes[i], (guint8)ids[i], 1};

		g_byte_array_append(madt, cpu, sizeof(cpu));
		g_byte_array_append(srat, affinity, sizeof(affinity));
	}
	members_add_bytes(members, TABLES "APIC", table("APIC", 3, madt));
	members_add_bytes(members, TABLES "SRAT", table("SRAT", 1, srat));
	members_add_bytes(members, TABLES "SLIT", table("SLIT", 1, slit));
}

/*
 * Zen with SMT: bit 0 of the APIC id is the thread, @core_bits name the core within the package
 * (@die_bits of them the core within the die, which is what QEMU puts in 0x8000001E), the rest the
 * package. The L3 is shared by @l3_threads CPUs.
 */
static void add_amd(GHashTable *members, unsigned cpu, unsigned id, unsigned core_bits,
		    unsigned die_bits, unsigned l3_threads)
{
	g_autofree char *path = g_strdup_printf("cpuid/pu%u", cpu);
	unsigned shift = core_bits + 1, n = 1u << shift;

	members_add(members, path,
		    "# mask e[abcd]x => e[abcd]x\n"
		    "1 0 0 0 0 => d 68747541 444d4163 69746e65\n"
		    "1 1 0 0 0 => a00f11 %x 80002001 178bfbfd\n"
		    "1 80000000 0 0 0 => 8000001e 68747541 444d4163 69746e65\n"
		    "1 80000001 0 0 0 => a00f11 0 400007 2193fbfd\n"
		    "1 80000005 0 0 0 => 1ff01ff 1ff01ff 40020140 40020140\n"
		    "1 80000006 0 0 0 => 0 42004200 2008140 808140\n"
		    "1 80000008 0 0 0 => 3028 0 %x 0\n"
		    "1 8000001e 0 0 0 => %x %x 0 0\n"
		    "5 b 0 0 0 => 1 2 100 %x\n"
		    "5 b 0 1 0 => %x %x 201 %x\n"
		    "5 b 0 2 0 => 0 0 2 %x\n"
		    "5 8000001d 0 0 0 => 4121 40003f 1ff 1\n"
		    "5 8000001d 0 1 0 => 4122 40003f 1ff 1\n"
		    "5 8000001d 0 2 0 => 4043 3c0003f 1ff 0\n"
		    "5 8000001d 0 3 0 => %x 3c0003f 3fff 2\n"
		    "5 8000001d 0 4 0 => 0 0 0 0\n",
		    id << 24 | n << 16 | 0x800, shift << 12 | (n - 1), id,
		    0x100 | (id >> 1 & ((1u << die_bits) - 1)), id, shift, n, id, id,
		    0x163 | (l3_threads - 1) << 14);
}

static void assert_mask(const struct view *view, unsigned cpu, enum topo_level level,
			const char *expected)
{
	g_autofree char *list = NULL;

	g_assert_nonnull(view->cpu[cpu].mask[level]);
	list = cpus_to_list(view->cpu[cpu].mask[level]);
	g_assert_cmpstr(list, ==, expected);
}

static void assert_set(const struct cpus *set, const char *expected)
{
	g_autofree char *list = cpus_to_list(set);

	g_assert_cmpstr(list, ==, expected);
}

/* 2 packages of 2 dies (= L3) of 2 cores with 2 threads, firmware numbering: APIC id by CPU. */
static const unsigned amd_ids[16] = {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15};
static const unsigned amd_nodes[16] = {0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1};

static GHashTable *amd_machine(void)
{
	GHashTable *members = members_new();

	for (unsigned cpu = 0; cpu < 16; cpu++)
		add_amd(members, cpu, amd_ids[cpu], 2, 1, 4);
	members_add(members, "cpuid/hwloc-cpuid-info", "Architecture: x86\n");
	add_tables(members, amd_ids, amd_nodes, 16);
	return members;
}

static void test_amd(void)
{
	g_autoptr(GHashTable) members = amd_machine();
	AUTO(root) *root = members_root(members);
	g_autoptr(GError) error = NULL;
	AUTO(view) *view = observe_hardware(root, &error);

	g_assert_no_error(error);
	g_assert_cmpstr(view->vendor, ==, "AuthenticAMD");
	g_assert_cmpint(view->family, ==, 25);
	g_assert_cmpint(view->model, ==, 1);
	g_assert_cmpint(view->stepping, ==, 1);
	assert_set(view->cpus, "0-15");
	g_assert_cmpint(view->cpu[13].apic_id, ==, 11);
	/* APIC ids 10 and 11; 8 to 11; 8 to 15. */
	assert_mask(view, 13, TOPO_CORE, "5,13");
	assert_mask(view, 13, TOPO_L2, "5,13");
	assert_mask(view, 13, TOPO_LLC, "4-5,12-13");
	assert_mask(view, 13, TOPO_PACKAGE, "4-7,12-15");
	assert_mask(view, 0, TOPO_LLC, "0-1,8-9");
	g_assert_cmpstr(view->lacks, ==, "");
	g_assert_cmpint(view->cpu[13].node, ==, 1);
	assert_set(view->nodes, "0-1");
	assert_set(view->node_cpus[0], "0-3,8-11");
	g_assert_cmpint(view->distance[0 * 2 + 1], ==, 12);
	g_assert_cmpint(view->distance[1 * 2 + 0], ==, 21);
}

/* 7 cores a CCX, as EPYC 7663 has: 14 threads share an L3, whose APIC ids begin 16 apart. */
static void test_odd_sharing(void)
{
	static const unsigned nodes[28];
	unsigned ids[28];
	g_autoptr(GHashTable) members = members_new();
	g_autoptr(GError) error = NULL;

	for (unsigned cpu = 0; cpu < 28; cpu++) {
		ids[cpu] = cpu / 14 * 16 + cpu % 14;
		add_amd(members, cpu, ids[cpu], 4, 3, 14);
	}
	add_tables(members, ids, nodes, 28);
	{
		AUTO(root) *root = members_root(members);
		AUTO(view) *view = observe_hardware(root, &error);

		g_assert_no_error(error);
		assert_mask(view, 0, TOPO_LLC, "0-13");
		assert_mask(view, 13, TOPO_LLC, "0-13");
		assert_mask(view, 14, TOPO_LLC, "14-27");
		assert_mask(view, 16, TOPO_CORE, "16-17");
		assert_mask(view, 4, TOPO_PACKAGE, "0-27");
	}
}

/* @old in every CPU's dump becomes @fresh. */
static void change_dumps(GHashTable *members, unsigned n, const char *old, const char *fresh)
{
	for (unsigned cpu = 0; cpu < n; cpu++) {
		g_autofree char *path = g_strdup_printf("cpuid/pu%u", cpu);
		g_autoptr(GString) text = g_string_new(NULL);
		GBytes *bytes = g_hash_table_lookup(members, path);

		g_string_append_len(text, g_bytes_get_data(bytes, NULL),
				    (gssize)g_bytes_get_size(bytes));
		g_assert_cmpuint(g_string_replace(text, old, fresh, 0), ==, 1);
		members_add(members, path, "%s", text->str);
	}
}

/*
 * QEMU's l3-cache=off is in leaf 0x80000006 alone. Without TOPOEXT (ECX bit 22 of 0x80000001) that
 * leaf is all there is, which knows no sharing: the L2 is each CPU's own, the L3 the package's.
 */
static void test_lacks(void)
{
	static const struct {
		const char *features, *caches, *lacks, *l2, *llc;
	} cases[] = {
		{"400007", "808140", "", "5,13", "4-5,12-13"},
		{"400007", "0", "l3", "5,13", "4-5,12-13"},
		{"7", "808140", "topoext", "13", "4-7,12-15"},
		{"7", "0", "topoext, l3", "13", ""},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *features =
			g_strdup_printf("a00f11 0 %s 2193fbfd", cases[i].features);
		g_autofree char *caches = g_strdup_printf("2008140 %s\n", cases[i].caches);
		g_autoptr(GHashTable) members = amd_machine();
		g_autoptr(GError) error = NULL;

		change_dumps(members, 16, "a00f11 0 400007 2193fbfd", features);
		change_dumps(members, 16, "2008140 808140\n", caches);
		{
			AUTO(root) *root = members_root(members);
			AUTO(view) *view = observe_hardware(root, &error);

			g_assert_no_error(error);
			g_assert_cmpstr(view->lacks, ==, cases[i].lacks);
			assert_mask(view, 13, TOPO_CORE, "5,13");
			assert_mask(view, 13, TOPO_L2, cases[i].l2);
			assert_mask(view, 13, TOPO_LLC, cases[i].llc);
		}
	}
}

/* Offline CPUs leave holes in the numbering; their APIC ids are in the MADT all the same. */
static void test_holes(void)
{
	g_autoptr(GHashTable) members = amd_machine();
	g_autoptr(GError) error = NULL;

	members_remove(members, "cpuid/pu1");
	members_remove(members, "cpuid/pu15");
	{
		AUTO(root) *root = members_root(members);
		AUTO(view) *view = observe_hardware(root, &error);

		g_assert_no_error(error);
		assert_set(view->cpus, "0,2-14");
		assert_mask(view, 8, TOPO_LLC, "0,8-9");
		assert_mask(view, 7, TOPO_CORE, "7");
		assert_mask(view, 14, TOPO_PACKAGE, "4-7,12-14");
	}
}

/*
 * Granite Rapids, 2 packages of 6 cores without SMT: the L3 of leaf 4 is shared by 8 ids, one
 * package; CPUs 6 to 11 have APIC ids 8 to 13.
 */
static void add_intel(GHashTable *members, unsigned cpu, unsigned id)
{
	g_autofree char *path = g_strdup_printf("cpuid/pu%u", cpu);

	members_add(members, path,
		    "1 0 0 0 0 => 20 756e6547 6c65746e 49656e69\n"
		    "1 1 0 0 0 => a06d0 %x fef83203 178bfbfd\n"
		    "1 80000000 0 0 0 => 80000008 756e6547 6c65746e 49656e69\n"
		    "1 80000001 0 0 0 => a06d0 0 121 2c100800\n"
		    "5 4 0 0 0 => 1c000121 1c0003f 3f 1\n"
		    "5 4 0 1 0 => 1c000122 1c0003f 3f 1\n"
		    "5 4 0 2 0 => 1c000143 3c0003f fff 1\n"
		    "5 4 0 3 0 => 1c01c163 3c0003f 3fff 6\n"
		    "5 4 0 4 0 => 0 0 0 0\n"
		    "5 b 0 0 0 => 0 1 100 %x\n"
		    "5 b 0 1 0 => 3 6 201 %x\n"
		    "5 b 0 2 0 => 0 0 2 %x\n"
		    "5 1f 0 0 0 => 0 0 0 0\n",
		    id << 24 | 0x60800, id, id, id);
}

static void test_intel(void)
{
	static const unsigned ids[12] = {0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13};
	static const unsigned nodes[12] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1};
	g_autoptr(GHashTable) members = members_new();
	g_autoptr(GError) error = NULL;

	for (unsigned cpu = 0; cpu < 12; cpu++)
		add_intel(members, cpu, ids[cpu]);
	add_tables(members, ids, nodes, 12);
	{
		AUTO(root) *root = members_root(members);
		AUTO(view) *view = observe_hardware(root, &error);

		g_assert_no_error(error);
		g_assert_cmpstr(view->vendor, ==, "GenuineIntel");
		/* 0xa06d0: family 6, extended model 0xa, model 0xd. */
		g_assert_cmpint(view->family, ==, 6);
		g_assert_cmpint(view->model, ==, 173);
		g_assert_cmpint(view->stepping, ==, 0);
		g_assert_cmpint(view->cpu[7].apic_id, ==, 9);
		assert_mask(view, 7, TOPO_CORE, "7");
		assert_mask(view, 7, TOPO_LLC, "6-11");
		assert_mask(view, 7, TOPO_PACKAGE, "6-11");
		assert_mask(view, 0, TOPO_L2, "0");
	}
}

/* Where the APIC id is looked for: leaf 0xB, then 0x8000001E with TOPOEXT, then leaf 1. */
static void test_apic_id(void)
{
#define COMMON "1 0 0 0 0 => d 68747541 444d4163 69746e65\n1 1 0 0 0 => a00f11 5000800 0 0\n"
	static const struct {
		const char *text;
		guint32 id;
	} cases[] = {
		{COMMON, 5},
		{COMMON "1 80000001 0 0 0 => 0 0 400000 0\n1 8000001e 0 0 0 => 1ff 0 0 0\n", 0x1ff},
		{COMMON "1 80000001 0 0 0 => 0 0 0 0\n1 8000001e 0 0 0 => 1ff 0 0 0\n", 5},
		{COMMON "5 b 0 0 0 => 1 2 100 12345\n", 0x12345},
		{COMMON "5 b 0 0 0 => 0 0 0 7\n", 5},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		AUTO(cpuid_dump) *dump = cpuid_dump_parse(cases[i].text, "cpuid/pu0", &error);
		struct cpuid_identity identity;

		g_assert_no_error(error);
		g_assert_true(cpuid_dump_identity(dump, "cpuid/pu0", &identity, &error));
		g_assert_cmphex(identity.apic_id, ==, cases[i].id);
		g_assert_cmpstr(identity.vendor, ==, "AuthenticAMD");
	}
}

static void test_malformed_dumps(void)
{
	static const char *const texts[] = {
		"1 0 0 0 0 => 0 0 0",
		"1 0 0 0 0 = 0 0 0 0",
		"1 0 0 0 0 => 0 0 0 0 0",
		"2 0 0 0 0 => 0 0 0 0",
		"1 0 0 0 0 => 0 0 0 g",
		"1 0 0 0 0 => 0 0 0 123456789",
		"1 0 0 0 0 => 0 0 0 0\n1 0 0 0 0 => 0 0 0 0",
		"5 4 0 1 0 => 1 0 0 0\n5 4 0 1 0 => 1 0 0 0",
		" 1 0 0 0 0 => 0 0 0 0",
	};
	g_autoptr(GString) many = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autoptr(GError) problem = NULL;

		if (cpuid_dump_parse(texts[i], "cpuid/pu0", &problem))
			g_error("accepted: '%s'", texts[i]);
		g_assert_error(problem, TOPOLAB_ERROR, ERROR_LAB);
	}
	for (unsigned i = 0; i < 300; i++)
		g_string_append_printf(many, "5 4 0 %x 0 => 1 0 0 0\n", i);
	g_assert_null(cpuid_dump_parse(many->str, "cpuid/pu0", &error));
}

/* A list that never ends must not keep hwloc busy: the kernel's own lists are matched by ECX. */
static void test_endless_list(void)
{
	static const char text[] = "1 0 0 0 0 => d 68747541 444d4163 69746e65\n"
				   "1 1 0 0 0 => a00f11 0 0 0\n"
				   "1 80000000 0 0 0 => 8000001e 0 0 0\n"
				   "1 80000001 0 0 0 => 0 0 400000 0\n"
				   "1 8000001e 0 0 0 => 0 0 0 0\n"
				   "1 8000001d 0 0 0 => 163 3c0003f 3fff 2\n"
				   "1 b 0 0 0 => 1 2 100 0\n"
				   "1 4 0 0 0 => 121 3c0003f 3fff 2\n";
	static const unsigned id[1], node[1];
	g_autoptr(GHashTable) members = members_new();
	g_autoptr(GError) error = NULL;

	members_add(members, "cpuid/pu0", "%s", text);
	add_tables(members, id, node, 1);
	{
		AUTO(root) *root = members_root(members);
		AUTO(view) *view = observe_hardware(root, &error);

		g_assert_no_error(error);
		assert_mask(view, 0, TOPO_CORE, "0");
	}
}

/* One member changed (NULL: lost), and the sentence that must come of it. */
static void test_malformed(void)
{
	static const struct {
		const char *path, *text, *pattern;
	} cases[] = {
		{"cpuid/pu3", "", "'cpuid/pu3' lacks CPUID leaf 0"},
		{"cpuid/pu3", "1 0 0 0 0 => d 68747541 444d4163 69746e65\n",
		 "'cpuid/pu3' lacks CPUID leaf 1"},
		{"cpuid/pu3", "nonsense\n",
		 "line 1 of 'cpuid/pu3' is not a CPUID leaf: 'nonsense'"},
		{"cpuid/pu3",
		 "1 0 0 0 0 => d 756e6547 6c65746e 49656e69\n1 1 0 0 0 => a00f11 6000800 0 0\n",
		 "'cpuid/pu3' is of 'GenuineIntel' family 25 model 1*"},
		{TABLES "APIC", NULL, "'" TABLES "APIC' is missing in the evidence"},
		{TABLES "APIC", "APIC", "*is shorter than its fixed part"},
		{TABLES "SRAT", "SRAT", "*is shorter than its fixed part"},
		{TABLES "SLIT", "SLIT", "*is shorter than its fixed part"},
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GHashTable) members = amd_machine();
		g_autoptr(GError) error = NULL;

		members_remove(members, cases[i].path);
		if (cases[i].text)
			members_add(members, cases[i].path, "%s", cases[i].text);
		{
			AUTO(root) *root = members_root(members);

			g_assert_null(observe_hardware(root, &error));
		}
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
		if (!g_pattern_match_simple(cases[i].pattern, error->message))
			g_error("case %u: '%s' does not match '%s'", i, error->message,
				cases[i].pattern);
	}
}

static void test_foreign_member(void)
{
	g_autoptr(GHashTable) members = amd_machine();
	g_autoptr(GHashTable) none = members_new();
	g_autoptr(GError) error = NULL;
	g_autoptr(GError) none_error = NULL;
	AUTO(root) *empty = members_root(none);

	members_add(members, "cpuid/pux", "x");
	{
		AUTO(root) *root = members_root(members);

		g_assert_null(observe_hardware(root, &error));
	}
	g_assert_cmpstr(error->message, ==,
			"the evidence holds 'cpuid/pux', which is no CPU's dump");
	g_assert_null(observe_hardware(empty, &none_error));
	g_assert_cmpstr(none_error->message, ==, "the evidence holds no CPUID dump");
}

/* A CPU whose id the MADT does not list, and one that the SRAT does not name. */
static void test_unknown_cpu(void)
{
	g_autoptr(GHashTable) members = amd_machine();
	g_autoptr(GBytes) madt = g_bytes_ref(g_hash_table_lookup(members, TABLES "APIC"));
	g_autoptr(GError) error = NULL;

	add_tables(members, amd_ids, amd_nodes, 15);
	{
		AUTO(root) *root = members_root(members);

		g_assert_null(observe_hardware(root, &error));
		g_assert_cmpstr(error->message, ==,
				"CPU 15 has APIC id 15 in CPUID, which the guest's MADT does not "
				"list");
		g_clear_error(&error);
	}
	members_add_bytes(members, TABLES "APIC", g_bytes_ref(madt));
	{
		AUTO(root) *root = members_root(members);
		AUTO(view) *view = observe_hardware(root, &error);

		g_assert_no_error(error);
		g_assert_cmpint(view->cpu[15].node, ==, -1);
		assert_set(view->node_cpus[1], "4-7,12-14");
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/hardware/amd", test_amd);
	g_test_add_func("/hardware/lacks", test_lacks);
	g_test_add_func("/hardware/odd-sharing", test_odd_sharing);
	g_test_add_func("/hardware/holes", test_holes);
	g_test_add_func("/hardware/intel", test_intel);
	g_test_add_func("/hardware/apic-id", test_apic_id);
	g_test_add_func("/hardware/malformed-dumps", test_malformed_dumps);
	g_test_add_func("/hardware/endless-list", test_endless_list);
	g_test_add_func("/hardware/malformed", test_malformed);
	g_test_add_func("/hardware/foreign-member", test_foreign_member);
	g_test_add_func("/hardware/unknown-cpu", test_unknown_cpu);
	return g_test_run();
}
