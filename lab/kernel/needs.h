/* SPDX-License-Identifier: GPL-2.0-only */
/* What a kernel must be built with to be judged here, and what each option that lacks costs. Pure.
 */
#ifndef KERNEL_NEEDS_H
#define KERNEL_NEEDS_H

#include "base/kernel_facts.h"

#include <glib.h>
#include <stdbool.h>

enum need_cost {
	NEED_VERDICT,  /* without it no machine gets a verdict */
	NEED_MACHINES, /* without it some machines are skipped */
	NEED_DOMAINS,  /* without it the kernel builds fewer domains, and fewer are expected */
	NEED_SPEED,    /* without it a run takes longer */
	NEED_COUNT,
};
const char *need_cost_name(enum need_cost cost); /* "no verdict", "machines", "domains", "speed" */
bool need_cost_from_name(const char *name, enum need_cost *cost);

struct kernel_need {
	const char *symbol; /* without CONFIG_ */
	unsigned least;	    /* of a number; 0: it has to be built in */
	unsigned since;	    /* KERNEL_VERSION_OF(); 0: always there */
	unsigned until;	    /* from this version on nobody is asked; 0: still */
	enum need_cost cost;
	const char *sentence; /* what its lack costs */
};

/* The version that a config file's text says it is for, or NULL. Caller frees. */
char *kernel_config_version(const char *text);
/* The needs that @facts, whose config is known, do not meet; worst first. Elements are static. */
GPtrArray *kernel_needs_unmet(const struct kernel_facts *facts);

#endif
