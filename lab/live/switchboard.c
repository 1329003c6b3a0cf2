// SPDX-License-Identifier: GPL-2.0-only
#include "live/switchboard.h"

#include "base/frames.h"
#include "live/conn.h"

#include <fcntl.h>
#include <glib-unix.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Both streams of a command share one window; what is beside them is small. */
#define CLIENT_QUEUE_MAX (2 * FRAME_WINDOW)
/* Queued for the guest: clients wait above the first and go on below the second. */
#define LINK_QUEUE_HIGH (1u << 20)
/* A client that says nothing takes no session, but memory. */
#define CLIENTS_MAX 32
/* The agent's answer, on a host that may be slow. */
#define HELLO_LIMIT_SECONDS 120

struct client {
	struct switchboard *switchboard;
	struct conn *conn;
	int session; /* -1: none */
	bool over;   /* its command is: it goes when it has everything */
};

struct session {
	bool busy;
	struct client *client; /* NULL: it is gone, and its command is being ended */
};

struct switchboard {
	struct conn *link;
	int listener;
	guint listener_source, hello_source;
	bool ready, broken;
	struct session sessions[FRAME_SESSIONS];
	GPtrArray *clients;
	const struct switchboard_events *events;
	void *data;
};

static void client_free(struct client *client)
{
	struct switchboard *switchboard = client->switchboard;

	if (client->session >= 0 && !client->over) {
		switchboard->sessions[client->session].client = NULL;
		conn_send(switchboard->link, FRAME_CLOSE, (unsigned)client->session, NULL, 0);
	}
	g_ptr_array_remove_fast(switchboard->clients, client);
	conn_free(client->conn);
	g_free(client);
}

static void client_gone(struct conn *conn G_GNUC_UNUSED, const char *why G_GNUC_UNUSED, void *data)
{
	client_free(data);
}

static void client_drained(struct conn *conn G_GNUC_UNUSED, void *data)
{
	struct client *client = data;

	if (client->over)
		client_free(client);
}

/* The last that the client hears. */
static void client_finish(struct client *client, enum frame_kind kind, const void *payload,
			  gsize length)
{
	client->over = true;
	conn_send(client->conn, kind, 0, payload, length);
	if (conn_queued(client->conn) == 0)
		client_free(client);
}

static void client_start(struct client *client, const struct frame *frame)
{
	static const char full[] = "the guest runs as many commands as it can at once";
	struct switchboard *switchboard = client->switchboard;

	for (unsigned id = 0; id < FRAME_SESSIONS; id++) {
		struct session *session = &switchboard->sessions[id];

		if (session->busy)
			continue;
		*session = (struct session){.busy = true, .client = client};
		client->session = (int)id;
		conn_send(switchboard->link, FRAME_START, id, frame->payload, frame->length);
		return;
	}
	client_finish(client, FRAME_FAILED, full, sizeof(full) - 1);
}

static void client_frame(struct conn *conn, const struct frame *frame, void *data)
{
	struct client *client = data;
	struct switchboard *switchboard = client->switchboard;

	if (client->over)
		return;
	if (frame->kind == FRAME_DOWN) {
		switchboard->events->down(switchboard->data);
	} else if (frame->kind == FRAME_START && client->session < 0) {
		client_start(client, frame);
	} else if (client->session >= 0 &&
		   (frame->kind == FRAME_INPUT || frame->kind == FRAME_SIZE ||
		    frame->kind == FRAME_TAKEN)) {
		conn_send(switchboard->link, frame->kind, (unsigned)client->session, frame->payload,
			  frame->length);
		if (conn_queued(switchboard->link) > LINK_QUEUE_HIGH)
			conn_pause(conn);
	}
}

static const struct conn_events client_events = {
	.frame = client_frame,
	.gone = client_gone,
	.drained = client_drained,
};

static gboolean client_arrived(int listener, GIOCondition condition G_GNUC_UNUSED, void *data)
{
	struct switchboard *switchboard = data;
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct client *client;

	if (fd < 0)
		return G_SOURCE_CONTINUE;
	if (switchboard->clients->len >= CLIENTS_MAX) {
		close(fd);
		return G_SOURCE_CONTINUE;
	}
	client = g_new0(struct client, 1);
	client->switchboard = switchboard;
	client->session = -1;
	client->conn = conn_new(fd, &client_events, client);
	g_ptr_array_add(switchboard->clients, client);
	return G_SOURCE_CONTINUE;
}

static void switchboard_break(struct switchboard *switchboard, const char *why)
{
	if (switchboard->broken)
		return;
	switchboard->broken = true;
	switchboard->events->broken(why, switchboard->data);
}

