/* SPDX-License-Identifier: GPL-2.0-only */
/* A shell and tools for a guest that stays up: one static program of the distribution. */
#ifndef LIVE_BUSYBOX_H
#define LIVE_BUSYBOX_H

#include <glib.h>

/*
 * $TOPOLAB_BUSYBOX, else /bin/busybox. NULL without error: there is none, or it is not static; @why
 * then receives a sentence that says what to install. What the variable names and cannot be used is
 * ERROR_INPUT.
 */
GBytes *busybox_find(char **why, GError **error);

#endif
