// SPDX-License-Identifier: GPL-2.0-only
#include "guest/serve.h"

#include "guest/command.h"
#include "guest/link.h"
#include "guest/ports.h"
#include "guest/world.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define BUSYBOX "/bin/busybox"
/* After its command is gone a terminal may still hold output, which comes by a kernel thread. */
#define QUIET_MS 200
/* Others that the command left may go on writing: so many bytes after its end are taken from them.
 * A pipe holds no more, /proc/sys/fs/pipe-max-size. */
#define LATE_BYTES (1u << 20)
/* Between SIGHUP and SIGKILL for a command whose client is gone. */
#define HANGUP_MS 500
/* The other end of a virtio port may not be there yet, and poll(2) does not wait for it. */
#define HOST_POLL_MS 50

struct session {
	int used;
	struct command command;
	int terminal;
	unsigned char input[FRAME_WINDOW];
	size_t input_from, input_length;
	int input_ended;
	size_t on_its_way; /* bytes of output that the host has not taken */
	int exited, status;
	size_t late_bytes;
	long long quiet_ms; /* the time from which silence means the end, once it exited */
	int closing;
	long long kill_ms; /* the time of the next SIGKILL, when closing */
};

struct server {
	struct link link;
	struct session sessions[FRAME_SESSIONS];
};

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

int serve_is_wanted(void)
{
	return access("/" FRAME_SERVE_FILE, F_OK) == 0;
}

int serve_open(const char *channel)
{
	return strcmp(channel, "serial") == 0 ? serial_open(O_RDWR)
					      : port_open("topolab.1", O_RDWR);
}

static void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void session_finish(struct server *server, unsigned id, const struct frame_exit *ending)
{
	struct session *session = &server->sessions[id];
	unsigned char payload[FRAME_EXIT_BYTES];

	if (session->closing)
		command_signal(session->command.pid, SIGKILL);
	fd_close(&session->command.input);
	fd_close(&session->command.output);
	fd_close(&session->command.errors);
	session->used = 0;
	frame_exit_pack(payload, ending);
	link_send(&server->link, FRAME_EXIT, id, payload, sizeof(payload));
}

static void session_start(struct server *server, unsigned id, const struct frame *frame)
{
	static struct frame_start start;
	struct session *session = &server->sessions[id];
	struct frame_exit ending = {.how = FRAME_NOT_STARTED, .number = EINVAL};

	memset(session, 0, sizeof(*session));
	session->command = (struct command){.input = -1, .output = -1, .errors = -1};
	if (frame_start_parse(&start, frame->payload, frame->length)) {
		session->terminal = start.terminal;
		ending.number = (unsigned)command_start(&session->command, &start);
	}
	if (ending.number)
		session_finish(server, id, &ending);
	else
		session->used = 1;
}

static void session_take_input(struct server *server, unsigned id, const struct frame *frame)
{
	struct session *session = &server->sessions[id];
	unsigned char taken[4];

	if (frame->length == 0)
		session->input_ended = 1;
	/* Nobody reads it any more, or the host sends more than it may. */
	if (session->command.input < 0 || frame->length > FRAME_WINDOW - session->input_length) {
		frame_put32(taken, (uint32_t)frame->length);
		link_send(&server->link, FRAME_TAKEN, id, taken, sizeof(taken));
		return;
	}
	for (size_t i = 0; i < frame->length; i++)
		session->input[(session->input_from + session->input_length + i) % FRAME_WINDOW] =
			frame->payload[i];
	session->input_length += frame->length;
}

static void session_resize(struct session *session, const struct frame *frame)
{
	const struct winsize size = {
		.ws_row = (unsigned short)frame_get16(frame->payload),
		.ws_col = (unsigned short)frame_get16(frame->payload + 2),
	};

	if (session->command.input >= 0)
		ioctl(session->command.input, TIOCSWINSZ, &size);
}

static void session_close(struct session *session)
{
	session->closing = 1;
	session->kill_ms = now_ms() + HANGUP_MS;
	command_signal(session->command.pid, SIGHUP);
	command_signal(session->command.pid, SIGCONT);
}

