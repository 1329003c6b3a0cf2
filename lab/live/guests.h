/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guests that stay up, each with a file NAME.up in the runtime folder. Its keeper holds the
 * file's lock (flock(2)) for as long as it lives, which makes names unique and dead keepers plain.
 */
#ifndef LIVE_GUESTS_H
#define LIVE_GUESTS_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

/* What the file holds, as JSON. */
struct guest {
	char *topology, *kernel, *accel; /* names */
	char *verdict;			 /* NULL while it boots, as the three below */
	char *root;			 /* its socket lies here */
	char *folder;			 /* its files, absolute */
	char *started;			 /* UTC, ISO 8601 */
	gint64 pid;			 /* the keeper's, for people to read */
};

void guest_free(struct guest *guest);
AUTO_DEFINE(guest, guest_free)
char *guest_format(const struct guest *guest);
/* ERROR_LAB when it is not what guest_format() makes. */
struct guest *guest_parse(const char *text, gsize length, GError **error);

/* Takes the name: a descriptor that holds the lock. -1: ERROR_INPUT when it is taken. */
int guests_claim(const char *topology, GError **error);
bool guests_write(int claim, const struct guest *guest, GError **error);
/* Gives the name back. */
void guests_release(int claim, const char *topology);

/* The live guest of that name. NULL without error: there is none. */
struct guest *guests_find(const char *topology, GError **error);
/* All of them, struct guest *, by name; files of dead keepers are removed. */
GPtrArray *guests_list(GError **error);

/* The socket on which a guest's keeper listens, in its root. Caller frees. */
char *guest_socket(const char *root);

#endif
