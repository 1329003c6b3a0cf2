/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of command line options, read strictly; errors are ERROR_INPUT and name the option. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

/* A whole number from @low to @high without sign, blank or leading zero. */
bool option_number(const char *option, const char *text, unsigned low, unsigned high,
		   unsigned *value, GError **error);
/* Bytes: a whole number, with K, M, G or T behind it for the binary units. */
bool option_size(const char *option, const char *text, guint64 *bytes, GError **error);
/* Appends to a NULL-terminated list that may be NULL. */
void option_append(char ***list, const char *text);

#endif
