// SPDX-License-Identifier: GPL-2.0-only
/* /proc/schedstat. */
#include "fuzz.h"

#include "observe/schedstat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = fuzz_text(data, size);
	g_autoptr(GError) error = NULL;
	AUTO(domain_tree) *tree = schedstat_parse(text, &error);

	fuzz_check(tree, error, ERROR_LAB);
	return 0;
}
