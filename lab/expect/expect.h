/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a kernel must build from a machine: the transcription of its topology code, as rows that
 * are keyed by version. Pure; knows nothing of how the machine is made or observed.
 */
#ifndef EXPECT_EXPECT_H
#define EXPECT_EXPECT_H

#include "base/kernel_facts.h"
#include "topo/domains.h"
#include "topo/topo.h"

/*
 * The domains of every CPU, after degeneration, each with the name of the row that made it.
 * ERROR_UNSUPPORTED for a kernel older or newer than every row.
 */
struct domain_tree *expect_domains(const struct topo *topo, const struct kernel_facts *facts,
				   GError **error);

#endif
