/* SPDX-License-Identifier: GPL-2.0-only */
/* Where kernels come from: a file in kernels/ that names a source, or a path. */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include "base/auto.h"
#include "base/kernel_facts.h"

#include <glib.h>
#include <stdbool.h>

struct kernel {
	char *name;	  /* as the user wrote it: "debian-6.12", or the file's base name */
	char *image_path; /* a bzImage that nobody will change: in the cache, or the user's own */
	char *sha256;	  /* of the image */
	char *package;	  /* "linux-image-... 6.12.117-1~deb12u1"; NULL unless from a package */
	struct kernel_facts *facts;
	struct cache_hold *hold; /* NULL unless it lies in the cache */
};

/* For whoever does not say which. */
#define KERNEL_DEFAULT "debian-6.12"

struct kernel_options {
	bool offline;  /* never fetch: what is in the cache, or ERROR_LAB */
	bool no_build; /* of a tree of sources the image that is there */
	/* Called with a sentence about what is being done; may be NULL. */
	void (*progress)(const char *text, void *data);
	void *data;
};
/* Makes the sentence and calls progress, if there is one. For sources. */
void kernel_say(const struct kernel_options *options, const char *format, ...) G_GNUC_PRINTF(2, 3);

/*
 * @which: a name from kernels/, or a path (it holds a '/', or is "." or "..") of a bzImage or of a
 * tree of sources, which is built. Fetches what the cache lacks. Unknown name, not a bzImage,
 * truncated or of another architecture: ERROR_INPUT. A tree that does not build: ERROR_BUILD.
 * Mirror, signature, disk: ERROR_LAB.
 */
struct kernel *kernel_get(const char *which, const struct kernel_options *options, GError **error);
void kernel_free(struct kernel *kernel);
AUTO_DEFINE(kernel, kernel_free)

/* Sorted names of every file in kernels/. */
char **kernel_list(void);

/*
 * Facts from the bzImage's own header (Documentation/arch/x86/boot.rst): magic, protocol version,
 * 64-bit entry point, length against syssize, and the release string. Pure; the errors above.
 */
struct kernel_facts *bzimage_facts(const guint8 *data, gsize length, const char *path,
				   GError **error);

/* A key that a source understands below its own. */
struct kernel_field {
	const char *name, *help;
	bool required;
	/* Is this a value it can have? NULL: any text is. @form says what is: "a suite". */
	bool (*valid)(const char *value);
	const char *form;
};

/* One kind of source. Each is a file src_KIND.c that defines one row. */
struct kernel_source {
	const char *kind; /* the key in a kernels/ file: "deb:" */
	const char *help;
	const struct kernel_field *fields; /* ends with an empty row */
	/*
	 * @fields: the mapping below the key, char * -> char *. Leaves the image, its config and a
	 * description of where it came from in the cache and fills @kernel, whose name is set.
	 */
	bool (*fetch)(GHashTable *fields, const struct kernel_options *options,
		      struct kernel *kernel, GError **error);
	/* Is it on this machine, so that nothing need be fetched? A look, without checksums. */
	bool (*present)(GHashTable *fields);
};

/* The sources for --help, a line each. Caller frees. */
char *kernel_source_notes(void);

/* Sorted, NULL-terminated. */
extern const struct kernel_source *const kernel_source_table[];

#endif
