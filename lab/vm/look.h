/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The worker's last look at a guest that is about to be ended. A guest or a QEMU that answers
 * nothing may keep it for ever: the parent's patience is the bound, see vm/patience.h.
 */
#ifndef VM_LOOK_H
#define VM_LOOK_H

#include "base/look.h"
#include "vm/feed.h"

#include <libvirt/libvirt.h>

struct looker {
	virDomainPtr domain;
	const char *folder;		  /* of the job */
	const struct output *console_log; /* grows while the default main context runs */
	struct feed *console;		  /* takes keys */
	const bool *over;		  /* the guest is gone, or is to be ended at once */
	bool dump_memory;
	/*
	 * After each part; @unasked: bytes on the console before the guest was asked anything;
	 * @problem: a sentence, NULL: it went well.
	 */
	void (*looked)(enum look_part part, guint64 unasked, const char *problem, void *data);
	void *data;
};

/* Runs the default main context meanwhile. */
void look_take(const struct looker *looker);

#endif
