/* SPDX-License-Identifier: GPL-2.0-only */
/* Whoever called sudo: what root makes for them in their own folders is to be theirs. */
#ifndef BASE_CALLER_H
#define BASE_CALLER_H

#include <stdbool.h>
#include <sys/types.h>

/* Do we run as root through an ordinary user's sudo? */
bool caller_find(uid_t *uid, gid_t *gid);
/* Does @path, which links may lead to, belong to that user? False without one. */
bool caller_owns(const char *path);
/*
 * Gives @path, and if it is a folder what is below it, to that user; only what root owns, in a
 * folder that is the user's. No link is followed, and a file with a second name keeps its owner.
 */
void caller_give(const char *path);

#endif
