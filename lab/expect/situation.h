/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel was told about a machine, and what was done to it since: which of its CPUs are
 * online, which of them balance with each other, and what boot arguments change in its levels.
 */
#ifndef EXPECT_SITUATION_H
#define EXPECT_SITUATION_H

#include "base/auto.h"
#include "base/cpus.h"
#include "base/kernel_facts.h"
#include "topo/topo.h"

#include <glib.h>
#include <stdbool.h>

/* Sets are of Linux's CPU numbers; nobody changes a set that is in here, it is replaced. */
struct situation {
	struct cpus *present;  /* that the kernel numbers */
	struct cpus *booted;   /* online when the kernel fixed its levels: native_smp_cpus_done() */
	struct cpus *online;   /* now */
	struct cpus *isolated; /* that isolcpus= took out of every domain */
	/*
	 * struct cpus *: CPUs that cpuset partitions took out of the first one, online or not. The
	 * first partition is what they leave of the CPUs that are not isolated.
	 */
	GPtrArray *partitions;
	struct cpus *singles;	/* CPUs of isolated cpuset partitions: they have no domain */
	bool threads_off;	/* nosmt: the kernel counts one thread per core */
	bool one_node;		/* numa=off */
	unsigned split_llc;	/* 0: the LLC is not split */
	int relax_domain_level; /* -1: not given */
	unsigned nr_cpus;	/* 0: not given */
	bool rebuilt;		/* CPUs came or went, or partitions changed, after boot */
	bool shrunk;		/* CPUs went after boot */
};

/*
 * A machine that was just booted with @command_line (as in /proc/cmdline). ERROR_UNSUPPORTED,
 * naming the argument, when one of them changes the machine in a way that nothing here knows.
 */
struct situation *situation_new(const struct topo *topo, const struct kernel_facts *facts,
				const char *command_line, GError **error);
void situation_free(struct situation *situation);
AUTO_DEFINE(situation, situation_free)

/*
 * The sets of CPUs that the kernel builds domains for, one by one: struct cpus *, none empty. A CPU
 * in none of them has no domain.
 */
GPtrArray *situation_maps(const struct situation *situation);

#endif
