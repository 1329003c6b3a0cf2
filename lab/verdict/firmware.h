/* SPDX-License-Identifier: GPL-2.0-only */
/* Witness 1 against witness 2, entry by entry: the tables' bytes must say what the file says. */
#ifndef VERDICT_FIRMWARE_H
#define VERDICT_FIRMWARE_H

#include "base/root.h"
#include "expect/enumerate.h"
#include "topo/topo.h"
#include "topo/view.h"
#include "verdict/verdict.h"

/*
 * "guest.table-upgrade": the kernel's log, struct kernel_message *, says that it took each table
 * that it was given (ERROR). False, and SKIP: this kernel cannot take any.
 */
bool check_tables_taken(const struct topo *topo, const struct kernel_facts *facts, GPtrArray *log,
			struct checks *checks);

/*
 * "guest.madt-order" for every machine; for those whose file says other tables as well
 * "guest.srat-entries", "guest.slit-rows", "guest.hmat" and "guest.facp". ERROR where they differ.
 */
void compare_firmware(const struct topo *topo, struct root *evidence, struct checks *checks);

/*
 * Of tables that say what the file says: the nodes and distances that Linux must make of them,
 * which are the model's (topo_validate_firmware()), in place of the bytes' in @hardware.
 */
void firmware_interpret(const struct topo *topo, const struct view *model, struct view *hardware);

#endif
