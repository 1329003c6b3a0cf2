// SPDX-License-Identifier: GPL-2.0-only
/* The agent's stream. */
#include "fuzz.h"

#include "base/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	AUTO(records) *records = records_parse(data, size, &error);

	fuzz_check(records, error, ERROR_LAB);
	if (!records)
		return 0;
	for (guint i = 0; i < records_count(records); i++)
		FUZZ_REQUIRE(record_type(records_get(records, i)));
	records_blob(records, "evidence");
	records_complete(records);
	return 0;
}
