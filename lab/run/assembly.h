/* SPDX-License-Identifier: GPL-2.0-only */
/* What a guest is made of: kernel and initramfs in its root, and the domain that names them. */
#ifndef RUN_ASSEMBLY_H
#define RUN_ASSEMBLY_H

#include "emit/emit.h"
#include "kernel/kernel.h"
#include "topo/topo.h"
#include "vm/vm.h"

struct assembly {
	const struct topo *topo;
	const struct kernel *kernel;
	GBytes *initramfs;
	const char *command_line;
	enum emit_accel accel;
	bool in_turn;		    /* see struct emit_domain */
	const char *uri;	    /* NULL: the embedded driver */
	const char *command_socket; /* its name in the root; NULL: the guest takes no commands */
	bool dump_memory;	    /* may be wanted of it */
};

/* @init: the guest's first program. It comes with the ACPI tables that make the machine. */
GBytes *assembly_initramfs(const struct topo *topo, GBytes *init, GError **error);

/* Puts the files into @root; the domain's XML, which the caller frees. */
char *assembly_domain(const struct assembly *assembly, struct vm_root *root, GError **error);

#endif
