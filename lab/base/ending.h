/* SPDX-License-Identifier: GPL-2.0-only */
/* How a guest's run ended, before anyone looked at the evidence: vm/ tells, verdict/ judges. */
#ifndef BASE_ENDING_H
#define BASE_ENDING_H

#include <stdbool.h>

enum ending {
	ENDING_POWEROFF, /* the guest powered itself off */
	ENDING_REBOOT,	 /* it tried to reboot: a panic (panic=-1), a triple fault or a reset */
	ENDING_STALLED,	 /* the kernel spoke, then made no progress */
	ENDING_SILENT,	 /* not one byte from the kernel */
	ENDING_STARVED,	 /* no progress, and this host did not let it run */
	ENDING_DIED,	 /* QEMU, libvirt or the worker died */
	ENDING_CRASHED,	 /* QEMU did something that no program may do, or found itself wrong */
	ENDING_FLOODED,	 /* a stream passed its bound and the guest was destroyed */
	ENDING_STOPPED,	 /* the user or the deadline ended it */
	ENDING_UP,	 /* none: it sent everything and stays up, as `topolab up` asks */
	ENDING_COUNT,
};
const char *ending_name(enum ending ending);
bool ending_from_name(const char *name, enum ending *ending);

#endif
