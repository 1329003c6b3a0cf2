/* SPDX-License-Identifier: GPL-2.0-only */
/* What the invariants share; only invariants.c and its parts include this. */
#ifndef VERDICT_INVARIANTS_H
#define VERDICT_INVARIANTS_H

#include "base/cpus.h"
#include "verdict/compare.h"
#include "verdict/findings.h"

/* What one invariant looks at, and where it tells what it found. */
struct scene {
	const struct domain_tree *tree;
	const struct cpus *online;
	const char *sentence; /* the invariant */
	struct findings *findings;
};

/* NULL sets are not told. */
void scene_broken(const struct scene *scene, int cpu, int level, const char *reason,
		  const struct cpus *expected, const struct cpus *observed);
/* Calls @check for every domain; @child is NULL for the innermost. */
void scene_each_domain(const struct scene *scene,
		       void (*check)(const struct scene *scene, unsigned cpu,
				     const struct domain *domain, const struct domain *child));
/* For sentences; a domain whose name is not shown is "the domain". */
const char *domain_title(const struct domain *domain);

/* invariant_overlap.c */
void check_disjoint(const struct scene *scene);

/* invariant_groups.c; all of them look only at domains whose groups are shown */
void check_first_group(const struct scene *scene);
void check_groups_cover(const struct scene *scene);
void check_balance_mask(const struct scene *scene);

#endif
