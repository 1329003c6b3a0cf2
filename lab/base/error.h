/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One error domain for the whole tool. Functions report through GError; the message is one whole
 * sentence that names both sides, callers may prefix it, and only main() prints it.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <glib.h>

/* The code says whose fault it is, and with it the exit status. */
enum topolab_error_code {
	ERROR_INPUT,	   /* bad usage or input: exit 2, nothing was started */
	ERROR_BUILD,	   /* a kernel's tree cannot be configured or built: exit 2 */
	ERROR_LAB,	   /* the lab or the host failed: verdict ERROR, exit 3 */
	ERROR_UNSUPPORTED, /* this host, QEMU or kernel cannot do it: verdict SKIP, exit 77 */
};

#define TOPOLAB_ERROR topolab_error_quark()
GQuark topolab_error_quark(void);

/* Exit status for an error that ends the program; foreign domains count as ERROR_LAB. */
int error_exit_status(const GError *error);
/*
 * The message for a terminal: a message may quote a file or a guest as it is, and what they hold
 * must not command the terminal. Caller frees.
 */
char *error_text(const GError *error);

#endif
