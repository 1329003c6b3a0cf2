/* SPDX-License-Identifier: GPL-2.0-only */
/* A small tree of our own that has the targets of Linux's Makefile, and a cache for what it makes.
 */
#ifndef TESTS_TEST_TREE_H
#define TESTS_TEST_TREE_H

#include "kernel/kernel.h"

#include "base/tree.h"

#include "test_kernel.h"

struct fixture {
	char *folder, *tree, *cache;
	GString *said;
};

/* OUT is where Linux's Makefile would put objects: O=, or the tree. */
#define MAKEFILE                                                                                   \
	"OUT := $(or $(O),$(CURDIR))\n"                                                            \
	"tinyconfig:\n"                                                                            \
	"\t@echo '# CONFIG_SMP is not set' >$(OUT)/.config\n"                                      \
	"olddefconfig:\n"                                                                          \
	"\t@sed -i '/^# CONFIG_SMP /d' $(OUT)/.config\n"

#define MAKE_IMAGE                                                                                 \
	"bzImage:\n"                                                                               \
	"\t@echo '  CC      init/main.o'\n"                                                        \
	"\t@mkdir -p $(OUT)/arch/x86/boot\n"                                                       \
	"\t@cp image $(OUT)/arch/x86/boot/bzImage\n"

static inline void put(const struct fixture *fixture, const char *name, const void *data,
		       gssize length)
{
	g_autofree char *path = g_build_filename(fixture->tree, name, NULL);
	g_autofree char *folder = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, data, length, NULL));
}

static inline void set_up(struct fixture *fixture, gconstpointer data)
{
	g_autofree guint8 *image = test_image_new();

	(void)data;
	fixture->folder = g_dir_make_tmp("topolab-build-XXXXXX", NULL);
	g_assert_nonnull(fixture->folder);
	fixture->tree = g_build_filename(fixture->folder, "linux", NULL);
	fixture->cache = g_build_filename(fixture->folder, "cache", NULL);
	fixture->said = g_string_new(NULL);
	g_setenv("TOPOLAB_CACHE", fixture->cache, TRUE);
	put(fixture, "Makefile", MAKEFILE MAKE_IMAGE, -1);
	put(fixture, "Kconfig", "config SMP\n\tbool\n", -1);
	put(fixture, "arch/x86/Makefile", "", 0);
	put(fixture, "image", image, LENGTH);
}

static inline void tear_down(struct fixture *fixture, gconstpointer data)
{
	(void)data;
	g_unsetenv("TOPOLAB_CACHE");
	g_assert_true(tree_remove(fixture->folder, NULL));
	g_string_free(fixture->said, TRUE);
	g_free(fixture->folder);
	g_free(fixture->tree);
	g_free(fixture->cache);
}

static inline void keep_said(const char *text, void *data)
{
	g_string_append_printf(data, "%s\n", text);
}

static inline struct kernel *get(struct fixture *fixture, GError **error)
{
	struct kernel_options options = {.progress = keep_said, .data = fixture->said};

	return kernel_get(fixture->tree, &options, error);
}

#endif
