// SPDX-License-Identifier: GPL-2.0-only
/* The test plays both sides, clients and agent, and the agent may be hostile. */
#include "base/frames.h"
#include "base/tree.h"
#include "live/conn.h"
#include "live/switchboard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct fixture {
	char *folder, *path;
	int agent; /* the far end of the link */
	struct switchboard *switchboard;
	unsigned n_ready, n_down;
	char *broken;
};

static void on_ready(void *data)
{
	((struct fixture *)data)->n_ready++;
}

static void on_down(void *data)
{
	((struct fixture *)data)->n_down++;
}

static void on_broken(const char *why, void *data)
{
	struct fixture *fixture = data;

	g_assert_null(fixture->broken);
	fixture->broken = g_strdup(why);
}

static const struct switchboard_events events = {
	.ready = on_ready, .down = on_down, .broken = on_broken};

static void turn(void)
{
	for (unsigned i = 0; i < 200; i++)
		g_main_context_iteration(NULL, FALSE);
}

/* What has come on @fd, as "kind/session/length " each. */
static char *frames_from(int fd)
{
	g_autofree struct frame_reader *reader = g_new0(struct frame_reader, 1);
	GString *text = g_string_new(NULL);
	static guint8 bytes[1 << 20];
	ssize_t got;

	turn();
	got = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
	if (got == 0)
		g_string_append(text, "end");
	for (ssize_t at = 0; at < got;) {
		struct frame frame;

		at += (ssize_t)frame_reader_take(reader, bytes + at, (gsize)(got - at));
		if (frame_reader_next(reader, &frame) == FRAME_WHOLE)
			g_string_append_printf(text, "%d/%u/%zu ", frame.kind, frame.session,
					       frame.length);
	}
	return g_string_free(text, FALSE);
}

static void expect_from(int fd, const char *wanted)
{
	g_autofree char *text = frames_from(fd);

	g_assert_cmpstr(text, ==, wanted);
}

static void put(int fd, enum frame_kind kind, unsigned session, const void *payload, gsize length)
{
	g_autofree guint8 *frame = g_malloc0(FRAME_HEAD + length);

	frame_head(frame, kind, session, length);
	if (payload)
		memcpy(frame + FRAME_HEAD, payload, length);
	g_assert_cmpint(send(fd, frame, FRAME_HEAD + length, 0), ==, (gssize)(FRAME_HEAD + length));
	turn();
}

static void put_hello(int fd, unsigned version)
{
	guint8 bytes[4];

	frame_put32(bytes, version);
	put(fd, FRAME_HELLO, 0, bytes, 4);
}

static int client_new(struct fixture *fixture)
{
	int fd = conn_connect(fixture->path);

	g_assert_cmpint(fd, >=, 0);
	turn();
	return fd;
}

/* 13 bytes: ten, "ls" and its NUL. */
static void put_start(int fd)
{
	struct frame_start start = {.n_arguments = 1, .arguments = {"ls"}};
	guint8 payload[FRAME_MAX];

	put(fd, FRAME_START, 0, payload, frame_start_pack(payload, &start));
}

static void fixture_setup(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int link[2], listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);

	fixture->folder = g_dir_make_tmp("s-XXXXXX", NULL);
	fixture->path = g_build_filename(fixture->folder, "s", NULL);
	g_strlcpy(address.sun_path, fixture->path, sizeof(address.sun_path));
	g_assert_cmpint(bind(listener, (struct sockaddr *)&address, sizeof(address)), ==, 0);
	g_assert_cmpint(listen(listener, 8), ==, 0);
	g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM, 0, link), ==, 0);
	fcntl(link[0], F_SETFL, O_NONBLOCK);
	fixture->agent = link[1];
	fixture->switchboard = switchboard_new(link[0], listener, &events, fixture);
	/* HELLO */
	expect_from(fixture->agent, "0/0/4 ");
}

static void fixture_teardown(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	switchboard_free(fixture->switchboard, "it is over");
	close(fixture->agent);
	g_assert_true(tree_remove(fixture->folder, NULL));
	g_free(fixture->folder);
	g_free(fixture->path);
	g_free(fixture->broken);
}

