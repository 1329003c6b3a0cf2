/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel must build from a machine: the transcription of its topology code, as rows that
 * are keyed by version. Pure; knows nothing of how the machine is made or observed.
 */
#ifndef EXPECT_EXPECT_H
#define EXPECT_EXPECT_H

#include "base/kernel_facts.h"
#include "expect/situation.h"
#include "topo/domains.h"
#include "topo/topo.h"

/*
 * The domains of every CPU, after degeneration, each with its groups and the name of the row that
 * made it; a kernel newer than every row gets the newest. Balance masks are there for domains whose
 * groups may overlap, whether the kernel would print them or not. ERROR_UNSUPPORTED: a kernel older
 * than 6.1, or a boot argument or machine of which it is not known what this kernel makes.
 */
struct domain_tree *expect_domains(const struct topo *topo, const struct kernel_facts *facts,
				   const struct situation *situation, GError **error);

/* The same of a machine that was just booted with its own boot arguments. */
struct domain_tree *expect_booted(const struct topo *topo, const struct kernel_facts *facts,
				  GError **error);

#endif
