// SPDX-License-Identifier: GPL-2.0-only
/* Files of tests/cases: whatever can be read names a machine that can be loaded. */
#include "fuzz.h"

#include "run/case.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	AUTO(case_file) *file = case_parse((const char *)data, size, "fuzz", "fuzz.yaml", &error);

	fuzz_check(file, error, ERROR_INPUT);
	if (file)
		g_assert_true(file->topology || file->machine);
	return 0;
}
