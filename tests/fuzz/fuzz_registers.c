// SPDX-License-Identifier: GPL-2.0-only
/* What QEMU's monitor printed of a guest's registers. */
#include "fuzz.h"

#include "base/registers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = fuzz_text(data, size);
	g_autofree char *line = registers_format_gate(text);
	g_autoptr(GArray) all = registers_parse(text);
	guint64 handler;

	FUZZ_REQUIRE(all->len <= REGISTERS_MAX);
	for (guint i = 0; i < all->len; i++) {
		const struct registers *one = &g_array_index(all, struct registers, i);

		FUZZ_REQUIRE(one->vcpu < REGISTERS_MAX && one->cpl <= 3);
		FUZZ_REQUIRE(one->long_mode || one->address <= G_MAXUINT32);
	}
	FUZZ_REQUIRE(!registers_parse_gate(text, &handler) || handler);
	FUZZ_REQUIRE(strchr(line, '\n') == line + strlen(line) - 1);
	return 0;
}
