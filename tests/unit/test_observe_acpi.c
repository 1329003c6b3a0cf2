// SPDX-License-Identifier: GPL-2.0-only
/*
 * ACPI tables, byte by byte from the tables of ACPI 6.5: 5.2.6 (header), 5.2.12 (MADT), 5.2.16
 * (SRAT), 5.2.17 (SLIT). Numbers are little-endian.
 */
#include "base/error.h"
#include "observe/acpi.h"

#include <string.h>

/* Fills in length and checksum of @body behind @signature's header. */
static GBytes *table(const char *signature, guint8 revision, const void *body, gsize length)
{
	gsize total = 36 + length;
	guint8 *bytes = g_malloc0(total);
	guint8 sum = 0;

	memcpy(bytes, signature, 4);
	bytes[4] = (guint8)total;
	bytes[5] = (guint8)(total >> 8);
	bytes[6] = (guint8)(total >> 16);
	bytes[8] = revision;
	memcpy(bytes + 10, "BOCHS BXPC    ", 14);
	memcpy(bytes + 36, body, length);
	for (gsize i = 0; i < total; i++)
		sum = (guint8)(sum + bytes[i]);
	bytes[9] = (guint8)-sum;
	return g_bytes_new_take(bytes, total);
}

/* The bytes of an entry stay together. */
/* clang-format off */
#define MADT_FIXED 0x00, 0x00, 0xe0, 0xfe, 1, 0, 0, 0

static void test_madt(void)
{
	static const guint8 body[] = {
		MADT_FIXED,
		/* I/O APIC: skipped */
		1, 12, 0, 0, 0x00, 0x00, 0xc0, 0xfe, 0, 0, 0, 0,
		/* processor UID 0, APIC id 5, enabled */
		0, 8, 0, 5, 1, 0, 0, 0,
		/* UID 1, APIC id 6, not enabled but online capable */
		0, 8, 1, 6, 2, 0, 0, 0,
		/* x2APIC id 0x1ff, enabled, UID 2 */
		9, 16, 0, 0, 0xff, 0x01, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
		/* APIC id 0, enabled */
		0, 8, 3, 0, 1, 0, 0, 0,
		/* APIC id 5 once more, as x2APIC: UID 0, enabled and online capable */
		9, 16, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
	};
	g_autoptr(GBytes) bytes = table("APIC", 3, body, sizeof(body));
	g_autoptr(GError) error = NULL;
	static const struct acpi_madt_cpu wanted[] = {
		{.type = 0, .apic_id = 5, .uid = 0, .flags = 1},
		{.type = 0, .apic_id = 6, .uid = 1, .flags = 2},
		{.type = 9, .apic_id = 0x1ff, .uid = 2, .flags = 1},
		{.type = 0, .apic_id = 0, .uid = 3, .flags = 1},
		{.type = 9, .apic_id = 5, .uid = 0, .flags = 3},
	};
	g_autoptr(GArray) madt = acpi_madt_read(bytes, &error);

	g_assert_no_error(error);
	g_assert_cmpmem(madt->data, madt->len * sizeof(wanted[0]), wanted, sizeof(wanted));
}

