/* SPDX-License-Identifier: GPL-2.0-only */
/* What a last look at a guest left in its job's folder, read. */
#ifndef RUN_LOOK_H
#define RUN_LOOK_H

#include "base/look.h"
#include "kernel/kernel.h"
#include "kernel/symbols.h"

#include <glib.h>

/*
 * Fills the places from @folder's registers.txt, named with @kernel's vmlinux if there is one and
 * it is this kernel's. @console: what the guest printed; NULL: nothing.
 */
void look_read(struct look *look, const char *folder, const struct kernel *kernel,
	       const char *console);

/*
 * vCPUs that stand at one place, together, in the order of @registers (struct registers).
 * @symbols: NULL, and places are addresses; @slide: as symbols_slide() has it.
 */
void look_group(struct look *look, const GArray *registers, const struct symbols *symbols,
		guint64 slide);
/*
 * @kernel's vmlinux. NULL: there is none, or it is of another build than the kernel that printed
 * @console (NULL: nothing); @problem then says so, and the caller frees it.
 */
struct symbols *look_symbols(const struct kernel *kernel, const char *console, char **problem);
/* Does the console's "Linux version" line say what @banner does? True: or it has none. */
bool look_banner_fits(const char *console, const char *banner);

#endif
