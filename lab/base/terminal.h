/* SPDX-License-Identifier: GPL-2.0-only */
/* What standard output can show. */
#ifndef BASE_TERMINAL_H
#define BASE_TERMINAL_H

#include <stdbool.h>

bool terminal_is_utf8(void);	/* by the locale */
bool terminal_has_colour(void); /* a terminal, and NO_COLOR is unset or empty */

#endif
