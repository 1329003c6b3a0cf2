/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Guests, seen from the parent. Each guest has a libvirt embed root of its own and a worker process
 * that holds the libvirt connection, because one process can only ever open one root and no two
 * processes can share one. The parent is a child subreaper: QEMU becomes its child, and a worker
 * that dies leaves a QEMU that the parent ends.
 */
#ifndef VM_VM_H
#define VM_VM_H

#include "base/auto.h"
#include "base/ending.h"
#include "base/look.h"

#include <glib.h>
#include <stdbool.h>

struct vm_root;

/* A fresh root in the runtime folder; the path is short because monitor sockets lie below it. */
struct vm_root *vm_root_new(GError **error);
const char *vm_root_path(const struct vm_root *root);
/* Puts a file into the root, readable by QEMU's user; returns its absolute path. */
char *vm_root_put(struct vm_root *root, const char *name, GBytes *bytes, GError **error);
char *vm_root_put_file(struct vm_root *root, const char *name, const char *source, GError **error);
/* Ends whatever still runs from this root and removes it. */
void vm_root_destroy(struct vm_root *root);
AUTO_DEFINE(vm_root, vm_root_destroy)

/* In the root, where gdb reaches a frozen guest. */
#define VM_GDB_SOCKET "gdb"

/* Bounds on what a guest may send, bytes. */
#define VM_CONSOLE_MAX (16u << 20)
#define VM_CHANNEL_MAX (64u << 20)

struct vm_spec {
	struct vm_root *root;
	const char *xml;
	const char *uri;	   /* NULL: the root's own embedded driver */
	const char *folder;	   /* console.log, channel.bin and qemu.log are written here */
	const char *errors;	   /* the worker's stdout and stderr go to its end; NULL: ours */
	unsigned silence_seconds;  /* no byte on any channel for so long is a stall */
	unsigned deadline_seconds; /* 0: none */
	/*
	 * Until the agent speaks, QEMU may be late for a timer by so many nanoseconds; 0: as QEMU
	 * wants it. Before Linux has chosen a clocksource every vCPU ticks HZ times a second, which
	 * under TCG keeps the host busy with nothing else: late ticks are skipped, not made up for.
	 */
	guint64 boot_timer_slack_ns;
	/*
	 * A guest that stands still, or whose deadline passed, is looked at before it is ended; its
	 * registers.txt lies in the folder then, and what it says to sysrq is in console.log.
	 */
	bool look;
	/*
	 * The guest is frozen until gdb lets it run: on @gdb_port of 127.0.0.1, or, when that is 0,
	 * on VM_GDB_SOCKET. From then on silence is no stall.
	 */
	bool gdb;
	unsigned gdb_port;
	bool dump_memory;    /* with that, to memory.elf; not on another host */
	guint64 console_max; /* bytes; 0: VM_CONSOLE_MAX */
	guint64 channel_max; /* bytes; 0: VM_CHANNEL_MAX */
};

/* What is known once a guest has ended. */
struct vm_end {
	enum ending ending;
	char *detail;		   /* one sentence, NULL when there is nothing to add */
	char *qemu, *libvirt;	   /* versions; NULL when it never came so far */
	guint64 started_usec;	   /* monotonic: vCPUs began to run; 0: never */
	guint64 first_record_usec; /* the agent's first byte; 0: never */
	guint64 ended_usec;
	struct look *look; /* NULL: none was taken */
};
void vm_end_clear(struct vm_end *end);

struct vm_progress {
	const char
		*state; /* "defining", "frozen", "booting", "gathering", "up", "looking", "ended" */
	guint64 console_bytes, channel_bytes;
};

struct vm;

/*
 * Once per process, before any guest: are /proc, /sys and /dev there; subreaper, SIGCHLD source on
 * the default main context.
 */
bool vm_init(GError **error);
/*
 * Starts the worker and returns at once; @progress (may be NULL) and then exactly one @ended are
 * called from the default main context. The vm is freed after @ended returned.
 */
struct vm *vm_start(const struct vm_spec *spec,
		    void (*progress)(const struct vm_progress *, void *),
		    void (*ended)(const struct vm_end *, void *), void *data, GError **error);
/*
 * The guest has sent all that it had to and stays up: from now on silence is no stall, and our ends
 * of the agent's ports are closed, so that somebody else may speak to it. @folder: where its files
 * lie by now. Returns what is known so far, its ending ENDING_UP; valid until the guest ends.
 */
const struct vm_end *vm_keep(struct vm *vm, const char *folder);
/* Ends the guest; @ended follows with ENDING_STOPPED and @reason as its detail. */
void vm_stop(struct vm *vm, const char *reason);

/*
 * The worker's whole life: topolab is started again as "topolab worker ROOT" with its job on fd 3
 * and the pipe for its reports on fd 4. ROOT is there for whoever reads the list of processes.
 */
int vm_worker_main(void);

/*
 * Ends and removes what dead runs left: every root whose owner's lock can be taken. Running guests
 * of live runs are never touched. Returns the number of roots removed, -1 on error.
 */
int vm_sweep(GError **error);

struct vm_kvm_question {
	const char *kernel_path;
	unsigned silence_seconds; /* as in struct vm_spec, when more than the usual; 0: the usual */
};

/*
 * Can this host run a real kernel under KVM? Boots the kernel with a tiny machine when the answer
 * for this host kernel, QEMU and CPU is not in the cache yet: after vm_init(), and it runs the
 * default main context meanwhile. @why receives a sentence when not.
 */
bool vm_kvm_works(const struct vm_kvm_question *question, char **why);
/* Can we open /dev/kvm? The part of the answer that needs no boot. */
bool vm_kvm_opens(char **why);

/* libvirt's QEMU driver, found out by starting a guest of one vCPU under TCG and ending it. */
struct vm_trial {
	char *qemu, *libvirt; /* versions; NULL when it never came so far */
	char *problem;	      /* why the guest did not start; NULL: it did */
};
/* After vm_init(); runs the default main context meanwhile. */
void vm_try(struct vm_trial *trial);
void vm_trial_clear(struct vm_trial *trial);

#endif
