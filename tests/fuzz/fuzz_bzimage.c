// SPDX-License-Identifier: GPL-2.0-only
/* A kernel image by path: the user may have typed the wrong one. */
#include "fuzz.h"

#include "kernel/btf.h"
#include "kernel/kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel_facts) *facts = bzimage_facts(data, size, "bzImage", &error);

	g_autoptr(GError) no_types = NULL;
	g_autoptr(GBytes) btf = bzimage_btf(data, size, "bzImage", &no_types);

	fuzz_check(facts, error, ERROR_INPUT);
	fuzz_check(btf, no_types, ERROR_UNSUPPORTED);
	return 0;
}
