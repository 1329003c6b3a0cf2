/* SPDX-License-Identifier: GPL-2.0-only */
/* The comparators that judge() puts together. Each adds checks, one at least. */
#ifndef VERDICT_COMPARE_H
#define VERDICT_COMPARE_H

#include "base/root.h"
#include "expect/situation.h"
#include "verdict/verdict.h"

/*
 * Witness 1 against witness 2: "guest.*" checks, ERROR where they differ, since then the lab did
 * not build the machine.
 */
void compare_guest(const struct view *model, const struct view *hardware, struct checks *checks);

/* Fills in what a SRAT or SLIT that is not there means. */
void view_imply_tables(struct view *hardware);

/* All is borrowed. */
struct presence {
	const struct view *model, *hardware;
	const struct cpus *started; /* those of the model's CPUs that must run */
	const struct cpus *online;  /* those that do, as /sys has it */
};

/*
 * Of a MADT that is the model's: "kernel.presence", @lost where the kernel did not start one of the
 * CPUs that must run, FAIL where it runs another or numbers them otherwise. False: nothing else can
 * be compared CPU by CPU then.
 */
bool check_presence(const struct presence *presence, enum verdict lost, struct checks *checks);

/*
 * The CPUs that may exist are 0 to @n - 1: "kernel.possible", FAIL where the kernel of the evidence
 * takes others to be possible.
 */
void check_possible(unsigned n, struct root *evidence, struct checks *checks);

/*
 * Witness 2 against witness 3's reading: "kernel.*" checks, FAIL where they differ, SKIP for what
 * the kernel is built without.
 */
void compare_kernel(enum topo_vendor vendor, const struct kernel_facts *facts,
		    const struct view *hardware, const struct view *system, struct checks *checks);

/* Witness 2 against the ids that debugfs shows: "kernel.ids", FAIL where they differ. */
void compare_topo_ids(const struct view *hardware, const struct view *ids, struct checks *checks);

/*
 * The first judge of the domains: the tree that expect/'s rows make. "domains.cpus": the same CPUs
 * and everything shown (ERROR); "domains.rules": chains, spans, flags and levels (FAIL).
 */
void compare_rules(const struct domain_tree *expected, const struct domain_tree *observed,
		   const struct cpus *online, struct checks *checks);

/* What the rules say, and of what. All is borrowed. */
struct expectation {
	const struct topo *topo;
	const struct kernel_facts *facts;
	const struct situation *situation;
	const struct domain_tree *tree;
};

/* The same; where the config is not known, SKIP if an option that is not set explains all. */
void check_rules(const struct expectation *expectation, const struct domain_tree *observed,
		 struct checks *checks);

/*
 * The second judge: what holds on any kernel. "invariants.*" checks, FAIL where one is broken.
 * @maps: struct cpus *, the online CPUs that balance with each other; one in none has no domain.
 */
void check_invariants(const struct domain_tree *tree, const struct cpus *online,
		      const GPtrArray *maps, struct checks *checks);

struct splat_input {
	const char *name, *stall_name; /* of the two checks */
	GPtrArray *log;		       /* struct kernel_message * */
	GPtrArray *known;	       /* a log judged before: what it told is left out */
	const char *evidence;	       /* what @log was read from */
	/* NULL: none was observed. With it a complaint about groups says what they lack. */
	const struct domain_tree *tree;
	double vcpus_per_host_cpu; /* above 1 a stall is ERROR, else FAIL */
};

/* What a healthy kernel never prints (FAIL), and vCPUs that got no time. */
void check_splats(const struct splat_input *input, struct checks *checks);

/* The span of @domain that none of its groups covers; NULL when groups are not shown. */
struct cpus *domain_uncovered(const struct domain *domain);

#endif