static void serve_frame(struct server *server, const struct frame *frame)
{
	struct session *session = &server->sessions[frame->session];
	unsigned char version[4];
	uint32_t taken;

	if (frame->kind == FRAME_HELLO) {
		frame_put32(version, FRAME_VERSION);
		link_send(&server->link, FRAME_HELLO, 0, version, sizeof(version));
	} else if (frame->kind == FRAME_START && !session->used) {
		session_start(server, frame->session, frame);
	} else if (!session->used) {
		/* It crossed our FRAME_EXIT. */
		return;
	} else if (frame->kind == FRAME_INPUT) {
		session_take_input(server, frame->session, frame);
	} else if (frame->kind == FRAME_SIZE) {
		session_resize(session, frame);
	} else if (frame->kind == FRAME_CLOSE) {
		session_close(session);
	} else if (frame->kind == FRAME_TAKEN) {
		taken = frame_get32(frame->payload);
		session->on_its_way -= taken < session->on_its_way ? taken : session->on_its_way;
	}
}

/* 0, or -1: the host broke the protocol. */
static int serve_link(struct server *server)
{
	static unsigned char chunk[16384];
	ssize_t length = read(server->link.fd, chunk, sizeof(chunk));

	for (ssize_t at = 0; at < length;) {
		struct frame frame;

		at += (ssize_t)frame_reader_take(&server->link.reader, chunk + at,
						 (size_t)(length - at));
		switch (frame_reader_next(&server->link.reader, &frame)) {
		case FRAME_MORE:
			break;
		case FRAME_WHOLE:
			serve_frame(server, &frame);
			break;
		case FRAME_BROKEN:
			return -1;
		}
	}
	return 0;
}

static void session_write(struct server *server, unsigned id)
{
	struct session *session = &server->sessions[id];
	size_t part = FRAME_WINDOW - session->input_from;
	unsigned char taken[4];
	ssize_t n;

	if (part > session->input_length)
		part = session->input_length;
	n = write(session->command.input, session->input + session->input_from, part);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		fd_close(&session->command.input);
		n = (ssize_t)session->input_length;
	}
	session->input_from = (session->input_from + (size_t)n) % FRAME_WINDOW;
	session->input_length -= (size_t)n;
	frame_put32(taken, (uint32_t)n);
	link_send(&server->link, FRAME_TAKEN, id, taken, sizeof(taken));
}

static void session_read(struct server *server, unsigned id, int *fd, enum frame_kind kind)
{
	static unsigned char chunk[FRAME_MAX];
	struct session *session = &server->sessions[id];
	size_t room = session->closing ? FRAME_MAX : FRAME_WINDOW - session->on_its_way;
	ssize_t n = read(*fd, chunk, room < FRAME_MAX ? room : FRAME_MAX);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	/* A terminal whose last user is gone gives EIO. */
	if (n <= 0) {
		fd_close(fd);
		return;
	}
	session->late_bytes += session->exited ? (size_t)n : 0;
	session->quiet_ms = now_ms() + QUIET_MS;
	if (session->closing)
		return;
	session->on_its_way += (size_t)n;
	link_send(&server->link, kind, id, chunk, (size_t)n);
}

/* Everything that ended, commands and what they left to PID 1. */
static void serve_reap(struct server *server)
{
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (unsigned id = 0; id < FRAME_SESSIONS; id++) {
			struct session *session = &server->sessions[id];

			if (!session->used || session->exited || session->command.pid != pid)
				continue;
			session->exited = 1;
			session->status = status;
			/* What was in its pipes is there already. */
			session->quiet_ms = now_ms() + (session->terminal ? QUIET_MS : 0);
		}
	}
}

static int session_is_silent(const struct session *session, const struct pollfd *polled)
{
	if (session->closing || session->late_bytes > LATE_BYTES)
		return 1;
	if (session->command.output < 0 && session->command.errors < 0)
		return 1;
	return session->on_its_way < FRAME_WINDOW && !(polled[1].revents | polled[2].revents) &&
	       now_ms() >= session->quiet_ms;
}

