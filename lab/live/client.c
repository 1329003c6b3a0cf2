// SPDX-License-Identifier: GPL-2.0-only
#include "live/client.h"

#include "base/error.h"
#include "live/conn.h"
#include "live/guests.h"
#include "live/raw_terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A guest of 256 vCPUs takes seconds to end, and its host may be busy. */
#define DOWN_LIMIT_SECONDS 60
#define DOWN_POLL_USEC	   20000

struct client {
	const char *topology;
	struct conn *conn;
	GMainLoop *loop;
	int input; /* -1: its end was sent */
	guint input_source;
	gsize on_its_way; /* bytes of input that the guest has not taken */
	bool over;
	int status;
	GError *error;
};

static void client_fail(struct client *client, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void client_fail(struct client *client, const char *format, ...)
{
	va_list args;

	if (client->over)
		return;
	va_start(args, format);
	client->error = g_error_new_valist(TOPOLAB_ERROR, ERROR_LAB, format, args);
	va_end(args);
	client->over = true;
	g_main_loop_quit(client->loop);
}

static void client_watch_input(struct client *client);

static gboolean input_ready(int fd, GIOCondition condition G_GNUC_UNUSED, void *data)
{
	static guint8 chunk[FRAME_MAX];
	struct client *client = data;
	ssize_t got = read(fd, chunk, MIN(sizeof(chunk), FRAME_WINDOW - client->on_its_way));

	if (got < 0 && (errno == EINTR || errno == EAGAIN))
		return G_SOURCE_CONTINUE;
	/* Empty: the end. One that cannot be read ends, too. */
	conn_send(client->conn, FRAME_INPUT, 0, chunk, (gsize)MAX(got, 0));
	if (got <= 0)
		client->input = -1;
	client->on_its_way += (gsize)MAX(got, 0);
	if (client->input >= 0 && client->on_its_way < FRAME_WINDOW)
		return G_SOURCE_CONTINUE;
	client->input_source = 0;
	return G_SOURCE_REMOVE;
}

static void client_watch_input(struct client *client)
{
	if (client->input >= 0 && !client->input_source && client->on_its_way < FRAME_WINDOW)
		client->input_source = g_unix_fd_add(client->input, G_IO_IN | G_IO_HUP | G_IO_ERR,
						     input_ready, client);
}

/* Blocks when our reader is slow: then the guest's command waits, too. */
static void client_write(struct client *client, int fd, const struct frame *frame)
{
	const guint8 *rest = frame->payload;
	gsize left = frame->length;
	guint8 taken[4];

	while (left) {
		ssize_t n = write(fd, rest, left);

		if (n < 0 && errno == EAGAIN) {
			g_usleep(1000);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			client_fail(client, "cannot write the output of the guest's command: %s",
				    g_strerror(errno));
			return;
		}
		rest += n;
		left -= (gsize)n;
	}
	frame_put32(taken, (uint32_t)frame->length);
	conn_send(client->conn, FRAME_TAKEN, 0, taken, sizeof(taken));
}

static void client_exit(struct client *client, const struct frame *frame)
{
	struct frame_exit ending;

	if (!frame_exit_parse(&ending, frame->payload)) {
		client_fail(client, "the guest tells an ending that is none");
		return;
	}
	client->status = frame_exit_status(&ending);
	if (ending.how == FRAME_NOT_STARTED)
		fprintf(stderr, "topolab: '%s' cannot start the command: %s\n", client->topology,
			g_strerror((int)ending.number));
	client->over = true;
	g_main_loop_quit(client->loop);
}

static void client_frame(struct conn *conn G_GNUC_UNUSED, const struct frame *frame, void *data)
{
	struct client *client = data;

	if (client->over)
		return;
	if (frame->kind == FRAME_OUTPUT) {
		client_write(client, STDOUT_FILENO, frame);
	} else if (frame->kind == FRAME_ERRORS) {
		client_write(client, STDERR_FILENO, frame);
	} else if (frame->kind == FRAME_EXIT) {
		client_exit(client, frame);
	} else if (frame->kind == FRAME_TAKEN) {
		client->on_its_way -= MIN(frame_get32(frame->payload), client->on_its_way);
		client_watch_input(client);
	} else if (frame->kind == FRAME_FAILED) {
		client_fail(client, "'%s': %.*s", client->topology, (int)frame->length,
			    (const char *)frame->payload);
	}
}

static void client_gone(struct conn *conn G_GNUC_UNUSED, const char *why, void *data)
{
	struct client *client = data;

	client_fail(client, "the keeper of '%s' %s", client->topology, why ? why : "is gone");
}

static const struct conn_events client_events = {.frame = client_frame, .gone = client_gone};

static int guest_connect(const char *topology, GError **error)
{
	AUTO(guest) *guest = guests_find(topology, error);
	g_autofree char *path = NULL;
	int fd;

	if (!guest && *error)
		return -1;
	if (!guest || !guest->root) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    guest ? "'%s' is still booting"
				  : "'%s' is not up; 'topolab up' starts a machine",
			    topology);
		return -1;
	}
	path = guest_socket(guest->root);
	fd = conn_connect(path);
	if (fd < 0)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "the keeper of '%s', process %" G_GINT64_FORMAT
			    ", cannot be reached at '%s': %s",
			    topology, guest->pid, path, g_strerror(errno));
	return fd;
}

