/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trees that topolab unpacks for itself, in the cache: one folder for each origin, on which patch
 * series come and go, so that make finds only the files changed that two series do not share.
 */
#ifndef KERNEL_SOURCES_H
#define KERNEL_SOURCES_H

#include "base/auto.h"
#include "kernel/kernel.h"

/* In a tree's folder, while the tree is whole. */
#define SOURCES_VERSION "version"

/* Where a tree comes from. */
struct sources_origin {
	char *id;      /* names its folder in the cache */
	char *version; /* of what lies there: a commit; "" when the id says it all */
	/* Makes the folder @tree, which is not there, and the whole tree in it. */
	bool (*unpack)(const char *tree, const struct kernel_options *options, void *data,
		       GError **error);
	/* Turns the tree of another version into this one; NULL: it is unpacked anew. */
	bool (*move)(const char *tree, const struct kernel_options *options, void *data,
		     GError **error);
	void *data;
	GDestroyNotify data_free;
};

/* Takes @id and @data; the caller sets what else there is. */
struct sources_origin *sources_origin_new(char *id, void *data, GDestroyNotify data_free);
void sources_origin_free(struct sources_origin *origin);
AUTO_DEFINE(sources_origin, sources_origin_free)

struct sources {
	char *folder; /* in the cache; NULL: the tree is the user's */
	char *tree;   /* below it; absolute */
	int lock;     /* of whoever patches or builds it */
};

/*
 * The unpacked tree, with whatever patches were last put on it. Waits for another topolab that uses
 * it. A tree that was left half-made or half-patched is unpacked anew. Errors are the origin's.
 */
struct sources *sources_open(const struct sources_origin *origin,
			     const struct kernel_options *options, GError **error);
void sources_close(struct sources *sources);
AUTO_DEFINE(sources, sources_close)

/* A tree of the user's, as it is: nothing waits for it, nothing changes it. */
struct sources *sources_of_user(const char *tree);

/*
 * Makes @patches (texts of files, NULL-terminated) the series that is on the tree. @names: of the
 * same number, for messages. One that does not apply is ERROR_BUILD with what patch(1) says.
 */
bool sources_patch(struct sources *sources, const char *const *names, const char *const *patches,
		   const struct kernel_options *options, GError **error);

#endif
