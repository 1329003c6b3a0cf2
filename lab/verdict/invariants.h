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
	const GPtrArray *maps;
	const char *sentence; /* the invariant */
	struct findings *findings;
};

/* Looks at one domain; @child is NULL for the innermost. */
typedef void (*domain_check)(const struct scene *scene, unsigned cpu, const struct domain *domain,
			     const struct domain *child);

/* NULL sets are not told. */
void scene_broken(const struct scene *scene, int cpu, int level, const char *reason,
		  const struct cpus *expected, const struct cpus *observed);
/* The CPUs that @cpu balances with; NULL: none. */
const struct cpus *scene_map(const struct scene *scene, unsigned cpu);
/* For sentences; a domain whose name is not shown is "the domain". */
const char *domain_title(const struct domain *domain);

/* invariant_overlap.c */
void check_disjoint(const struct scene *scene);

/* invariant_groups.c; all of them look only at domains whose groups are shown */
void check_first_group(const struct scene *scene, unsigned cpu, const struct domain *domain,
		       const struct domain *child);
void check_groups_cover(const struct scene *scene, unsigned cpu, const struct domain *domain,
			const struct domain *child);
void check_balance_mask(const struct scene *scene, unsigned cpu, const struct domain *domain,
			const struct domain *child);

#endif
