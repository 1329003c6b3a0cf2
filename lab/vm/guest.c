// SPDX-License-Identifier: GPL-2.0-only
/* A guest in the parent: its worker, what the worker reports, and when it has to end. */
#include "vm/vm.h"

#include "base/error.h"
#include "base/host.h"
#include "vm/death.h"
#include "vm/launch.h"
#include "vm/logfile.h"
#include "vm/message.h"
#include "vm/patience.h"
#include "vm/process.h"
#include "vm/reap.h"
#include "vm/silence.h"

#include <errno.h>
#include <glib-unix.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Until the vCPUs run: probing QEMU for the first time takes many seconds on a busy host. */
#define DEFINE_LIMIT_SECONDS 180
/* A worker that was told to end is killed after so long; killing a 256-vCPU QEMU takes a second. */
#define TERM_LIMIT_SECONDS 10
/* How often time is looked at, and how much later than that means that we could not look. */
#define TICK_MS	   250
#define PAUSE_USEC (2 * G_USEC_PER_SEC)
/* What QEMU sets for itself. init_clocks() in util/qemu-timer.c */
#define QEMU_TIMER_SLACK_NS 1

enum state {
	STATE_DEFINING,
	STATE_FROZEN,
	STATE_BOOTING,
	STATE_GATHERING,
	STATE_UP,
	STATE_LOOKING,
	STATE_ENDED,
	STATE_COUNT,
};
static const char *const state_names[] = {
	[STATE_DEFINING] = "defining",	 [STATE_FROZEN] = "frozen", [STATE_BOOTING] = "booting",
	[STATE_GATHERING] = "gathering", [STATE_UP] = "up",	    [STATE_LOOKING] = "looking",
	[STATE_ENDED] = "ended",
};
_Static_assert(G_N_ELEMENTS(state_names) == STATE_COUNT, "a state without a name");

struct vm {
	char *root, *folder;
	bool embedded; /* in our own root, on this host */
	unsigned silence_seconds, deadline_seconds;
	guint64 boot_timer_slack_ns;
	void (*progress)(const struct vm_progress *, void *);
	void (*ended)(const struct vm_end *, void *);
	void *data;

	pid_t worker;
	pid_t qemu; /* 0 until the worker reported it, and on another host */
	int qemu_status;
	bool qemu_gone;
	int reports_fd;
	guint reports_source, tick_source;
	GByteArray *line; /* of a report that has not come whole yet */

	enum state state;
	guint64 console_bytes, channel_bytes;
	gint64 begun_usec, active_usec; /* the second: when something last happened */
	gint64 tick_usec;		/* when time was last looked at */
	struct silence silence;
	bool gdb;
	bool looks; /* is it looked at before it is told to end? */
	struct patience patience;
	gint64 told_usec; /* when the worker was told to end, 0: it was not */
	bool decided;	  /* end.ending holds; the first reason counts */
	struct vm_end end;
};

void vm_end_clear(struct vm_end *end)
{
	g_clear_pointer(&end->detail, g_free);
	g_clear_pointer(&end->qemu, g_free);
	g_clear_pointer(&end->libvirt, g_free);
	g_clear_pointer(&end->look, look_unref);
}

bool vm_init(GError **error)
{
	AUTO(root) *root = root_new_dir("/");

	return host_check_mounts(root, error) && reap_init(error);
}

static void vm_free(struct vm *vm)
{
	if (vm->reports_source)
		g_source_remove(vm->reports_source);
	if (vm->tick_source)
		g_source_remove(vm->tick_source);
	if (vm->reports_fd >= 0)
		close(vm->reports_fd);
	if (vm->worker > 0)
		reap_unwatch(vm->worker);
	if (vm->qemu > 0)
		reap_unwatch(vm->qemu);
	g_byte_array_unref(vm->line);
	vm_end_clear(&vm->end);
	g_free(vm->root);
	g_free(vm->folder);
	g_free(vm);
}

static void vm_show_progress(struct vm *vm)
{
	struct vm_progress progress = {
		.state = state_names[vm->state],
		.console_bytes = vm->console_bytes,
		.channel_bytes = vm->channel_bytes,
	};

	if (vm->progress)
		vm->progress(&progress, vm->data);
}

