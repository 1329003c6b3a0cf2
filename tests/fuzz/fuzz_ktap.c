// SPDX-License-Identifier: GPL-2.0-only
/* KTAP of a test program. Whatever it is: no name has a control character or is longer than kept.
 */
#include "fuzz.h"

#include "observe/ktap.h"

#include <string.h>

static void check_names(const GPtrArray *names)
{
	for (guint i = 0; i < names->len; i++) {
		const char *name = names->pdata[i];

		if (!g_utf8_validate(name, -1, NULL) || !*name)
			__builtin_trap();
		for (const char *p = name; *p; p++)
			if (g_ascii_iscntrl(*p))
				__builtin_trap();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO(ktap) *ktap = ktap_parse((const char *)data, size);

	check_names(ktap->failed);
	check_names(ktap->skipped);
	if (ktap->failed->len + ktap->skipped->len + ktap->n_passed + ktap->n_xfailed >
	    2 * KTAP_RESULTS_MAX)
		__builtin_trap();
	return 0;
}
