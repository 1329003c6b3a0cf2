/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tests/guest/NAME/test.yaml: which programs a test runs in the guest, how they are built, and on
 * which kernels they must pass. tests/guest/README.md explains every key.
 */
#ifndef RUN_GUEST_TEST_H
#define RUN_GUEST_TEST_H

#include "base/auto.h"
#include "verdict/programs.h"

#include <glib.h>
#include <stdbool.h>

struct guest_program {
	char *name;	    /* "basic_test" */
	GPtrArray *sources; /* char *: below the folder of the sources; all are there */
	char *target;	    /* what that folder's Makefile makes of them; NULL: we compile them */
	GPtrArray *helpers; /* char *: the same, compiled with it where the folder has them */
	GPtrArray *flags;   /* char *: for the compiler */
	GPtrArray *environment; /* char *: "NAME=value" */
	GPtrArray *runs;	/* GPtrArray * of char *: the arguments of each run; at least one */
	GPtrArray *needs;	/* char *: options of a kernel's config, without CONFIG_ */
	unsigned memory_mib;	/* that a machine must have; 0: any */
	unsigned seconds;	/* on a host with a CPU for each vCPU */
	enum answer answer;
	bool timing;	      /* it measures time: KVM, and a CPU of the host for each vCPU */
	char *since;	      /* "6.3": older kernels lack what it tests; NULL: none does */
	GPtrArray *must_pass; /* char *: "6.12": the kernels on which it must run and pass */
};

struct guest_test {
	char *name, *title, *group; /* group: NULL: none */
	char *folder;		    /* of test.yaml */
	char *selftests;	    /* below tools/testing/selftests; NULL: the sources lie here */
	GPtrArray *include;	    /* char *: folders for headers, below the kernel's tree */
	bool patches_code;	    /* it makes the kernel patch its own code time and again */
	GPtrArray *programs;	    /* struct guest_program * */
};

/* Pure. @name: the test's; @file is only for messages. ERROR_INPUT. */
struct guest_test *guest_test_parse(const char *text, gsize length, const char *name,
				    const char *file, GError **error);
void guest_test_free(struct guest_test *test);
AUTO_DEFINE(guest_test, guest_test_free)

/* Sorted names of the folders in tests/guest that hold a test.yaml. */
char **guest_test_list(void);
/* @which: a name, or with a '/' in it the path of a test's folder. ERROR_INPUT. */
struct guest_test *guest_test_load(const char *which, GError **error);

#endif
