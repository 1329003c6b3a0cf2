/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fuzz target is a file fuzz_NAME.c that defines LLVMFuzzerTestOneInput(); its corpus is the
 * folder corpus/NAME. `make fuzz` lets libFuzzer change the inputs; `make unit` feeds them as they
 * are (replay.c), so that an input which once broke something stays tested.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/error.h"

#include <glib.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold of any input. g_assert() will not do: it can be compiled out. */
#define FUZZ_REQUIRE(condition)                                                                    \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			g_printerr("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);       \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* UTF-8, and nothing in it that would command a terminal. */
static inline void fuzz_printable(const char *text)
{
	const char *end;

	if (!g_utf8_validate(text, -1, &end)) {
		g_printerr("not UTF-8: %s\n", end);
		abort();
	}
	for (const char *p = text; *p; p = g_utf8_find_next_char(p, NULL))
		if (*p != '\n' && g_unichar_iscntrl(g_utf8_get_char(p))) {
			g_printerr("a control character: '%s'\n", p);
			abort();
		}
}

/*
 * Either there is a result or an error of @code, which can be printed.
 */
static inline void fuzz_check(const void *result, const GError *error, int code)
{
	g_autofree char *text = error ? error_text(error) : NULL;

	FUZZ_REQUIRE((result != NULL) == (error == NULL));
	if (!error)
		return;
	FUZZ_REQUIRE(error->domain == TOPOLAB_ERROR);
	if (error->code != code) {
		g_printerr("code %d: %s\n", error->code, error->message);
		abort();
	}
	FUZZ_REQUIRE(*text);
	fuzz_printable(text);
}

/* A copy that ends with a NUL and nothing behind it that a reader could run into unseen. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	return g_strndup((const char *)data, size);
}

#endif
