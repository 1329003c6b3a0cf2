/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between two results: kernel, command line, verdict, checks and domains. Times, the
 * host and its versions of QEMU and libvirt may differ. Pure.
 */
#ifndef REPORT_DIFF_H
#define REPORT_DIFF_H

#include "report/report.h"
#include "topo/domains.h"

struct diff_side {
	const char *name; /* where it was read from */
	const struct result *result;
	const struct domain_tree *domains; /* NULL: none were seen */
};

/* Lines as of diff(1), under the names of both; "" when nothing differs. Caller frees. */
char *report_diff(const struct diff_side *left, const struct diff_side *right,
		  const struct report_style *style);

/* Its part about domains, one CPU of each class that differs in the same way. */
void diff_domains(GString *out, const struct domain_tree *left, const struct domain_tree *right,
		  const struct report_style *style);
/* "  - text" or "  + text", made printable; nothing for NULL. */
void diff_line(GString *out, char sign, const char *text, const struct report_style *style);

#endif
