// SPDX-License-Identifier: GPL-2.0-only
/* A line of a console that may end with an address: the name is a part of it, and is one. */
#include "fuzz.h"

#include "base/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *line = fuzz_text(data, size);
	struct trace_address address;

	if (!trace_parse(line, size, &address))
		return 0;
	FUZZ_REQUIRE(address.name >= line && address.name_length > 0);
	FUZZ_REQUIRE(address.name + address.name_length < line + size);
	FUZZ_REQUIRE(!memchr(address.name, ' ', address.name_length));
	FUZZ_REQUIRE(address.name[address.name_length] == '+');
	return 0;
}
