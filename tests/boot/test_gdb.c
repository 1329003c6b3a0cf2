// SPDX-License-Identifier: GPL-2.0-only
/*
 * A guest that is frozen until gdb lets it run. The packets are those of gdb's manual, appendix
 * "Remote Protocol": $DATA#CHECKSUM, the sum of DATA's bytes.
 */
#include "fault_run.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#define SPOKE "[    0.000000] Linux version 6.12.117 (a@b)\r\n"
#define JOB   "small/stub"
#define TOLD  "lets it run:\n  "

static struct fault_run start(const struct fault_place *place, const char *options)
{
	g_autofree char *kernel = g_build_filename(place->folder, "stub", NULL);
	g_autofree char *arguments = g_strdup_printf("--kernel %s %s", kernel, options);
	struct stub stub = stub_new();

	stub_say(&stub, STUB_CONSOLE, SPOKE);
	stub_poweroff(&stub);
	stub_write(&stub, kernel);
	return fault_start(place, "run", arguments);
}

/* The command that topolab tells; the line is whole once the next state's is there. */
static char *told_command(const struct fault_run *run)
{
	g_autofree char *errors = NULL;
	const char *at;

	g_assert_true(fault_wait_for(run, TOLD "gdb "));
	g_usleep(100000);
	errors = fault_text("/", run->errors);
	at = strstr(errors, TOLD);
	return at ? g_strndup(at + strlen(TOLD), strcspn(at + strlen(TOLD), "\n")) : g_strdup("");
}

static int connect_to(const struct sockaddr *address, socklen_t length)
{
	int fd = socket(address->sa_family, SOCK_STREAM, 0);
	const struct timeval patience = {.tv_sec = 60};

	g_assert_cmpint(connect(fd, address, length), ==, 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

static void send_packet(int fd, const char *packet)
{
	g_assert_cmpint(write(fd, packet, strlen(packet)), ==, (ssize_t)strlen(packet));
}

/* Up to and with its '#'; the acknowledgement stands before it. */
static void assert_answer(int fd, const char *beginning)
{
	g_autoptr(GString) answer = g_string_new(NULL);
	char byte = 0;

	while (byte != '#' && read(fd, &byte, 1) == 1)
		g_string_append_c(answer, byte);
	if (!g_str_has_prefix(answer->str, beginning))
		g_test_fail_printf("gdb's stub answers '%s', not '%s'", answer->str, beginning);
}

static char *console_of(const struct fault_run *run, const char *folder)
{
	g_autofree char *path = g_build_filename(run->folder, folder, NULL);

	return fault_text(path, "console.log");
}

/* Why does it stand? A trap. Then it is let run, says its word and powers itself off. */
static void let_run(struct fault_run *run, int fd)
{
	g_autofree char *before = console_of(run, ".part-small-stub");
	g_autofree char *after = NULL;
	json_t *result;

	send_packet(fd, "$?#3f");
	assert_answer(fd, "+$T05");
	g_assert_cmpstr(before, ==, "");
	send_packet(fd, "+$c#63");
	g_assert_cmpint(fault_end(run), ==, 3);
	close(fd);
	after = console_of(run, JOB);
	g_assert_nonnull(strstr(after, SPOKE));
	result = result_load(run->folder, JOB);
	g_assert_cmpstr(json_string_value(json_object_get(result, "ending")), ==, "poweroff");
	g_assert_true(g_str_has_suffix(json_string_value(json_object_get(result, "cmdline")),
				       " nokaslr"));
	json_decref(result);
	assert_job_check(run, JOB, "evidence.channel", "ERROR",
			 "the guest was done and sent no evidence");
	assert_results_are_whole(run);
}

static void test_unix(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start(place, "--gdb");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	g_autofree char *command = told_command(&run);
	g_autofree char *beginning = g_strdup_printf("gdb -ex 'target remote %s/", place->runtime);
	const char *path = strstr(command, place->runtime);

	g_assert_true(g_str_has_prefix(command, beginning));
	g_assert_true(g_str_has_suffix(command, "/gdb'"));
	if (!path)
		return;
	g_strlcpy(address.sun_path, path, MIN(strlen(path), sizeof(address.sun_path)));
	/* Longer than a guest may take that is not frozen. */
	g_usleep(2 * G_USEC_PER_SEC);
	let_run(&run, connect_to((const struct sockaddr *)&address, sizeof(address)));
	fault_run_clear(&run);
}

/* A port that is free now. */
static unsigned free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	g_assert_cmpint(bind(fd, (const struct sockaddr *)&address, length), ==, 0);
	g_assert_cmpint(getsockname(fd, (struct sockaddr *)&address, &length), ==, 0);
	close(fd);
	return ntohs(address.sin_port);
}

static void test_port(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	unsigned port = free_port();
	g_autofree char *option = g_strdup_printf("--gdb=%u", port);
	g_autofree char *expected = g_strdup_printf("gdb -ex 'target remote 127.0.0.1:%u'", port);
	struct fault_run run = start(place, option);
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons((guint16)port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	g_autofree char *command = told_command(&run);

	g_assert_cmpstr(command, ==, expected);
	let_run(&run, connect_to((const struct sockaddr *)&address, sizeof(address)));
	fault_run_clear(&run);
}

static void test_port_taken(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	g_autofree char *option = NULL;
	g_autofree char *reason = NULL;
	struct fault_run run;

	g_assert_cmpint(bind(fd, (const struct sockaddr *)&address, length), ==, 0);
	g_assert_cmpint(listen(fd, 1), ==, 0);
	g_assert_cmpint(getsockname(fd, (struct sockaddr *)&address, &length), ==, 0);
	option = g_strdup_printf("--gdb=%u", ntohs(address.sin_port));
	reason = g_strdup_printf("QEMU or libvirt died, not the guest: gdb cannot be awaited "
				 "on '127.0.0.1:%u': Address already in use",
				 ntohs(address.sin_port));
	run = start(place, option);
	g_assert_cmpint(fault_end(&run), ==, 3);
	assert_job_check(&run, JOB, "guest.ending", "ERROR", reason);
	close(fd);
	fault_run_clear(&run);
}

static void test_interrupted(struct fault_place *place, gconstpointer data G_GNUC_UNUSED)
{
	struct fault_run run = start(place, "--gdb");
	g_autofree char *command = told_command(&run);

	g_assert_cmpstr(command, !=, "");
	kill(run.pid, SIGINT);
	g_assert_cmpint(fault_end(&run), ==, 3);
	assert_job_check(&run, JOB, "guest.ending", "ERROR", NULL);
	assert_results_are_whole(&run);
	fault_run_clear(&run);
}

#define TEST(name)                                                                                 \
	g_test_add("/gdb/" #name, struct fault_place, NULL, fault_place_set_up, test_##name,       \
		   fault_place_tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_set_nonfatal_assertions();
	TEST(unix);
	TEST(port);
	TEST(port_taken);
	TEST(interrupted);
	return g_test_run();
}
