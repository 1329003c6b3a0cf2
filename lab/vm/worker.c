// SPDX-License-Identifier: GPL-2.0-only
/*
 * The worker: one process, one libvirt connection, one guest. libvirt's calls block for seconds, so
 * everything that a user sees or waits for is the parent's; the worker reports to it.
 */
#include "vm/vm.h"

#include "base/error.h"
#include "base/tree.h"
#include "vm/connect.h"
#include "vm/device.h"
#include "vm/feed.h"
#include "vm/gdb.h"
#include "vm/logfile.h"
#include "vm/look.h"
#include "vm/message.h"
#include "vm/process.h"
#include "vm/shutdown.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <libvirt/libvirt-qemu.h>
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* How often byte counts are reported. */
#define REPORT_INTERVAL_MS 200
/* What QEMU left in a socket is read within this time, or it is not read at all. */
#define DRAIN_USEC (2 * G_USEC_PER_SEC)
/* A worker that was told to end and hangs nevertheless ends itself after so many seconds. */
#define TERM_LIMIT_SECONDS 30
/* How often a QEMU is looked for that libvirt starts after we were told to end. */
#define TERM_POLL_USEC (20 * 1000)

struct worker {
	struct worker_job *job;
	pid_t parent;
	virConnectPtr connection;
	virDomainPtr domain;
	GMainLoop *loop;
	struct feed *console, *serial, *port;
	struct feed *chosen; /* of the last two, the one that spoke: the agent uses only one */
	struct output console_log, channel_bin;
	guint64 first_record_usec;
	guint64 reported_bytes; /* console + channel */
	struct shutdown shutdown;
	bool stopped; /* libvirt says that the guest is gone */
	bool looking; /* it is stopped for that, on and off */
	bool resumed; /* it is created paused, which libvirt tells us as well */
	bool over;    /* that, or it is to be ended */
	bool decided; /* @ending holds; the first reason counts */
	enum ending ending;
	char *detail;
};

/* Written by the signal handler. */
static int term_fd = -1;

static void sigterm(int number G_GNUC_UNUSED)
{
	int saved = errno;

	alarm(TERM_LIMIT_SECONDS);
	eventfd_write(term_fd, 1);
	errno = saved;
}

static void worker_decide(struct worker *worker, enum ending ending, const char *detail)
{
	if (!worker->decided) {
		worker->decided = true;
		worker->ending = ending;
		worker->detail = g_strdup(detail);
	}
	worker->over = true;
	g_main_loop_quit(worker->loop);
}

/* A parent that is gone reads nothing; the SIGTERM that comes with its death does the rest. */
static void worker_report(const struct message *report)
{
	g_autofree char *line = message_format(report);
	const char *rest = line;
	gsize left = strlen(line);

	while (left) {
		ssize_t written = write(MESSAGE_REPORT_FD, rest, left);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return;
		rest += written;
		left -= (gsize)written;
	}
}

static gboolean worker_report_bytes(void *data)
{
	struct worker *worker = data;
	struct message report = {
		.kind = MESSAGE_BYTES,
		.console = worker->console_log.bytes,
		.channel = worker->channel_bin.bytes,
		.usec = worker->first_record_usec,
	};

	if (report.console + report.channel != worker->reported_bytes)
		worker_report(&report);
	worker->reported_bytes = report.console + report.channel;
	return G_SOURCE_CONTINUE;
}

static void worker_store(struct worker *worker, struct output *output, const guint8 *data,
			 gsize length)
{
	g_autofree char *name = g_path_get_basename(output->path);
	g_autofree char *detail = NULL;

	switch (output_append(output, data, length)) {
	case OUTPUT_WRITTEN:
		return;
	case OUTPUT_FULL:
		detail = g_strdup_printf("the guest sent more than %" G_GUINT64_FORMAT
					 " bytes to its '%s'",
					 output->limit, name);
		worker_decide(worker, ENDING_FLOODED, detail);
		return;
	case OUTPUT_FAILED:
		detail = g_strdup_printf("cannot write '%s': %s", output->path, g_strerror(errno));
		worker_decide(worker, ENDING_DIED, detail);
		return;
	}
}

