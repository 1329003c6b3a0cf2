/* SPDX-License-Identifier: GPL-2.0-only */
/* KVM or TCG: what the user asked for, and what this host can do. */
#ifndef RUN_ACCEL_H
#define RUN_ACCEL_H

#include "emit/emit.h"

#include <glib.h>
#include <stdbool.h>

/* "auto", "kvm" or "tcg", as it stands in @text; NULL: ERROR_INPUT. */
const char *accel_require(const char *text, GError **error);

struct accel_question {
	const char *wanted; /* what accel_require() returned */
	const char
		*kernel_path; /* a bzImage to boot under KVM, if nobody knows yet whether one can */
	unsigned silence_seconds; /* that it may take without a byte; 0: the default */
	bool for_bisect;	  /* a step of git bisect takes what the first step took */
	void (*say)(const char *text, void *data); /* a sentence for the user */
	void *data;
};

/* ERROR_LAB: KVM was asked for and does not work. */
bool accel_choose(const struct accel_question *question, enum emit_accel *accel, GError **error);

#endif
