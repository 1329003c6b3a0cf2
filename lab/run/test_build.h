/* SPDX-License-Identifier: GPL-2.0-only */
/* Builds the programs of guest tests for one kernel. */
#ifndef RUN_TEST_BUILD_H
#define RUN_TEST_BUILD_H

#include "base/auto.h"
#include "kernel/kernel.h"
#include "run/guest_test.h"

#include <glib.h>
#include <stdbool.h>

struct test_builder;

/*
 * @selftests: the tree that programs of the kernel's selftests are taken from; NULL: the sources of
 * @kernel. Nothing is fetched or built yet; all three must outlive it.
 */
struct test_builder *test_builder_new(const struct kernel *kernel, const char *selftests,
				      const struct kernel_options *options);
void test_builder_free(struct test_builder *builder);
AUTO_DEFINE(test_builder, test_builder_free)

/*
 * Finds what the programs of @test are made of; of the kernel's selftests that is its tree, which
 * is fetched if need be and held until the end. *@own: is what it lacks the kernel's own fault?
 * ERROR_INPUT when nobody knows where the tree lies.
 */
bool test_builder_open(struct test_builder *builder, const struct guest_test *test, bool *own,
		       GError **error);
/*
 * *@bytes: the program, the same ones for programs of one target; or NULL, and *@reason says why it
 * cannot be had. False: the lab cannot build anything. After test_builder_open().
 */
bool test_builder_build(struct test_builder *builder, const struct guest_test *test,
			const struct guest_program *program, GBytes **bytes, char **reason,
			GError **error);

/* "6.12" -> KERNEL_VERSION_OF(6, 12, 0) */
unsigned series_version(const char *series);

#endif