static void console_data(struct feed *feed G_GNUC_UNUSED, const guint8 *bytes, gsize length,
			 void *data)
{
	struct worker *worker = data;

	worker_store(worker, &worker->console_log, bytes, length);
}

static void channel_data(struct feed *feed, const guint8 *bytes, gsize length, void *data)
{
	struct worker *worker = data;

	if (!worker->chosen) {
		worker->chosen = feed;
		worker->first_record_usec = (guint64)g_get_monotonic_time();
	}
	if (worker->chosen == feed)
		worker_store(worker, &worker->channel_bin, bytes, length);
}

static bool worker_open_feed(struct worker *worker, struct feed **feed, struct device *found,
			     void (*data)(struct feed *, const guint8 *, gsize, void *),
			     GError **error)
{
	AUTO(device) *device = found;

	if (!device)
		return true;
	/* A socket's path in another host's domain means nothing here. */
	if (worker->job->uri)
		g_clear_pointer(&device->socket, g_free);
	*feed = feed_open(worker->connection, worker->domain, device, data, worker, error);
	return *feed != NULL;
}

static bool worker_open_feeds(struct worker *worker, GError **error)
{
	/* libvirt's strings are malloc()ed, as GLib's are. */
	g_autofree char *xml = virDomainGetXMLDesc(worker->domain, 0);

	if (!xml) {
		connect_set_error(error, "describe the guest");
		return false;
	}
	return output_open(&worker->console_log, worker->job->folder, "console.log",
			   worker->job->console_max, error) &&
	       output_open(&worker->channel_bin, worker->job->folder, "channel.bin",
			   worker->job->channel_max, error) &&
	       worker_open_feed(worker, &worker->console, device_find_serial(xml, 0), console_data,
				error) &&
	       worker_open_feed(worker, &worker->serial, device_find_serial(xml, 1), channel_data,
				error) &&
	       worker_open_feed(worker, &worker->port, device_find_channel(xml, "topolab.0"),
				channel_data, error);
}

static gboolean worker_release(void *data)
{
	struct worker *worker = data;

	worker->chosen = NULL;
	g_clear_pointer(&worker->serial, feed_close);
	g_clear_pointer(&worker->port, feed_close);
	return G_SOURCE_CONTINUE;
}

static void worker_looked(enum look_part part, guint64 unasked, const char *problem,
			  void *data G_GNUC_UNUSED)
{
	g_autofree char *detail = g_strdup(problem);
	struct message report = {
		.kind = MESSAGE_LOOKED,
		.part = part,
		.console = unasked,
		.detail = detail,
	};

	worker_report(&report);
}

/* The parent has decided how the guest ended; it has an end once it was looked at. */
static gboolean worker_look(void *data)
{
	struct worker *worker = data;
	struct looker looker = {
		.domain = worker->domain,
		.folder = worker->job->folder,
		.console_log = &worker->console_log,
		.console = worker->console,
		.over = &worker->over,
		.dump_memory = worker->job->dump_memory,
		.looked = worker_looked,
	};

	worker->looking = true;
	look_take(&looker);
	worker_decide(worker, ENDING_STOPPED, NULL);
	return G_SOURCE_REMOVE;
}

/* QEMU's pid, from the file that libvirt keeps; 0 for a guest on another host. */
static gint64 worker_qemu_pid(struct worker *worker)
{
	g_autofree char *name = g_strconcat(virDomainGetName(worker->domain), ".pid", NULL);
	g_autofree char *path = g_build_filename(worker->job->root, "run", "qemu", name, NULL);
	g_autofree char *text = NULL;
	guint64 pid = 0;

	if (!worker->job->uri && g_file_get_contents(path, &text, NULL, NULL))
		g_ascii_string_to_unsigned(g_strchomp(text), 10, 1, G_MAXINT32, &pid, NULL);
	return (gint64)pid;
}

static void worker_report_started(struct worker *worker)
{
	struct message report = {
		.kind = MESSAGE_STARTED,
		.pid = worker_qemu_pid(worker),
		.usec = (guint64)g_get_monotonic_time(),
	};

	worker_report(&report);
}