static void vm_decide(struct vm *vm, enum ending ending, const char *detail)
{
	if (vm->decided)
		return;
	vm->decided = true;
	vm->end.ending = ending;
	vm->end.detail = g_strdup(detail);
}

/* The worker ends the guest, reports and exits; if it does not, vm_tick() kills it. */
static void vm_tell_to_end(struct vm *vm)
{
	if (vm->told_usec)
		return;
	vm->told_usec = g_get_monotonic_time();
	if (vm->worker > 0)
		kill(vm->worker, SIGTERM);
}

static void vm_look(struct vm *vm)
{
	if (!vm->looks || vm->told_usec || vm->worker <= 0 || vm->state == STATE_DEFINING) {
		vm_tell_to_end(vm);
		return;
	}
	vm->state = STATE_LOOKING;
	vm->end.look = look_new();
	patience_begin(&vm->patience, g_get_monotonic_time());
	kill(vm->worker, WORKER_LOOK_SIGNAL);
	vm_show_progress(vm);
}

static void vm_looked(struct vm *vm, const struct message *report)
{
	if (!vm->end.look)
		return;
	vm->end.look->console_bytes = (gint64)report->console;
	look_note(vm->end.look, report->part, report->detail);
	patience_looked(&vm->patience, report->part, g_get_monotonic_time());
}

const struct vm_end *vm_keep(struct vm *vm, const char *folder)
{
	vm->state = STATE_UP;
	g_free(vm->folder);
	vm->folder = g_strdup(folder);
	if (vm->worker > 0)
		kill(vm->worker, WORKER_RELEASE_SIGNAL);
	if (!vm->decided)
		vm->end.ending = ENDING_UP;
	return &vm->end;
}

void vm_stop(struct vm *vm, const char *reason)
{
	vm_decide(vm, ENDING_STOPPED, reason);
	vm_tell_to_end(vm);
}

static void qemu_gone(pid_t pid G_GNUC_UNUSED, int status, void *data)
{
	struct vm *vm = data;

	vm->qemu_gone = true;
	vm->qemu_status = status;
	vm->qemu = 0;
}

static void vm_started(struct vm *vm, const struct message *report)
{
	vm->state = STATE_BOOTING;
	vm->end.started_usec = report->usec;
	if (report->pid && vm->embedded) {
		vm->qemu = (pid_t)report->pid;
		reap_watch(vm->qemu, qemu_gone, vm);
		if (vm->boot_timer_slack_ns)
			process_set_timer_slack(vm->qemu, vm->boot_timer_slack_ns);
	}
}

static void vm_booted(struct vm *vm)
{
	vm->state = STATE_GATHERING;
	if (vm->qemu > 0 && vm->boot_timer_slack_ns)
		process_set_timer_slack(vm->qemu, QEMU_TIMER_SLACK_NS);
}

static void vm_take_report(struct vm *vm, const struct message *report)
{
	switch (report->kind) {
	case MESSAGE_CONNECTED:
		g_free(vm->end.qemu);
		vm->end.qemu = g_strdup(report->qemu);
		g_free(vm->end.libvirt);
		vm->end.libvirt = g_strdup(report->libvirt);
		break;
	case MESSAGE_FROZEN:
		vm->state = STATE_FROZEN;
		break;
	case MESSAGE_STARTED:
		if (vm->state == STATE_DEFINING || vm->state == STATE_FROZEN)
			vm_started(vm, report);
		break;
	case MESSAGE_BYTES:
		vm->console_bytes = report->console;
		vm->channel_bytes = report->channel;
		vm->end.first_record_usec = report->usec;
		if (report->channel && vm->state == STATE_BOOTING)
			vm_booted(vm);
		break;
	case MESSAGE_LOOKED:
		vm_looked(vm, report);
		break;
	case MESSAGE_ENDED:
		vm->end.ended_usec = report->usec;
		vm_decide(vm, report->ending, report->detail);
		break;
	case MESSAGE_COUNT:
		return;
	}
	vm->active_usec = g_get_monotonic_time();
	vm_show_progress(vm);
}

/* The worker is our own program, but a wrong line must not go unseen. */
static void vm_take_line(struct vm *vm, const char *line, gsize length)
{
	g_autoptr(GError) error = NULL;
	AUTO(message) *report = message_parse(line, length, &error);

	if (report) {
		vm_take_report(vm, report);
		return;
	}
	vm_decide(vm, ENDING_DIED, error->message);
	vm_tell_to_end(vm);
}