/* What of our environment means something in the guest. */
static void add_environment(struct frame_start *start, const char *topology, char **words)
{
	const char *term = g_getenv("TERM");

	words[0] = g_strdup_printf("TERM=%s", term && start->terminal ? term : "dumb");
	words[1] = g_strdup_printf("PS1=%s:\\w\\$ ", topology);
	start->environment[0] = words[0];
	start->environment[1] = words[1];
	start->n_environment = 2;
}

static bool client_send_start(struct client *client, struct frame_start *start, GError **error)
{
	g_autofree guint8 *payload = g_malloc(FRAME_MAX);
	char *words[2];
	gsize length;

	add_environment(start, client->topology, words);
	length = frame_start_pack(payload, start);
	g_free(words[0]);
	g_free(words[1]);
	if (length)
		conn_send(client->conn, FRAME_START, 0, payload, length);
	else
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "the command's words take more than %u bytes, or are more than %u",
			    FRAME_MAX, FRAME_WORDS);
	return length > 0;
}

/* @input: what the command reads. Until the command has ended. */
static int client_session(struct client *client, struct frame_start *start, int input,
			  GError **error)
{
	int fd = guest_connect(client->topology, error);

	if (fd < 0)
		return 3;
	client->conn = conn_new(fd, &client_events, client);
	client->loop = g_main_loop_new(NULL, FALSE);
	client->input = input;
	if (client_send_start(client, start, error)) {
		client_watch_input(client);
		g_main_loop_run(client->loop);
	}
	if (client->input_source)
		g_source_remove(client->input_source);
	conn_free(client->conn);
	g_main_loop_unref(client->loop);
	if (client->error)
		g_propagate_error(error, client->error);
	return client->status;
}

static bool set_arguments(struct frame_start *start, const char *const *argv, GError **error)
{
	unsigned n = g_strv_length((char **)(guintptr)argv);

	if (n > FRAME_WORDS) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "the command has %u words, a guest takes %u", n, FRAME_WORDS);
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		start->arguments[i] = argv[i];
	start->n_arguments = n;
	return true;
}

static gboolean terminal_resized(void *data)
{
	struct client *client = data;
	guint8 size[4];
	unsigned rows, columns;

	raw_terminal_size(&rows, &columns);
	frame_put16(size, rows);
	frame_put16(size + 2, columns);
	conn_send(client->conn, FRAME_SIZE, 0, size, sizeof(size));
	return G_SOURCE_CONTINUE;
}

int client_run(const char *topology, const char *const *argv, enum client_mode mode, GError **error)
{
	struct client client = {.topology = topology};
	g_autofree struct frame_start *start = g_new0(struct frame_start, 1);
	guint resizes;
	int status;

	if (!set_arguments(start, argv, error))
		return 2;
	if (mode == CLIENT_PIPES)
		return client_session(&client, start, STDIN_FILENO, error);
	start->terminal = true;
	raw_terminal_size(&start->rows, &start->columns);
	if (!raw_terminal_enter()) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT,
			    "standard input is no terminal; 'topolab exec' needs none");
		return 2;
	}
	resizes = g_unix_signal_add(SIGWINCH, terminal_resized, &client);
	status = client_session(&client, start, STDIN_FILENO, error);
	g_source_remove(resizes);
	raw_terminal_leave();
	return status;
}

bool client_push(const char *topology, const char *source, const char *target, GError **error)
{
	struct client client = {.topology = topology};
	g_autofree struct frame_start *start = g_new0(struct frame_start, 1);
	int input = open(source, O_RDONLY | O_CLOEXEC);
	g_autoptr(GError) cause = NULL;
	int status;

	if (input < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_INPUT, "cannot read '%s': %s", source,
			    g_strerror(errno));
		return false;
	}
	start->store = true;
	start->arguments[0] = target;
	start->n_arguments = 1;
	status = client_session(&client, start, input, &cause);
	close(input);
	if (cause)
		g_propagate_error(error, g_steal_pointer(&cause));
	else if (status)
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "'%s' could not be put into '%s'",
			    source, topology);
	return status == 0 && (!error || !*error);
}

bool client_down(const char *topology, GError **error)
{
	AUTO(guest) *guest = guests_find(topology, error);
	gint64 limit = g_get_monotonic_time() + DOWN_LIMIT_SECONDS * G_USEC_PER_SEC;
	guint8 head[FRAME_HEAD];
	int fd = !guest && error && *error ? -1 : guest_connect(topology, error);

	if (fd < 0)
		return false;
	frame_head(head, FRAME_DOWN, 0, 0);
	if (send(fd, head, sizeof(head), MSG_NOSIGNAL) != (ssize_t)sizeof(head))
		g_debug("the keeper of '%s' is gone", topology);
	while (guest) {
		guest_free(guest);
		guest = guests_find(topology, NULL);
		if (guest && g_get_monotonic_time() > limit) {
			g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
				    "the keeper of '%s', process %" G_GINT64_FORMAT
				    ", does not end; when it is killed 'topolab clean' does the "
				    "rest",
				    topology, guest->pid);
			break;
		}
		g_usleep(DOWN_POLL_USEC);
	}
	close(fd);
	return !guest;
}
