/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The scheduler's domains of every CPU: what expect/ predicts and what observe/ reads back, in one
 * type. Domains of a CPU run from the inside out.
 */
#ifndef TOPO_DOMAINS_H
#define TOPO_DOMAINS_H

#include "base/auto.h"
#include "base/cpus.h"

#include <jansson.h>

struct domain_group {
	struct cpus *span;
	struct cpus *mask; /* balance mask; NULL where not shown */
	int id;		   /* first CPU of the balance mask; -1 where not shown */
};

/* What debugfs shows of a domain as plain numbers; the names are those of its files. */
enum domain_number {
	DOMAIN_MIN_INTERVAL, /* ms between two balancing runs, at least */
	DOMAIN_MAX_INTERVAL, /* ms, at most */
	DOMAIN_BUSY_FACTOR,  /* the interval's factor on a busy CPU */
	DOMAIN_IMBALANCE_PCT,
	DOMAIN_CACHE_NICE_TRIES,
	DOMAIN_NUMBER_COUNT,
};
const char *domain_number_name(enum domain_number number);
bool domain_number_from_name(const char *name, enum domain_number *number);

struct domain {
	unsigned index;	    /* N of domainN */
	int level;	    /* debugfs' level: index before degeneration; -1 where not shown */
	char *name;	    /* "SMT"; NULL where not shown */
	char *flags;	    /* blank separated, in the kernel's order; NULL where not shown */
	char *groups_flags; /* those that the first group has of its domain below; as flags */
	gint64 number[DOMAIN_NUMBER_COUNT]; /* -1 where not shown, or where none is expected */
	struct cpus *span;		    /* never NULL */
	GPtrArray *groups; /* struct domain_group *, own group first; NULL where not shown */
	char *rule;	   /* expect/'s row that made it; NULL when observed */
};

struct domain_tree;

struct domain_tree *domain_tree_new(void);
void domain_tree_free(struct domain_tree *tree);
AUTO_DEFINE(domain_tree, domain_tree_free)

/*
 * Appends an empty domain with the next index to @cpu's chain; the caller fills it in, and what it
 * puts there belongs to the tree.
 */
struct domain *domain_tree_append(struct domain_tree *tree, unsigned cpu);
/* Makes @cpu known although it has no domain (an isolated CPU). */
void domain_tree_touch(struct domain_tree *tree, unsigned cpu);
/* From here on groups are shown, even if there is none: a domain without groups is a fault. */
void domain_show_groups(struct domain *domain);
/* Takes the reference to @span over; mask and id start as not shown. */
struct domain_group *domain_add_group(struct domain *domain, struct cpus *span);

/* The CPUs the tree knows, with or without domains. */
const struct cpus *domain_tree_cpus(const struct domain_tree *tree);
unsigned domain_tree_depth(const struct domain_tree *tree, unsigned cpu); /* number of domains */
/* NULL when the chain is not that long. */
struct domain *domain_tree_get(const struct domain_tree *tree, unsigned cpu, unsigned index);

/*
 * CPUs of equal shape (names, flags and span sizes level by level): the first CPU of each class,
 * in CPU order -> its class. Caller frees the array; the elements are struct cpus *.
 */
GPtrArray *domain_tree_shapes(const struct domain_tree *tree);

/* {"cpus":[{"cpu":0,"domains":[...]},...]}, the shape documented in report/result.schema.json. */
json_t *domain_tree_to_json(const struct domain_tree *tree);
/* ERROR_INPUT, naming the member: cpus[3].domains[1].span. */
struct domain_tree *domain_tree_from_json(const json_t *json, GError **error);

#endif
