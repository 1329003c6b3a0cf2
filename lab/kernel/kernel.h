/* SPDX-License-Identifier: GPL-2.0-only */
/* Where kernels come from: a file in kernels/ that names a source, or a path. */
#ifndef KERNEL_KERNEL_H
#define KERNEL_KERNEL_H

#include "base/auto.h"
#include "base/kernel_facts.h"

#include <glib.h>
#include <stdbool.h>

struct kernel_source;
struct sources;
struct sources_origin;

struct kernel {
	char *name;	  /* as the user wrote it: "debian-6.12", or the file's base name */
	char *image_path; /* a bzImage that nobody will change: in the cache, or the user's own */
	char *sha256;	  /* of the image */
	char *package;	  /* "linux-image-... 6.12.117-1~deb12u1"; NULL unless from a package */
	char *config;	  /* the whole text; NULL: not known */
	char *vmlinux;	  /* of the user's tree that it was built in; see kernel_vmlinux() */
	struct kernel_facts *facts;
	struct cache_hold *hold;	    /* NULL unless it lies in the cache */
	const struct kernel_source *source; /* where it came from, with what its file says */
	GHashTable *fields;
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
 * @which: a name from kernels/, or a path (it holds a '/', or is "." or "..") of a bzImage, of a
 * kernel file (.yaml) or of a tree of sources, which is built. Where something is built, "+NAME"
 * behind it puts the fragment kernels/NAME.config on its config. Fetches what the cache lacks.
 * Unknown name, not a bzImage, truncated or of another architecture: ERROR_INPUT. A tree that does
 * not build: ERROR_BUILD. Mirror, signature, disk: ERROR_LAB.
 */
struct kernel *kernel_get(const char *which, const struct kernel_options *options, GError **error);
/*
 * The tree that @kernel was made from, see sources.h; unpacked first, if need be.
 * ERROR_UNSUPPORTED: nobody knows where it lies.
 */
struct sources *kernel_sources(const struct kernel *kernel, const struct kernel_options *options,
			       GError **error);
/* The same of what kernel_get() would get; nothing is built for it. */
struct sources *kernel_sources_find(const char *which, const struct kernel_options *options,
				    GError **error);
/*
 * The vmlinux that names @kernel's addresses: of the user's tree that it was built in, or by
 * symbols_find(). It may be of another build. NULL: there is none. Caller frees.
 */
char *kernel_vmlinux(const struct kernel *kernel);
void kernel_free(struct kernel *kernel);
AUTO_DEFINE(kernel, kernel_free)

/* Sorted names of every file in kernels/, and of the fragments there. */
char **kernel_list(void);
char **kernel_list_fragments(void);

/*
 * "NAME+X+Y" -> "NAME", and "X", "Y" in @fragments (NULL-terminated, caller frees both). Pure; of a
 * path only what stands behind its last '/' is looked at.
 */
char *kernel_split_fragments(const char *which, char ***fragments);

/*
 * Facts from the bzImage's own header (Documentation/arch/x86/boot.rst): magic, protocol version,
 * 64-bit entry point, length against syssize, and the release string. Pure; the errors above.
 */
struct kernel_facts *bzimage_facts(const guint8 *data, gsize length, const char *path,
				   GError **error);
/* Where in it its vmlinux lies, compressed. Pure; false: nowhere. */
bool bzimage_payload(const guint8 *data, gsize length, gsize *offset, gsize *size);

enum field_kind {
	FIELD_TEXT,
	FIELD_PATH,  /* from the kernel file's folder on; the value is that, joined */
	FIELD_PATHS, /* blank separated in the file; the value is a path a line */
};

/* A key that a source understands below its own. */
struct kernel_field {
	const char *name, *help;
	bool required;
	enum field_kind kind;
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
	 * NULL: it is built from the sources of @origin, with recipe.h's fields.
	 */
	bool (*fetch)(GHashTable *fields, const struct kernel_options *options,
		      struct kernel *kernel, GError **error);
	/*
	 * Where the sources lie that @kernel is, or was, made of. NULL: nobody knows, or it is the
	 * user's tree.
	 */
	struct sources_origin *(*origin)(GHashTable *fields, const struct kernel *kernel,
					 const struct kernel_options *options, GError **error);
	/* The user's tree: the field with its path. */
	const char *tree_field;
	/* Is it on this machine, so that nothing need be fetched? A look, without checksums. */
	bool (*present)(GHashTable *fields);
};

/* The sources for --help, a line each. Caller frees. */
char *kernel_source_notes(void);

/* Sorted, NULL-terminated. */
extern const struct kernel_source *const kernel_source_table[];

#endif
