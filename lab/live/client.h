/* SPDX-License-Identifier: GPL-2.0-only */
/* One command in a guest that is up, with our own stdin, stdout and stderr. */
#ifndef LIVE_CLIENT_H
#define LIVE_CLIENT_H

#include <glib.h>
#include <stdbool.h>

enum client_mode {
	CLIENT_PIPES,	 /* stdin, stdout and stderr apart, bytes unchanged */
	CLIENT_TERMINAL, /* our terminal becomes the command's */
};

/*
 * Runs @argv in the guest of that name. Returns the command's exit status, 128 + signal when one
 * ended it; with @error set the lab's: ERROR_INPUT or ERROR_LAB.
 */
int client_run(const char *topology, const char *const *argv, enum client_mode mode,
	       GError **error);
/* Puts the file @source into the guest as @target, executable. */
bool client_push(const char *topology, const char *source, const char *target, GError **error);
/* Ends the guest and returns when nothing of it is left. */
bool client_down(const char *topology, GError **error);

#endif
