/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CPUID dump of one CPU, as the agent writes it: lines "MASK EAX EBX ECX EDX => EAX EBX ECX EDX",
 * all hexadecimal; mask 1 when only EAX counts as input, 5 when ECX does too.
 */
#ifndef OBSERVE_CPUID_H
#define OBSERVE_CPUID_H

#include "base/auto.h"

#include <glib.h>
#include <stdbool.h>

struct cpuid_leaf {
	guint32 leaf, subleaf;
	guint32 eax, ebx, ecx, edx;
};

/* What a dump says about its CPU. */
struct cpuid_identity {
	char vendor[13];
	int family, model, stepping;
	unsigned lacks; /* 1 << enum topo_lack */
	guint32 apic_id;
};

struct cpuid_dump;

/* @member: for messages. ERROR_LAB: malformed, a leaf twice, too many lines. */
struct cpuid_dump *cpuid_dump_parse(const char *text, const char *member, GError **error);
void cpuid_dump_free(struct cpuid_dump *dump);
AUTO_DEFINE(cpuid_dump, cpuid_dump_free)

/* NULL when the dump lacks it; a leaf without subleaves has subleaf 0. */
const struct cpuid_leaf *cpuid_dump_find(const struct cpuid_dump *dump, guint32 leaf,
					 guint32 subleaf);
/* ERROR_LAB when leaf 0 or 1 is missing. */
bool cpuid_dump_identity(const struct cpuid_dump *dump, const char *member,
			 struct cpuid_identity *identity, GError **error);
/* The same leaves for hwloc to load, adapted where it reads less of the manuals than Linux. */
char *cpuid_dump_for_hwloc(const struct cpuid_dump *dump);

#endif