static void test_commands(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	const guint8 exited[FRAME_EXIT_BYTES] = {FRAME_EXITED, 3};
	int first, second;

	put_hello(fixture->agent, FRAME_VERSION);
	g_assert_cmpuint(fixture->n_ready, ==, 1);
	first = client_new(fixture);
	second = client_new(fixture);
	put_start(first);
	put_start(second);
	expect_from(fixture->agent, "1/0/13 1/1/13 ");
	put(second, FRAME_INPUT, 0, "abc", 3);
	put(first, FRAME_INPUT, 0, NULL, 0);
	expect_from(fixture->agent, "2/1/3 2/0/0 ");
	put(fixture->agent, FRAME_OUTPUT, 1, "x", 1);
	put(fixture->agent, FRAME_ERRORS, 0, "yy", 2);
	expect_from(first, "7/0/2 ");
	expect_from(second, "6/0/1 ");
	put(fixture->agent, FRAME_EXIT, 0, exited, sizeof(exited));
	expect_from(first, "8/0/5 ");
	expect_from(first, "end");
	/* Its session is free again, the other's is not. */
	close(first);
	first = client_new(fixture);
	put_start(first);
	expect_from(fixture->agent, "1/0/13 ");
	g_assert_null(fixture->broken);
	put(second, FRAME_DOWN, 0, NULL, 0);
	g_assert_cmpuint(fixture->n_down, ==, 1);
	close(first);
	close(second);
}

/* Its command is told to end, and its session is not given away before it has. */
static void test_client_vanishes(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	const guint8 killed[FRAME_EXIT_BYTES] = {FRAME_SIGNALLED, 9};
	int first = client_new(fixture), second, third;

	put_start(first);
	expect_from(fixture->agent, "1/0/13 ");
	close(first);
	expect_from(fixture->agent, "4/0/0 ");
	second = client_new(fixture);
	put_start(second);
	expect_from(fixture->agent, "1/1/13 ");
	/* What it still said goes nowhere. */
	put(fixture->agent, FRAME_OUTPUT, 0, "x", 1);
	put(fixture->agent, FRAME_EXIT, 0, killed, sizeof(killed));
	expect_from(second, "");
	third = client_new(fixture);
	put_start(third);
	expect_from(fixture->agent, "1/0/13 ");
	g_assert_null(fixture->broken);
	close(second);
	close(third);
}

static void test_full(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	int clients[FRAME_SESSIONS + 1];

	for (unsigned i = 0; i <= FRAME_SESSIONS; i++) {
		clients[i] = client_new(fixture);
		put_start(clients[i]);
	}
	/* "the guest runs as many commands as it can at once" */
	expect_from(clients[FRAME_SESSIONS], "10/0/49 ");
	for (unsigned i = 0; i <= FRAME_SESSIONS; i++)
		close(clients[i]);
}

static void expect_broken(struct fixture *fixture, const char *why)
{
	turn();
	g_assert_cmpstr(fixture->broken, ==, why);
}

static void test_stranger(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	put(fixture->agent, FRAME_OUTPUT, 2, "x", 1);
	expect_broken(fixture, "the guest's agent sent a frame of no command");
}

/* Only a keeper may say that. */
static void test_wrong_kind(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	int client = client_new(fixture);

	put_start(client);
	put(fixture->agent, FRAME_FAILED, 0, "x", 1);
	expect_broken(fixture, "the guest's agent sent a frame of no command");
	close(client);
}

static void test_garbage(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_assert_cmpint(send(fixture->agent, "[    0.000000] Linux", 20, 0), ==, 20);
	expect_broken(fixture, "the guest's agent sent what is no frame");
}

static void test_version(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	put_hello(fixture->agent, FRAME_VERSION + 1);
	expect_broken(fixture, "the guest's agent is of another version");
	g_assert_cmpuint(fixture->n_ready, ==, 0);
}

static void test_wrong_ending(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	const guint8 ending[FRAME_EXIT_BYTES] = {9};
	int client = client_new(fixture);

	put_start(client);
	put(fixture->agent, FRAME_EXIT, 0, ending, sizeof(ending));
	expect_broken(fixture, "the guest's agent tells an ending that is none");
	close(client);
}

/* The client reads nothing; the agent goes on beyond its window. */
static void test_flood(struct fixture *fixture, gconstpointer data G_GNUC_UNUSED)
{
	g_autofree guint8 *bytes = g_malloc0(FRAME_MAX);
	int client = client_new(fixture);

	put_start(client);
	for (unsigned i = 0; i < 100 && !fixture->broken; i++)
		put(fixture->agent, FRAME_OUTPUT, 0, bytes, FRAME_MAX);
	expect_broken(fixture, "the guest's agent sent more than a command may at once");
	close(client);
}

#define TEST(name)                                                                                 \
	g_test_add("/switchboard/" #name, struct fixture, NULL, fixture_setup, test_##name,        \
		   fixture_teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	TEST(commands);
	TEST(client_vanishes);
	TEST(full);
	TEST(stranger);
	TEST(wrong_kind);
	TEST(garbage);
	TEST(version);
	TEST(wrong_ending);
	TEST(flood);
	return g_test_run();
}