static void vm_take_bytes(struct vm *vm, const guint8 *bytes, gsize length)
{
	const guint8 *newline;

	while ((newline = memchr(bytes, '\n', length))) {
		g_byte_array_append(vm->line, bytes, (guint)(newline - bytes));
		vm_take_line(vm, (const char *)vm->line->data, vm->line->len);
		g_byte_array_set_size(vm->line, 0);
		length -= (gsize)(newline - bytes) + 1;
		bytes = newline + 1;
	}
	g_byte_array_append(vm->line, bytes, (guint)length);
	if (vm->line->len <= MESSAGE_LINE_MAX)
		return;
	vm_decide(vm, ENDING_DIED, "the worker's report has no end");
	vm_tell_to_end(vm);
	g_byte_array_set_size(vm->line, 0);
}

/* Everything that is there now. False at the end. */
static bool vm_read_reports(struct vm *vm)
{
	guint8 chunk[4096];
	ssize_t got;

	while ((got = read(vm->reports_fd, chunk, sizeof(chunk))) > 0 ||
	       (got < 0 && errno == EINTR))
		if (got > 0)
			vm_take_bytes(vm, chunk, (gsize)got);
	return got < 0 && errno == EAGAIN;
}

static gboolean reports_ready(int fd G_GNUC_UNUSED, GIOCondition condition G_GNUC_UNUSED,
			      void *data)
{
	struct vm *vm = data;

	if (vm_read_reports(vm))
		return G_SOURCE_CONTINUE;
	vm->reports_source = 0;
	return G_SOURCE_REMOVE;
}

/* The worker gives no detail when QEMU went by itself: how, only its parent knows. */
static void vm_explain_death(struct vm *vm)
{
	if (vm->end.ending != ENDING_DIED)
		return;
	if (vm->qemu > 0 && waitpid(vm->qemu, &vm->qemu_status, WNOHANG) == vm->qemu)
		vm->qemu_gone = true;
	vm->end.ending = death_ending(vm->qemu_gone, vm->qemu_status);
	vm->end.detail = death_explain(vm->root, vm->qemu_gone, vm->qemu_status, vm->end.detail);
}

static void vm_finish(struct vm *vm)
{
	g_autoptr(GError) error = NULL;

	/* A worker that was killed left its QEMU to us. */
	if (vm->embedded && !process_end(vm->root, &error))
		vm_decide(vm, ENDING_DIED, error->message);
	if (!vm->end.ended_usec)
		vm->end.ended_usec = (guint64)g_get_monotonic_time();
	if (vm->embedded) {
		vm_explain_death(vm);
		logfile_copy(vm->root, vm->folder);
	}
	vm->state = STATE_ENDED;
	vm_show_progress(vm);
	vm->ended(&vm->end, vm->data);
	vm_free(vm);
}

static void worker_gone(pid_t pid G_GNUC_UNUSED, int status, void *data)
{
	struct vm *vm = data;
	g_autofree char *detail = NULL;

	vm->worker = 0;
	vm_read_reports(vm);
	if (WIFSIGNALED(status))
		detail = g_strdup_printf("the worker was killed by signal %d (%s)",
					 WTERMSIG(status), g_strsignal(WTERMSIG(status)));
	else
		detail = g_strdup_printf("the worker ended with status %d and without a report",
					 WEXITSTATUS(status));
	vm_decide(vm, ENDING_DIED, detail);
	vm_finish(vm);
}

static void vm_check_silence(struct vm *vm, gint64 now)
{
	g_autofree char *detail = NULL;
	const char *host;
	unsigned limit = vm->state == STATE_DEFINING
				 ? MAX(DEFINE_LIMIT_SECONDS, vm->silence_seconds)
				 : vm->silence_seconds;

	/* gdb may hold the guest for as long as it likes. */
	if (vm->state == STATE_UP || (vm->gdb && vm->state != STATE_DEFINING))
		return;
	silence_look(&vm->silence, vm->qemu, vm->active_usec, now, limit);
	if (now - vm->active_usec < (gint64)limit * G_USEC_PER_SEC)
		return;
	host = silence_blames_host(&vm->silence, vm->worker, vm->qemu, now);
	if (host) {
		detail = g_strdup_printf("no byte came for %u seconds: %s", limit, host);
		vm_decide(vm, ENDING_STARVED, detail);
	} else if (vm->state == STATE_DEFINING) {
		detail =
			g_strdup_printf("libvirt did not start the guest within %u seconds", limit);
		vm_decide(vm, ENDING_DIED, detail);
	} else {
		detail = g_strdup_printf("no byte came from the guest for %u seconds", limit);
		vm_decide(vm,
			  vm->console_bytes || vm->channel_bytes ? ENDING_STALLED : ENDING_SILENT,
			  detail);
	}
	/* What this host keeps from running would show a place that says nothing of the kernel. */
	if (host)
		vm_tell_to_end(vm);
	else
		vm_look(vm);
}

