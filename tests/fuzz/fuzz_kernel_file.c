// SPDX-License-Identifier: GPL-2.0-only
/* Files of kernels/. */
#include "fuzz.h"

#include "kernel/kernel_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	AUTO(kernel_file) *file = kernel_file_parse((const char *)data, size, "fuzz.yaml", &error);

	fuzz_check(file, error, ERROR_INPUT);
	return 0;
}
