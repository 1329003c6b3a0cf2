/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef VM_KVM_ACCESS_H
#define VM_KVM_ACCESS_H

#include <stdbool.h>

/* Who wants to open /dev/kvm, and whom it is for. */
struct kvm_access {
	const char *user;
	const char *group; /* of the file */
	bool group_may;	   /* the file's mode lets its group read and write, and it is not root's */
	bool is_member;	   /* by the list of groups; a session that began earlier does not know */
	const char *problem;
};

/* Why /dev/kvm cannot be opened and what to do, as one sentence. Caller frees. */
char *kvm_refusal(const struct kvm_access *access);

#endif
