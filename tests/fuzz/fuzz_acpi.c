// SPDX-License-Identifier: GPL-2.0-only
/* The bytes of MADT, SRAT, SLIT, HMAT and FACP, as they are and with length and checksum put right.
 */
#include "fuzz.h"

#include "observe/acpi.h"

/* ACPI 6.5, 5.2.6: signature, length (4 bytes), revision, checksum. */
#define LENGTH_AT   4
#define CHECKSUM_AT 9

static void table_read(const uint8_t *data, size_t size)
{
	g_autoptr(GBytes) table = g_bytes_new(data, size);
	g_autoptr(GError) madt_error = NULL, srat_error = NULL, slit_error = NULL;
	g_autoptr(GError) hmat_error = NULL, facp_error = NULL;
	g_autoptr(GArray) madt = acpi_madt_read(table, &madt_error);
	AUTO(acpi_srat) *srat = acpi_srat_read(table, &srat_error);
	AUTO(acpi_slit) *slit = acpi_slit_read(table, &slit_error);
	AUTO(acpi_hmat) *hmat = acpi_hmat_read(table, &hmat_error);
	struct acpi_facp facp;
	bool facp_read = acpi_facp_read(table, &facp, &facp_error);

	fuzz_check(madt, madt_error, ERROR_LAB);
	fuzz_check(srat, srat_error, ERROR_LAB);
	fuzz_check(slit, slit_error, ERROR_LAB);
	fuzz_check(hmat, hmat_error, ERROR_LAB);
	fuzz_check(facp_read ? &facp : NULL, facp_error, ERROR_LAB);
	if (srat)
		acpi_srat_node(srat, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree uint8_t *right = g_memdup2(data, size);
	uint8_t sum = 0;

	table_read(data, size);
	if (size <= CHECKSUM_AT)
		return 0;
	for (unsigned i = 0; i < 4; i++)
		right[LENGTH_AT + i] = (uint8_t)(size >> (8 * i));
	right[CHECKSUM_AT] = 0;
	for (size_t i = 0; i < size; i++)
		sum = (uint8_t)(sum + right[i]);
	right[CHECKSUM_AT] = (uint8_t)-sum;
	table_read(right, size);
	return 0;
}
