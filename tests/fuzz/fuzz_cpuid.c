// SPDX-License-Identifier: GPL-2.0-only
/* The CPUID dump of one CPU; what is handed to hwloc must be a dump again. */
#include "fuzz.h"

#include "observe/cpuid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = fuzz_text(data, size);
	g_autofree char *adapted = NULL;
	g_autoptr(GError) error = NULL, identity_error = NULL;
	AUTO(cpuid_dump) *dump = cpuid_dump_parse(text, "cpuid/pu0", &error);
	AUTO(cpuid_dump) *again = NULL;
	struct cpuid_identity identity;

	fuzz_check(dump, error, ERROR_LAB);
	if (!dump)
		return 0;
	if (!cpuid_dump_identity(dump, "cpuid/pu0", &identity, &identity_error))
		fuzz_check(NULL, identity_error, ERROR_LAB);
	cpuid_dump_find(dump, 0xb, 1);
	adapted = cpuid_dump_for_hwloc(dump);
	again = cpuid_dump_parse(adapted, "adapted", NULL);
	FUZZ_REQUIRE(again);
	return 0;
}
