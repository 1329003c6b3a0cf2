/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of text for a terminal, at most REPORT_WIDTH columns wide where the words allow it. */
#ifndef REPORT_LINES_H
#define REPORT_LINES_H

#include "report/report.h"

#include <glib.h>

#define REPORT_WIDTH 100

/*
 * A guest's bytes must not reach the terminal: control characters and broken UTF-8 become '?', and
 * without UTF-8 every other character that is not ASCII too. Caller frees.
 */
char *lines_printable(const char *text, const struct report_style *style);
/* The same, of at most @max characters: what was cut off ends in "...". */
char *lines_printable_cut(const char *text, glong max, const struct report_style *style);

/*
 * Appends @first and then the words of @text, wrapped; further lines begin with @rest. CPU lists
 * may also break after a comma.
 */
void lines_wrap(GString *out, const char *first, const char *rest, const char *text);

#endif
