/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The test programs that a kernel gets: built before any guest starts, or skipped with the reason.
 */
#ifndef RUN_TEST_PLAN_H
#define RUN_TEST_PLAN_H

#include "base/auto.h"
#include "image/initramfs.h"
#include "kernel/kernel.h"

#include <glib.h>
#include <stdbool.h>

struct test_plan;

/* What the user brings for tests. */
struct test_supplies {
	const char *selftests; /* the tree of the kernel's selftests; NULL: the kernel's own */
	GBytes *scheduler;     /* see scheduler.h; NULL: none */
};

/*
 * @tests: struct guest_test *. Programs of the kernel's selftests come from the user's tree or the
 * sources of @kernel, fetched if need be. ERROR_INPUT when nobody knows these. Of a program that
 * does not build the plan holds the reason. @tests must outlive it.
 */
struct test_plan *test_plan_new(const GPtrArray *tests, const struct kernel *kernel,
				const struct test_supplies *supplies,
				const struct kernel_options *options, GError **error);
void test_plan_free(struct test_plan *plan);
AUTO_DEFINE(test_plan, test_plan_free)

/* What a guest is given of its host. */
struct test_host {
	unsigned slow;	     /* how many times the seconds of its test a program gets */
	unsigned memory_mib; /* of the guest */
	/* Why a test that measures time finds nothing out there; NULL: it does. */
	const char *untimely;
};

/* struct program *, each with its @end PROGRAM_SKIPPED or PROGRAM_UNHEARD. */
GPtrArray *test_plan_programs(const struct test_plan *plan, const struct test_host *host);
/* Does a program that a guest there gets make its kernel patch code time and again? */
bool test_plan_patches_code(const struct test_plan *plan, const struct test_host *host);
/* @initramfs with the programs, and the file that tells the agent to run them. */
GBytes *test_plan_add(const struct test_plan *plan, const struct test_host *host, GBytes *initramfs,
		      GError **error);

#endif