static void assert_madt_refused(const guint8 *body, gsize length, const char *message)
{
	g_autoptr(GBytes) bytes = table("APIC", 3, body, length);
	g_autoptr(GError) error = NULL;

	g_assert_null(acpi_madt_read(bytes, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_cmpstr(error->message, ==, message);
}

static void test_madt_malformed(void)
{
	static const guint8 zero[] = {MADT_FIXED, 0, 0, 0, 5, 1, 0, 0, 0};
	static const guint8 one[] = {MADT_FIXED, 0, 1, 0, 5, 1, 0, 0, 0};
	static const guint8 lone[] = {MADT_FIXED, 0};
	static const guint8 beyond[] = {MADT_FIXED, 0, 8, 0, 5, 1, 0, 0};
	static const guint8 narrow[] = {MADT_FIXED, 0, 4, 0, 5};
	static const guint8 narrow9[] = {MADT_FIXED, 9, 8, 0, 0, 5, 0, 0, 0};

	assert_madt_refused(zero, sizeof(zero), "the guest's ACPI table 'APIC' ends inside an entry");
	assert_madt_refused(one, sizeof(one), "the guest's ACPI table 'APIC' ends inside an entry");
	assert_madt_refused(lone, sizeof(lone), "the guest's ACPI table 'APIC' ends inside an entry");
	assert_madt_refused(beyond, sizeof(beyond),
			    "the guest's ACPI table 'APIC' ends inside an entry");
	assert_madt_refused(narrow, sizeof(narrow),
			    "the guest's ACPI table 'APIC' has an entry that is malformed");
	assert_madt_refused(narrow9, sizeof(narrow9),
			    "the guest's ACPI table 'APIC' has an entry that is malformed");
}

/* Every table goes through the same door. */
static void test_header(void)
{
	static const guint8 body[] = {MADT_FIXED};
	g_autoptr(GBytes) good = table("APIC", 3, body, sizeof(body));
	g_autoptr(GBytes) other = table("SRAT", 3, body, sizeof(body));
	const guint8 *data = g_bytes_get_data(good, NULL);

	for (gsize length = 0; length < g_bytes_get_size(good); length++) {
		g_autoptr(GBytes) cut = g_bytes_new(data, length);
		g_autoptr(GError) error = NULL;

		g_assert_null(acpi_madt_read(cut, &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	}
	for (gsize i = 0; i < g_bytes_get_size(good); i++) {
		g_autofree guint8 *changed = g_memdup2(data, g_bytes_get_size(good));
		g_autoptr(GError) error = NULL;
		g_autoptr(GBytes) bytes = NULL;

		changed[i] ^= 0x40;
		bytes = g_bytes_new(changed, g_bytes_get_size(good));
		g_assert_null(acpi_madt_read(bytes, &error));
	}
	{
		g_autoptr(GError) error = NULL;

		g_assert_null(acpi_madt_read(other, &error));
		g_assert_cmpstr(error->message, ==,
				"the guest's ACPI table 'APIC' has another signature");
	}
}

#define SRAT_FIXED 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0

static const guint8 srat_body[] = {
	SRAT_FIXED,
	/* type 0: domain 1 (low byte), APIC id 4, enabled; SAPIC EID; high bytes 0x00000100 */
	0, 16, 1, 4, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0,
	/* domain 0, APIC id 0, enabled */
	0, 16, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* domain 7, APIC id 9, not enabled */
	0, 16, 7, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* type 2: domain 3, x2APIC id 0x100, enabled */
	2, 24, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* type 1: domain 5, base 0, 1 MiB, enabled */
	1, 40, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* domain 6 without a byte of memory */
	1, 40, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* domain 1, base 4 GiB, 2 MiB, enabled and hot-pluggable */
	1, 40, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* domain 2, APIC id 4 again: the last one counts, set_apicid_to_node() */
	0, 16, 2, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* type 5, generic initiator: skipped */
	5, 32, 0, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
	0, 0, 0, 0,
};

static const struct acpi_srat_cpu *srat_cpu(const struct acpi_srat *srat, guint i)
{
	return &g_array_index(srat->cpus, struct acpi_srat_cpu, i);
}

static const struct acpi_srat_range *srat_range(const struct acpi_srat *srat, guint i)
{
	return &g_array_index(srat->memory, struct acpi_srat_range, i);
}

/* A domain has 8 bits in revision 1 of the table and 32 in later ones: 0x101 is 257. */
static void test_srat(void)
{
	static const struct {
		guint8 revision;
		guint32 first_domain;
		const char *nodes;
	} cases[] = {{1, 1, "0-3,5"}, {3, 257, "0-3,5,257"}};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) bytes =
			table("SRAT", cases[i].revision, srat_body, sizeof(srat_body));
		g_autoptr(GError) error = NULL;
		AUTO(acpi_srat) *srat = acpi_srat_read(bytes, &error);
		g_autofree char *nodes = NULL;

		g_assert_no_error(error);
		nodes = cpus_to_list(srat->nodes);
		g_assert_cmpstr(nodes, ==, cases[i].nodes);
		g_assert_cmpuint(srat->cpus->len, ==, 5);
		g_assert_cmpuint(srat_cpu(srat, 0)->domain, ==, cases[i].first_domain);
		g_assert_cmpuint(srat_cpu(srat, 0)->apic_id, ==, 4);
		g_assert_true(srat_cpu(srat, 0)->enabled);
		g_assert_false(srat_cpu(srat, 2)->enabled);
		g_assert_cmpuint(srat_cpu(srat, 2)->domain, ==, 7);
		g_assert_cmpuint(srat_cpu(srat, 3)->type, ==, 2);
		g_assert_cmpuint(srat_cpu(srat, 3)->apic_id, ==, 0x100);
		g_assert_cmpuint(srat->memory->len, ==, 3);
		g_assert_cmpuint(srat_range(srat, 0)->length, ==, 1 << 20);
		g_assert_false(srat_range(srat, 0)->hotplug);
		g_assert_cmpuint(srat_range(srat, 2)->start, ==, (guint64)1 << 32);
		g_assert_cmpuint(srat_range(srat, 2)->length, ==, 2 << 20);
		g_assert_true(srat_range(srat, 2)->hotplug);
		g_assert_cmpint(acpi_srat_node(srat, 4), ==, 2);
		g_assert_cmpint(acpi_srat_node(srat, 0), ==, 0);
		g_assert_cmpint(acpi_srat_node(srat, 0x100), ==, 3);
		g_assert_cmpint(acpi_srat_node(srat, 9), ==, -1);
	}
}

static void test_srat_malformed(void)
{
	static const guint8 huge[] = {
		SRAT_FIXED,
		2, 24, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	static const guint8 narrow[] = {SRAT_FIXED, 1, 16, 1, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	static const struct {
		const guint8 *body;
		gsize length;
	} cases[] = {{huge, sizeof(huge)}, {narrow, sizeof(narrow)}};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) bytes = table("SRAT", 1, cases[i].body, cases[i].length);
		g_autoptr(GError) error = NULL;

		g_assert_null(acpi_srat_read(bytes, &error));
		g_assert_cmpstr(error->message, ==,
				"the guest's ACPI table 'SRAT' has an entry that is malformed");
	}
}

/* Row first: the distance from locality i to j is byte i * n + j. */
static void test_slit(void)
{
	static const guint8 body[] = {3, 0, 0, 0, 0, 0, 0, 0, 10, 15, 28, 15, 10, 26, 23, 26, 10};
	g_autoptr(GBytes) bytes = table("SLIT", 1, body, sizeof(body));
	g_autoptr(GError) error = NULL;
	AUTO(acpi_slit) *slit = acpi_slit_read(bytes, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(slit->n, ==, 3);
	g_assert_cmpuint(slit->distance[0 * 3 + 2], ==, 28);
	g_assert_cmpuint(slit->distance[2 * 3 + 0], ==, 23);
}

static void test_slit_malformed(void)
{
	static const guint8 none[] = {0, 0, 0, 0, 0, 0, 0, 0};
	static const guint8 few[] = {2, 0, 0, 0, 0, 0, 0, 0, 10, 20, 20};
	static const guint8 many[] = {1, 0, 0, 0, 0, 0, 0, 0, 10, 20};
	/* The square of 2^32 is 0 in 64 bits. */
	static const guint8 overflow[] = {0, 0, 0, 0, 1, 0, 0, 0};
	static const struct {
		const guint8 *body;
		gsize length;
	} cases[] = {{none, sizeof(none)},
		     {few, sizeof(few)},
		     {many, sizeof(many)},
		     {overflow, sizeof(overflow)}};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) bytes = table("SLIT", 1, cases[i].body, cases[i].length);
		g_autoptr(GError) error = NULL;

		g_assert_null(acpi_slit_read(bytes, &error));
		g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	}
}

#define HMAT_FIXED 0, 0, 0, 0

/* 5.2.28: memory domain 2 with the CPUs of domain 1 beside it, memory domain 3 with none. */
static const guint8 hmat_body[] = {
	HMAT_FIXED,
	0, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* type 2, a memory side cache: skipped */
	2, 0, 0, 0, 8, 0, 0, 0,
	/* access bandwidth in units of 100 MB/s, one initiator, two targets */
	1, 0, 0, 0, 48, 0, 0, 0, 0, 3, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0,
	100, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0x10, 0x27, 0xff, 0xff,
};

static void test_hmat(void)
{
	g_autoptr(GBytes) bytes = table("HMAT", 2, hmat_body, sizeof(hmat_body));
	g_autoptr(GError) error = NULL;
	AUTO(acpi_hmat) *hmat = acpi_hmat_read(bytes, &error);
	const struct acpi_locality *locality;

	g_assert_no_error(error);
	g_assert_cmpuint(hmat->attachments->len, ==, 2);
	g_assert_cmpuint(g_array_index(hmat->attachments, struct acpi_attachment, 0).memory, ==, 2);
	g_assert_cmpint(g_array_index(hmat->attachments, struct acpi_attachment, 0).initiator, ==,
			1);
	g_assert_cmpint(g_array_index(hmat->attachments, struct acpi_attachment, 1).initiator, ==,
			-1);
	g_assert_cmpuint(hmat->localities->len, ==, 1);
	locality = g_ptr_array_index(hmat->localities, 0);
	g_assert_cmpuint(locality->type, ==, 3);
	g_assert_cmpuint(locality->hierarchy, ==, 0);
	g_assert_cmpuint(locality->unit, ==, 100);
	g_assert_cmpuint(g_array_index(locality->initiators, guint32, 0), ==, 1);
	g_assert_cmpuint(g_array_index(locality->targets, guint32, 1), ==, 3);
	g_assert_cmpuint(g_array_index(locality->entries, guint16, 0), ==, 10000);
	g_assert_cmpuint(g_array_index(locality->entries, guint16, 1), ==, 0xffff);
}

static void assert_hmat_refused(guint8 revision, const guint8 *body, gsize length,
				const char *message)
{
	g_autoptr(GBytes) bytes = table("HMAT", revision, body, length);
	g_autoptr(GError) error = NULL;

	g_assert_null(acpi_hmat_read(bytes, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
	g_assert_cmpstr(error->message, ==, message);
}

static void test_hmat_malformed(void)
{
	static const guint8 narrow[] = {HMAT_FIXED, 0, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0};
	static const guint8 beyond[] = {HMAT_FIXED, 0, 0, 0, 0, 40, 0, 0, 0, 1, 0, 0, 0};
	static const guint8 zero[] = {HMAT_FIXED, 0, 0, 0, 0, 0, 0, 0, 0};
	static const guint8 lone[] = {HMAT_FIXED, 0, 0, 0};
	/* 2^31 initiators, whose four bytes each are 0 in 32 bits */
	static const guint8 overflow[] = {
		HMAT_FIXED, 1, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0,
		0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	};
	static const char malformed[] = "the guest's ACPI table 'HMAT' has an entry that is malformed";
	static const char ends[] = "the guest's ACPI table 'HMAT' ends inside an entry";

	assert_hmat_refused(2, narrow, sizeof(narrow), malformed);
	assert_hmat_refused(2, overflow, sizeof(overflow), malformed);
	assert_hmat_refused(2, beyond, sizeof(beyond), ends);
	assert_hmat_refused(2, zero, sizeof(zero), ends);
	assert_hmat_refused(2, lone, sizeof(lone), ends);
	assert_hmat_refused(1, hmat_body, sizeof(hmat_body),
			    "the guest's ACPI table 'HMAT' has a revision other than 2");
}

/* 5.2.9: the DSDT is at 40 and 140, the minor version at 131, its errata in the high half. */
static void test_facp(void)
{
	guint8 body[276 - 36] = {[40 - 36] = 0x40, [42 - 36] = 0xfe, [131 - 36] = 0x13};
	g_autoptr(GBytes) narrow = table("FACP", 6, body, sizeof(body));
	g_autoptr(GBytes) wide = NULL;
	g_autoptr(GBytes) cut = table("FACP", 1, body, 116 - 36);
	g_autoptr(GError) error = NULL;
	struct acpi_facp facp;

	g_assert_true(acpi_facp_read(narrow, &facp, &error));
	g_assert_cmpuint(facp.revision, ==, 6);
	g_assert_cmpuint(facp.minor, ==, 3);
	g_assert_cmpuint(facp.dsdt, ==, 0xfe0040);
	body[144 - 36] = 1;
	wide = table("FACP", 6, body, sizeof(body));
	g_assert_true(acpi_facp_read(wide, &facp, &error));
	g_assert_cmpuint(facp.dsdt, ==, (guint64)1 << 32);
	g_assert_false(acpi_facp_read(cut, &facp, &error));
	g_assert_error(error, TOPOLAB_ERROR, ERROR_LAB);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/acpi/madt", test_madt);
	g_test_add_func("/acpi/madt-malformed", test_madt_malformed);
	g_test_add_func("/acpi/header", test_header);
	g_test_add_func("/acpi/srat", test_srat);
	g_test_add_func("/acpi/srat-malformed", test_srat_malformed);
	g_test_add_func("/acpi/slit", test_slit);
	g_test_add_func("/acpi/slit-malformed", test_slit_malformed);
	g_test_add_func("/acpi/hmat", test_hmat);
	g_test_add_func("/acpi/hmat-malformed", test_hmat_malformed);
	g_test_add_func("/acpi/facp", test_facp);
	return g_test_run();
}
