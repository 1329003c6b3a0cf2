/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Strict reading of kernel text: each function reads one thing at the cursor and moves past it, or
 * returns false and leaves the cursor where it was.
 */
#ifndef OBSERVE_SCAN_H
#define OBSERVE_SCAN_H

#include <glib.h>
#include <stdbool.h>

bool scan_literal(const char **cursor, const char *literal);
/* Decimal digits; false on overflow or beyond @max. */
bool scan_decimal(const char **cursor, guint64 max, guint64 *value);
/* Hexadecimal digits without prefix, at most 32 bits. */
bool scan_hex32(const char **cursor, guint32 *value);
/* A name: printable ASCII without blanks. */
char *scan_word(const char **cursor);
/* Everything up to the first of @ends or the end of the text, at least one character. */
char *scan_until(const char **cursor, const char *ends);

#endif
