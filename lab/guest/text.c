// SPDX-License-Identifier: GPL-2.0-only
#include "guest/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){0};
}

void text_reserve(struct text *text, size_t more)
{
	size_t size = text->size ? text->size : 4096;

	while (size - text->length <= more)
		size *= 2;
	if (size == text->size)
		return;
	text->data = realloc(text->data, size);
	if (!text->data)
		abort();
	text->size = size;
}

void text_add(struct text *text, const void *data, size_t length)
{
	text_reserve(text, length);
	memcpy(text->data + text->length, data, length);
	text->length += length;
	text->data[text->length] = '\0';
}

void text_printf(struct text *text, const char *format, ...)
{
	char line[512];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (length > 0)
		text_add(text, line,
			 length < (int)sizeof(line) ? (size_t)length : sizeof(line) - 1);
}