/*
 * Ctrl-Z stops us, or the host was asleep or had no time for us. The guest may have spoken
 * meanwhile without being heard: nobody's limit runs during such a pause.
 */
static void vm_forgive_pause(struct vm *vm, gint64 now)
{
	gint64 gap = now - vm->tick_usec;

	vm->tick_usec = now;
	if (gap < PAUSE_USEC)
		return;
	vm->active_usec = MIN(vm->active_usec + gap, now);
	vm->begun_usec = MIN(vm->begun_usec + gap, now);
	patience_forgive(&vm->patience, gap, now);
	if (vm->told_usec)
		vm->told_usec = MIN(vm->told_usec + gap, now);
}

/* Its worker may hang in a libvirt call: the SIGTERM ends QEMU, and with it the call. */
static void vm_look_on(struct vm *vm, gint64 now)
{
	if (!patience_is_over(&vm->patience, now))
		return;
	patience_note(&vm->patience, vm->end.look);
	vm_tell_to_end(vm);
}

static gboolean vm_tick(void *data)
{
	struct vm *vm = data;
	gint64 now = g_get_monotonic_time();

	vm_forgive_pause(vm, now);
	if (vm->told_usec) {
		if (vm->worker > 0 && now - vm->told_usec > TERM_LIMIT_SECONDS * G_USEC_PER_SEC)
			kill(vm->worker, SIGKILL);
		return G_SOURCE_CONTINUE;
	}
	if (vm->state == STATE_LOOKING) {
		vm_look_on(vm, now);
		return G_SOURCE_CONTINUE;
	}
	vm_check_silence(vm, now);
	if (vm->deadline_seconds &&
	    now - vm->begun_usec > (gint64)vm->deadline_seconds * G_USEC_PER_SEC) {
		g_autofree char *reason =
			g_strdup_printf("the deadline of %u seconds passed", vm->deadline_seconds);

		vm_decide(vm, ENDING_STOPPED, reason);
		vm_look(vm);
	}
	return G_SOURCE_CONTINUE;
}

struct vm *vm_start(const struct vm_spec *spec,
		    void (*progress)(const struct vm_progress *, void *),
		    void (*ended)(const struct vm_end *, void *), void *data, GError **error)
{
	struct vm *vm = g_new0(struct vm, 1);

	vm->root = g_strdup(vm_root_path(spec->root));
	vm->folder = g_strdup(spec->folder);
	vm->embedded = !spec->uri;
	vm->silence_seconds = spec->silence_seconds;
	vm->deadline_seconds = spec->deadline_seconds;
	vm->gdb = spec->gdb;
	/* Whoever has gdb at hand has seen it; and gdb may have stopped it. */
	vm->looks = spec->look && !spec->gdb;
	vm->patience.dump_memory = spec->dump_memory;
	vm->boot_timer_slack_ns = spec->boot_timer_slack_ns;
	vm->progress = progress;
	vm->ended = ended;
	vm->data = data;
	vm->reports_fd = -1;
	vm->line = g_byte_array_new();
	vm->begun_usec = vm->active_usec = vm->tick_usec = g_get_monotonic_time();
	vm->worker = launch_worker(spec, &vm->reports_fd, error);
	if (!vm->worker) {
		vm_free(vm);
		return NULL;
	}
	reap_watch(vm->worker, worker_gone, vm);
	vm->reports_source =
		g_unix_fd_add(vm->reports_fd, G_IO_IN | G_IO_HUP | G_IO_ERR, reports_ready, vm);
	vm->tick_source = g_timeout_add(TICK_MS, vm_tick, vm);
	return vm;
}
