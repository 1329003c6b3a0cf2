// SPDX-License-Identifier: GPL-2.0-only
/* A kernel image by path: the user may have typed the wrong one. */
#include "fuzz.h"

#include "kernel/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel_facts) *facts = bzimage_facts(data, size, "bzImage", &error);

	fuzz_check(facts, error, ERROR_INPUT);
	return 0;
}
