/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one check finds while it compares. It counts what it compared, so that a check that compared
 * nothing cannot pass, and it folds equal findings of many CPUs into one, so that a report of a
 * 256-CPU machine stays readable.
 */
#ifndef VERDICT_FINDINGS_H
#define VERDICT_FINDINGS_H

#include "verdict/verdict.h"

struct findings;

/*
 * @verdict: what a finding means. @unit: what is counted, plural ("domains"). @evidence: the member
 * that was read, NULL when there is no single one. The strings must live until findings_close().
 */
struct findings *findings_new(const char *name, enum verdict verdict, const char *unit,
			      const char *evidence);
void findings_compared(struct findings *findings, guint n);
guint findings_count_compared(const struct findings *findings);

/*
 * Strings are copied. @cpu and @level are -1 where they do not apply; findings that differ only in
 * @cpu are one. NULL @evidence: the member given to findings_new().
 */
struct finding {
	int cpu, level;
	const char *expected, *observed, *rule, *reason, *evidence;
};
void findings_add(struct findings *findings, const struct finding *finding);

/*
 * Writes the check: PASS with what was compared, the findings, or ERROR when nothing was compared.
 * Frees @findings.
 */
void findings_close(struct findings *findings, struct checks *checks);

#endif