static void link_drained(struct conn *conn G_GNUC_UNUSED, void *data)
{
	struct switchboard *switchboard = data;

	for (guint i = 0; i < switchboard->clients->len; i++) {
		struct client *client = g_ptr_array_index(switchboard->clients, i);

		conn_resume(client->conn);
	}
}

static void link_hello(struct switchboard *switchboard, const struct frame *frame)
{
	if (frame_get32(frame->payload) != FRAME_VERSION) {
		switchboard_break(switchboard, "the guest's agent is of another version");
	} else if (!switchboard->ready) {
		switchboard->ready = true;
		g_source_remove(switchboard->hello_source);
		switchboard->hello_source = 0;
		switchboard->events->ready(switchboard->data);
	}
}

static void link_exit(struct switchboard *switchboard, const struct frame *frame)
{
	struct session *session = &switchboard->sessions[frame->session];
	struct client *client = session->client;
	struct frame_exit ending;

	*session = (struct session){0};
	if (!frame_exit_parse(&ending, frame->payload))
		switchboard_break(switchboard, "the guest's agent tells an ending that is none");
	else if (client)
		client_finish(client, FRAME_EXIT, frame->payload, frame->length);
}

static void link_pass_on(struct switchboard *switchboard, const struct frame *frame)
{
	struct client *client = switchboard->sessions[frame->session].client;

	/* Of a command whose client is gone. */
	if (!client)
		return;
	conn_send(client->conn, frame->kind, 0, frame->payload, frame->length);
	if (conn_queued(client->conn) > CLIENT_QUEUE_MAX)
		switchboard_break(switchboard,
				  "the guest's agent sent more than a command may at once");
}

static void link_frame(struct conn *conn G_GNUC_UNUSED, const struct frame *frame, void *data)
{
	struct switchboard *switchboard = data;
	bool known = frame->kind == FRAME_OUTPUT || frame->kind == FRAME_ERRORS ||
		     frame->kind == FRAME_TAKEN || frame->kind == FRAME_EXIT;

	if (switchboard->broken)
		return;
	if (frame->kind == FRAME_HELLO)
		link_hello(switchboard, frame);
	else if (!known || !switchboard->sessions[frame->session].busy)
		switchboard_break(switchboard, "the guest's agent sent a frame of no command");
	else if (frame->kind == FRAME_EXIT)
		link_exit(switchboard, frame);
	else
		link_pass_on(switchboard, frame);
}

static void link_gone(struct conn *conn G_GNUC_UNUSED, const char *why, void *data)
{
	switchboard_break(data, why ? "the guest's agent sent what is no frame"
				    : "the port to the guest's agent was closed");
}

static const struct conn_events link_events = {
	.frame = link_frame,
	.gone = link_gone,
	.drained = link_drained,
};

static gboolean hello_late(void *data)
{
	struct switchboard *switchboard = data;

	switchboard->hello_source = 0;
	switchboard_break(switchboard, "the guest's agent does not answer on its second port");
	return G_SOURCE_REMOVE;
}

struct switchboard *switchboard_new(int link, int listener, const struct switchboard_events *events,
				    void *data)
{
	struct switchboard *switchboard = g_new0(struct switchboard, 1);
	guint8 version[4];

	switchboard->events = events;
	switchboard->data = data;
	switchboard->clients = g_ptr_array_new();
	switchboard->link = conn_new(link, &link_events, switchboard);
	switchboard->listener = listener;
	switchboard->listener_source =
		g_unix_fd_add(listener, G_IO_IN, client_arrived, switchboard);
	switchboard->hello_source =
		g_timeout_add_seconds(HELLO_LIMIT_SECONDS, hello_late, switchboard);
	frame_put32(version, FRAME_VERSION);
	conn_send(switchboard->link, FRAME_HELLO, 0, version, sizeof(version));
	return switchboard;
}

void switchboard_free(struct switchboard *switchboard, const char *why)
{
	if (!switchboard)
		return;
	switchboard->broken = true;
	while (switchboard->clients->len) {
		struct client *client = g_ptr_array_index(switchboard->clients, 0);

		/* As much as its socket takes: the keeper goes now. */
		conn_send(client->conn, FRAME_FAILED, 0, why, MIN(strlen(why), 1024));
		client_free(client);
	}
	g_source_remove(switchboard->listener_source);
	if (switchboard->hello_source)
		g_source_remove(switchboard->hello_source);
	close(switchboard->listener);
	conn_free(switchboard->link);
	g_ptr_array_unref(switchboard->clients);
	g_free(switchboard);
}