static int lifecycle_event(virConnectPtr connection G_GNUC_UNUSED,
			   virDomainPtr domain G_GNUC_UNUSED, int event, int detail, void *data)
{
	struct worker *worker = data;

	if (event == VIR_DOMAIN_EVENT_STOPPED) {
		worker->stopped = worker->over = true;
		g_main_loop_quit(worker->loop);
	} else if (event == VIR_DOMAIN_EVENT_RESUMED) {
		if (worker->job->gdb && !worker->resumed)
			worker_report_started(worker);
		worker->resumed = true;
	} else if (event == VIR_DOMAIN_EVENT_SUSPENDED && worker->resumed && !worker->looking &&
		   !worker->job->gdb && !shutdown_is_known(&worker->shutdown)) {
		/* QEMU itself stops the vCPUs: an I/O error, or KVM could not emulate something. */
		g_autofree char *why =
			g_strdup_printf("QEMU suspended the guest (libvirt's detail %d)", detail);

		worker_decide(worker, ENDING_DIED, why);
	}
	return 0;
}

static void monitor_event(virConnectPtr connection G_GNUC_UNUSED, virDomainPtr domain G_GNUC_UNUSED,
			  const char *event, long long seconds G_GNUC_UNUSED,
			  unsigned micros G_GNUC_UNUSED, const char *details, void *data)
{
	struct worker *worker = data;

	if (strcmp(event, "SHUTDOWN") == 0)
		shutdown_note(&worker->shutdown, details);
}

static bool worker_connect(struct worker *worker, GError **error)
{
	AUTO(message) *report = NULL;

	worker->connection = connect_open(worker->job, error);
	if (!worker->connection)
		return false;
	report = connect_report(worker->connection);
	worker_report(report);
	return true;
}

/* libvirt 11.3 forgets why it did not take a QEMU, one that is too old say; its log has it. */
static void set_create_error(struct worker *worker, GError **error)
{
	g_autofree char *words = virGetLastErrorDomain() == VIR_FROM_NONE
					 ? logfile_probe_failure(worker->job->root)
					 : NULL;

	if (words)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "libvirt cannot start the guest: %s",
			    words);
	else
		connect_set_error(error, "start the guest");
}

/* Paused, so that every channel is open before the guest says its first byte. */
static bool worker_create(struct worker *worker, GError **error)
{
	if (virConnectDomainEventRegisterAny(
		    worker->connection, NULL, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
		    VIR_DOMAIN_EVENT_CALLBACK(lifecycle_event), worker, NULL) < 0 ||
	    virConnectDomainQemuMonitorEventRegister(worker->connection, NULL, "SHUTDOWN",
						     monitor_event, worker, NULL, 0) < 0) {
		connect_set_error(error, "watch the guest");
		return false;
	}
	worker->domain =
		virDomainCreateXML(worker->connection, worker->job->xml, VIR_DOMAIN_START_PAUSED);
	if (worker->domain)
		return true;
	set_create_error(worker, error);
	return false;
}

/* It stays as it was created until gdb says that it may run. */
static bool worker_freeze(struct worker *worker, GError **error)
{
	struct message report = {.kind = MESSAGE_FROZEN};

	if (!gdb_listen(worker->domain, worker->job->root, (unsigned)worker->job->gdb_port, error))
		return false;
	worker_report(&report);
	return true;
}

static bool worker_resume(struct worker *worker, GError **error)
{
	if (virDomainResume(worker->domain) < 0) {
		connect_set_error(error, "let the guest run");
		return false;
	}
	worker_report_started(worker);
	return true;
}

static bool worker_start(struct worker *worker, GError **error)
{
	if (!worker_connect(worker, error) || !worker_create(worker, error) ||
	    !worker_open_feeds(worker, error))
		return false;
	return worker->job->gdb ? worker_freeze(worker, error) : worker_resume(worker, error);
}

/* In our own root QEMU is simply killed: that takes no libvirt call, which might hang with it. */
static void worker_destroy_guest(struct worker *worker)
{
	g_autoptr(GError) error = NULL;

	if (worker->stopped)
		return;
	if (worker->job->uri) {
		if (worker->domain)
			virDomainDestroy(worker->domain);
		return;
	}
	if (!process_end(worker->job->root, &error))
		worker_decide(worker, ENDING_DIED, error->message);
}