/* @polled: the session's three descriptors after poll(2). */
static void session_end_if_over(struct server *server, unsigned id, const struct pollfd *polled)
{
	struct session *session = &server->sessions[id];
	struct frame_exit ending;

	if (session->closing && now_ms() >= session->kill_ms) {
		command_signal(session->command.pid, SIGKILL);
		session->kill_ms = now_ms() + HANGUP_MS;
	}
	if (!session->exited || !session_is_silent(session, polled))
		return;
	if (WIFSIGNALED(session->status))
		ending = (struct frame_exit){FRAME_SIGNALLED, (unsigned)WTERMSIG(session->status)};
	else
		ending = (struct frame_exit){FRAME_EXITED, (unsigned)WEXITSTATUS(session->status)};
	session_finish(server, id, &ending);
}

static void session_poll(struct session *session, struct pollfd *polled)
{
	int may_send = session->closing || session->on_its_way < FRAME_WINDOW;

	/* The end of the input, for a command that waits for it. */
	if (session->input_ended && session->input_length == 0 && !session->terminal)
		fd_close(&session->command.input);
	polled[0] = (struct pollfd){.fd = session->input_length ? session->command.input : -1,
				    .events = POLLOUT};
	polled[1] =
		(struct pollfd){.fd = may_send ? session->command.output : -1, .events = POLLIN};
	polled[2] =
		(struct pollfd){.fd = may_send ? session->command.errors : -1, .events = POLLIN};
}

static void session_serve(struct server *server, unsigned id, const struct pollfd *polled)
{
	struct command *command = &server->sessions[id].command;

	if (polled[0].revents)
		session_write(server, id);
	if (polled[1].revents)
		session_read(server, id, &command->output, FRAME_OUTPUT);
	if (polled[2].revents && server->sessions[id].on_its_way < FRAME_WINDOW)
		session_read(server, id, &command->errors, FRAME_ERRORS);
	session_end_if_over(server, id, polled);
}

/* Milliseconds until something is due; -1: nothing is. */
static int serve_timeout(const struct server *server)
{
	long long due = -1, now = now_ms();

	for (unsigned id = 0; id < FRAME_SESSIONS; id++) {
		const struct session *session = &server->sessions[id];
		long long at = session->closing ? session->kill_ms : session->quiet_ms;

		/* A client that does not read is waited for. */
		if (!session->used || (!session->closing &&
				       (!session->exited || session->on_its_way >= FRAME_WINDOW)))
			continue;
		if (due < 0 || at < due)
			due = at;
	}
	return due < 0 ? -1 : due <= now ? 1 : (int)(due - now);
}

static int serve_round(struct server *server, const sigset_t *while_polling)
{
	struct pollfd polled[1 + 3 * FRAME_SESSIONS];
	int ms = serve_timeout(server);
	struct timespec limit = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};

	polled[0] = (struct pollfd){.fd = server->link.fd, .events = POLLIN};
	for (unsigned id = 0; id < FRAME_SESSIONS; id++) {
		struct pollfd none = {.fd = -1};

		for (unsigned i = 0; i < 3; i++)
			polled[1 + 3 * id + i] = none;
		if (server->sessions[id].used)
			session_poll(&server->sessions[id], &polled[1 + 3 * id]);
	}
	if (ppoll(polled, 1 + 3 * FRAME_SESSIONS, ms < 0 ? NULL : &limit, while_polling) < 0) {
		serve_reap(server);
		return 0;
	}
	for (unsigned id = 0; id < FRAME_SESSIONS; id++)
		if (server->sessions[id].used)
			session_serve(server, id, &polled[1 + 3 * id]);
	/* After the reading: the end of a command is only looked at with what poll(2) saw later. */
	serve_reap(server);
	if (polled[0].revents & POLLIN)
		return serve_link(server);
	if (polled[0].revents)
		nanosleep(&(struct timespec){.tv_nsec = HOST_POLL_MS * 1000000L}, NULL);
	return 0;
}

static void child_gone(int number)
{
	(void)number;
}

static void busybox_install(void)
{
	pid_t pid = access(BUSYBOX, X_OK) == 0 ? fork() : -1;

	if (pid == 0) {
		execl(BUSYBOX, "busybox", "--install", "-s", "/bin", (char *)NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

void serve(int fd)
{
	static struct server server;
	struct sigaction action = {.sa_handler = child_gone};
	sigset_t child, before;

	server.link.fd = fd;
	world_prepare();
	busybox_install();
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	sigaction(SIGCHLD, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	while (serve_round(&server, &before) == 0)
		;
}
