// SPDX-License-Identifier: GPL-2.0-only
#include "vm/patience.h"

/* Seconds. A sysrq takes at most 12 (vm/look.c), or the monitor hangs. */
static const unsigned limits[] = {
	[LOOK_REGISTERS] = 15,
	[LOOK_MEMORY] = 180,
	[LOOK_SYSRQ_L] = 20,
	[LOOK_SYSRQ_W] = 20,
};
_Static_assert(G_N_ELEMENTS(limits) == LOOK_PARTS, "a part of a look without a limit");

void patience_begin(struct patience *patience, gint64 now_usec)
{
	patience->since_usec = now_usec;
	patience->part = LOOK_REGISTERS;
}

void patience_looked(struct patience *patience, enum look_part part, gint64 now_usec)
{
	patience->since_usec = now_usec;
	if (part >= LOOK_SYSRQ_W)
		return;
	patience->part = part + 1;
	if (patience->part == LOOK_MEMORY && !patience->dump_memory)
		patience->part++;
}

bool patience_is_over(const struct patience *patience, gint64 now_usec)
{
	return patience->since_usec &&
	       now_usec - patience->since_usec > (gint64)limits[patience->part] * G_USEC_PER_SEC;
}

void patience_forgive(struct patience *patience, gint64 usec, gint64 now_usec)
{
	if (patience->since_usec)
		patience->since_usec = MIN(patience->since_usec + usec, now_usec);
}

void patience_note(const struct patience *patience, struct look *look)
{
	g_autofree char *problem = NULL;

	if (look->parts[patience->part].tried)
		return;
	problem = g_strdup_printf("QEMU did not answer within %u seconds", limits[patience->part]);
	look_note(look, patience->part, problem);
}
