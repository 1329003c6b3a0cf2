/* SPDX-License-Identifier: GPL-2.0-only */
/* What parent and worker tell each other: one job on fd 3, lines of reports on fd 4. JSON. */
#ifndef VM_MESSAGE_H
#define VM_MESSAGE_H

#include "base/auto.h"
#include "base/ending.h"
#include "base/look.h"

#include <glib.h>
#include <signal.h>
#include <stdbool.h>

#define MESSAGE_JOB_FD	  3
#define MESSAGE_REPORT_FD 4

/* Tells the worker to close its ends of the agent's ports. */
#define WORKER_RELEASE_SIGNAL SIGUSR1
/* Tells it to take a last look at the guest and then to end it. */
#define WORKER_LOOK_SIGNAL SIGUSR2

/* Bytes; a domain with 4096 explicit vCPUs takes about 1 MB. */
#define MESSAGE_JOB_MAX	 (16u << 20)
#define MESSAGE_LINE_MAX (64u << 10)

struct worker_job {
	char *root; /* the vm_root's path */
	char *uri;  /* NULL: the root's embedded driver */
	char *xml;
	char *folder;
	guint64 console_max, channel_max; /* bytes */
	bool dump_memory;		  /* with the last look */
	bool gdb;			  /* see struct vm_spec */
	guint64 gdb_port;
};

struct worker_job *worker_job_parse(const char *text, gsize length, GError **error);
char *worker_job_format(const struct worker_job *job);
void worker_job_free(struct worker_job *job);
AUTO_DEFINE(worker_job, worker_job_free)

enum message_kind {
	MESSAGE_CONNECTED, /* qemu, libvirt */
	MESSAGE_FROZEN,	   /* gdb is awaited */
	MESSAGE_STARTED,   /* pid, usec */
	MESSAGE_BYTES,	   /* console, channel, usec: of the first byte on the channel, or 0 */
	MESSAGE_LOOKED,	   /* part, console: before the guest was asked, detail: what went wrong */
	MESSAGE_ENDED,	   /* ending, detail, usec; nothing follows */
	MESSAGE_COUNT,
};
const char *message_kind_name(enum message_kind kind);
bool message_kind_from_name(const char *name, enum message_kind *kind);

/* Fields that a kind does not carry are zero. */
struct message {
	enum message_kind kind;
	char *qemu, *libvirt; /* versions */
	gint64 pid;	      /* QEMU's, 0 when it is on another host */
	guint64 usec;	      /* monotonic clock, which all processes of a host share */
	guint64 console, channel;
	enum look_part part;
	enum ending ending;
	char *detail; /* NULL: nothing to add */
};

/* One line without its newline. ERROR_LAB when it is not exactly what message_format() makes. */
struct message *message_parse(const char *line, gsize length, GError **error);
/* With newline. */
char *message_format(const struct message *message);
void message_free(struct message *message);
AUTO_DEFINE(message, message_free)

#endif
