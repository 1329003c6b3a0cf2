/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A growing buffer. Running out of memory ends the process: PID 1 gathers in a child, so that is
 * reported and is not a kernel panic.
 */
#ifndef GUEST_TEXT_H
#define GUEST_TEXT_H

#include <stddef.h>

struct text {
	char *data; /* length bytes, then a NUL that does not count */
	size_t length, size;
};

void text_free(struct text *text);
void text_reserve(struct text *text, size_t more);
void text_add(struct text *text, const void *data, size_t length);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