static void worker_drain(struct worker *worker)
{
	struct feed *const feeds[] = {worker->console, worker->serial, worker->port};

	for (unsigned i = 0; i < G_N_ELEMENTS(feeds); i++)
		if (feeds[i])
			feed_drain(feeds[i], DRAIN_USEC);
	worker_report_bytes(worker);
}

/* The parent is dead: nobody reads, and nobody else knows about the root. */
static void worker_clear_up_alone(struct worker *worker)
{
	if (!worker->job->uri && process_end(worker->job->root, NULL))
		tree_remove(worker->job->root, NULL);
}

static void worker_finish(struct worker *worker)
{
	struct message report = {.kind = MESSAGE_ENDED};

	worker_destroy_guest(worker);
	report.usec = (guint64)g_get_monotonic_time();
	worker_drain(worker);
	if (!worker->decided)
		worker_decide(worker, shutdown_ending(&worker->shutdown),
			      shutdown_detail(&worker->shutdown));
	report.ending = worker->ending;
	report.detail = worker->detail;
	worker_report(&report);
	if (getppid() != worker->parent)
		worker_clear_up_alone(worker);
}

static gboolean worker_terminated(void *data)
{
	worker_decide(data, ENDING_STOPPED, NULL);
	return G_SOURCE_REMOVE;
}

/*
 * The main thread may be inside a libvirt call that waits for QEMU, for seconds on a busy host and
 * for ever when QEMU is stopped. Without its QEMU every such call returns.
 */
static void *worker_wait_for_term(void *data)
{
	struct worker *worker = data;
	eventfd_t count;

	while (eventfd_read(term_fd, &count) < 0)
		;
	g_idle_add(worker_terminated, worker);
	while (!worker->job->uri) {
		process_end(worker->job->root, NULL);
		g_usleep(TERM_POLL_USEC);
	}
	return NULL;
}

static bool worker_init_signals(struct worker *worker, GError **error)
{
	struct sigaction action = {.sa_handler = sigterm, .sa_flags = SA_RESTART};

	term_fd = eventfd(0, EFD_CLOEXEC);
	if (term_fd < 0 || sigaction(SIGTERM, &action, NULL) < 0 ||
	    signal(SIGPIPE, SIG_IGN) == SIG_ERR) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "the worker cannot take signals: %s",
			    g_strerror(errno));
		return false;
	}
	g_unix_signal_add(WORKER_RELEASE_SIGNAL, worker_release, worker);
	g_unix_signal_add(WORKER_LOOK_SIGNAL, worker_look, worker);
	/* It ends with the process. */
	g_thread_unref(g_thread_new("term", worker_wait_for_term, worker));
	return true;
}

static struct worker_job *read_job(GError **error)
{
	g_autoptr(GByteArray) text = g_byte_array_new();
	guint8 chunk[4096];
	ssize_t got;

	fcntl(MESSAGE_JOB_FD, F_SETFD, FD_CLOEXEC);
	fcntl(MESSAGE_REPORT_FD, F_SETFD, FD_CLOEXEC);
	while ((got = read(MESSAGE_JOB_FD, chunk, sizeof(chunk))) > 0 &&
	       text->len <= MESSAGE_JOB_MAX)
		g_byte_array_append(text, chunk, (guint)got);
	if (got != 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "'topolab worker' is started by topolab itself, with a job on "
			    "descriptor %d",
			    MESSAGE_JOB_FD);
		return NULL;
	}
	return worker_job_parse((const char *)text->data, text->len, error);
}

int vm_worker_main(void)
{
	struct worker worker = {.parent = getppid()};
	g_autoptr(GError) error = NULL;

	worker.console_log.fd = worker.channel_bin.fd = -1;
	worker.job = read_job(&error);
	if (!worker.job) {
		fprintf(stderr, "topolab: %s\n", error->message);
		return error_exit_status(error);
	}
	worker.loop = g_main_loop_new(NULL, FALSE);
	if (!worker_init_signals(&worker, &error) || !connect_init(worker.job, &error) ||
	    !worker_start(&worker, &error)) {
		worker_decide(&worker, ENDING_DIED, error->message);
	} else {
		g_timeout_add(REPORT_INTERVAL_MS, worker_report_bytes, &worker);
		g_main_loop_run(worker.loop);
	}
	worker_finish(&worker);
	/* Closing the connection would tidy up a root that is about to be removed. */
	_exit(0);
}
