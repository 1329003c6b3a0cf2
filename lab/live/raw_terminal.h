/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The user's terminal while keys go to a guest. However this process ends, short of SIGKILL, and
 * whenever it is stopped, the terminal gets its settings back.
 */
#ifndef LIVE_RAW_TERMINAL_H
#define LIVE_RAW_TERMINAL_H

#include <glib.h>
#include <stdbool.h>

/* stdin becomes raw. False: it is no terminal. */
bool raw_terminal_enter(void);
void raw_terminal_leave(void);
/* 24 x 80 when it has no size. */
void raw_terminal_size(unsigned *rows, unsigned *columns);

#endif
