/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probe of KVM says, and what its answer depends on. Pure, between kvm.c and its tests. */
#ifndef VM_KVM_ANSWER_H
#define VM_KVM_ANSWER_H

#include "base/ending.h"
#include "base/root.h"

#include <glib.h>

enum kvm_answer {
	KVM_WORKS,
	/* A panic of the kernel's own making: KVM ran it, which proves less than a whole boot. */
	KVM_RUNS,
	/* Linux hung or was reset under KVM: that may be KVM, or a kernel that is broken itself. */
	KVM_FAILS,
	/* QEMU did not start, or was ended: nothing was learnt. */
	KVM_UNKNOWN,
};

/* @console: all that the kernel printed, which has no root file system; may be NULL. */
enum kvm_answer kvm_answer_judge(enum ending ending, const char *console);

/* Why not, as a sentence without its full stop. @detail: how the probe ended; may be NULL. */
char *kvm_answer_reason(enum kvm_answer answer, enum ending ending, const char *detail);

/*
 * A name for what the answer hangs on: this host's kernel, its CPU and the machine it may be a
 * guest of, QEMU, and who asks. Changes with any of them. @root: "/"; @qemu: what "--version"
 * prints;
 * @more: anything else, may be "".
 */
char *kvm_answer_key(struct root *root, const char *qemu, const char *more);

#endif
