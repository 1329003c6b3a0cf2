// SPDX-License-Identifier: GPL-2.0-only
#include "live/keeper.h"

#include "base/error.h"
#include "base/spawn.h"
#include "live/busybox.h"
#include "live/conn.h"
#include "live/guests.h"
#include "live/switchboard.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

struct keeper {
	struct run_options options;
	const char *name;
	int claim;	      /* the guest's name */
	int status_fd;	      /* to whoever started us, until the guest is up */
	guint starter_source; /* watches it */
	struct guest *guest;
	char *shell_lack; /* why the guest has no shell; NULL: it has one */
	struct switchboard *switchboard;
};

/* The signals that end it, in the process that waits for the keeper. */
static volatile sig_atomic_t starter_child;

static void starter_signalled(int number G_GNUC_UNUSED)
{
	if (starter_child > 0)
		kill((pid_t)starter_child, SIGTERM);
}

/* run_all() takes SIGTERM, ends the guest and returns. */
static void keeper_end(void)
{
	kill(getpid(), SIGTERM);
}

static int listen_on(const char *path, GError **error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 &&
	    g_strlcpy(address.sun_path, path, sizeof(address.sun_path)) <
		    sizeof(address.sun_path) &&
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && chmod(path, 0600) == 0 &&
	    listen(fd, 8) == 0)
		return fd;
	g_set_error(error, TOPOLAB_ERROR, ERROR_LAB, "cannot listen on '%s': %s", path,
		    g_strerror(errno));
	if (fd >= 0)
		close(fd);
	return -1;
}

static void say_verdict(const struct report *report)
{
	const struct result *result = g_ptr_array_index(report->results, 0);
	const struct report_style plain = {0};
	g_autofree char *text = NULL;

	if (result_verdict(result) == VERDICT_PASS) {
		text = g_strdup_printf("%s with %s: PASS, files in %s/%s\n", result->topology,
				       result->kernel, report->run_folder, result->folder);
	} else {
		text = report_format_find("text")->write(report, &plain);
	}
	fputs(text, stdout);
}

static void say_usage(const struct keeper *keeper)
{
	const char *name = keeper->name;
	g_autoptr(GString) text = g_string_new(NULL);

	if (keeper->shell_lack)
		g_string_append_printf(text, "\n%s\n", keeper->shell_lack);
	g_string_append_printf(text, "\n'%s' is up:\n", name);
	if (!keeper->shell_lack)
		g_string_append_printf(text, "  topolab shell %s\n", name);
	g_string_append_printf(text,
			       "  topolab exec %s -- COMMAND...    (--push FILE puts a static "
			       "program into it)\n  topolab down %s\n",
			       name, name);
	fputs(text->str, stdout);
}

/* From here on nobody waits for us, and our streams are not the user's any more. */
static void keeper_detach(struct keeper *keeper)
{
	g_autofree char *log = g_build_filename(keeper->guest->root, "keeper.log", NULL);
	int out = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	char status = 0;

	fflush(stdout);
	fflush(stderr);
	if (out >= 0) {
		dup2(out, STDOUT_FILENO);
		dup2(out, STDERR_FILENO);
		close(out);
	}
	if (write(keeper->status_fd, &status, 1) != 1)
		g_debug("nobody waits for the guest");
	g_source_remove(keeper->starter_source);
	close(keeper->status_fd);
	keeper->status_fd = -1;
}

/* Whoever waited for the guest is dead. */
static gboolean starter_gone(int fd G_GNUC_UNUSED, GIOCondition condition G_GNUC_UNUSED,
			     void *data G_GNUC_UNUSED)
{
	keeper_end();
	return G_SOURCE_REMOVE;
}

static void keeper_ready(void *data)
{
	struct keeper *keeper = data;
	g_autoptr(GError) error = NULL;

	if (!guests_write(keeper->claim, keeper->guest, &error)) {
		fprintf(stderr, "topolab: %s\n", error->message);
		keeper_end();
		return;
	}
	say_usage(keeper);
	keeper_detach(keeper);
}

static void keeper_asked_down(void *data G_GNUC_UNUSED)
{
	keeper_end();
}

static void keeper_broken(const char *why, void *data G_GNUC_UNUSED)
{
	fprintf(stderr, "topolab: %s\n", why);
	keeper_end();
}

static const struct switchboard_events switchboard_events = {
	.ready = keeper_ready,
	.down = keeper_asked_down,
	.broken = keeper_broken,
};

static bool keeper_connect(struct keeper *keeper, const char *socket, GError **error)
{
	g_autofree char *path = guest_socket(keeper->guest->root);
	int listener = listen_on(path, error);
	int link;

	if (listener < 0)
		return false;
	link = conn_connect(socket);
	if (link < 0) {
		g_set_error(error, TOPOLAB_ERROR, ERROR_LAB,
			    "cannot connect to the agent's port '%s': %s", socket,
			    g_strerror(errno));
		close(listener);
		return false;
	}
	keeper->switchboard = switchboard_new(link, listener, &switchboard_events, keeper);
	return true;
}

static void keeper_up(const struct report *report, const char *root, const char *socket, void *data)
{
	struct keeper *keeper = data;
	const struct result *result = g_ptr_array_index(report->results, 0);
	struct guest *guest = keeper->guest;
	g_autofree char *folder = g_build_filename(report->run_folder, result->folder, NULL);
	g_autoptr(GError) error = NULL;

	guest->accel = g_strdup(result->accel);
	guest->verdict = g_strdup(verdict_name(result_verdict(result)));
	guest->root = g_strdup(root);
	guest->folder = g_canonicalize_filename(folder, NULL);
	guest->started = g_strdup(result->started);
	say_verdict(report);
	if (keeper_connect(keeper, socket, &error))
		return;
	fprintf(stderr, "topolab: %s\n", error->message);
	keeper_end();
}

static bool keeper_claim(struct keeper *keeper, GError **error)
{
	struct guest *guest = g_new0(struct guest, 1);

	keeper->guest = guest;
	guest->topology = g_strdup(keeper->name);
	guest->kernel = g_strdup(keeper->options.kernels[0]);
	guest->pid = getpid();
	keeper->claim = guests_claim(keeper->name, error);
	return keeper->claim >= 0 && guests_write(keeper->claim, guest, error);
}

static int keeper_run(struct keeper *keeper, GError **error)
{
	g_autoptr(GBytes) busybox = NULL;
	struct initramfs_file files[] = {
		{.path = FRAME_SERVE_FILE, .mode = S_IFREG | 0444},
		{.path = "tmp", .mode = S_IFDIR | 01777},
		{.path = "bin", .mode = S_IFDIR | 0755},
		{.path = "bin/busybox", .mode = S_IFREG | 0755},
	};
	struct run_stay stay = {
		.files = files,
		.n_files = G_N_ELEMENTS(files),
		.errors = "/dev/null",
		.up = keeper_up,
		.data = keeper,
	};

	if (!keeper_claim(keeper, error))
		return 3;
	busybox = busybox_find(&keeper->shell_lack, error);
	if (!busybox && !keeper->shell_lack)
		return 3;
	if (busybox)
		files[G_N_ELEMENTS(files) - 1].bytes = busybox;
	else
		stay.n_files--;
	keeper->options.stay = &stay;
	return run_all(&keeper->options, error);
}

struct start {
	const struct run_options *options;
	const char *name;
};

/* The keeper's whole life, in a process of its own. */
static int keeper_main(int status_fd, void *data)
{
	const struct start *start = data;
	struct keeper keeper = {
		.options = *start->options,
		.name = start->name,
		.claim = -1,
		.status_fd = status_fd,
	};
	g_autoptr(GError) error = NULL;
	int status;
	char byte;

	signal(SIGPIPE, SIG_IGN);
	keeper.starter_source = g_unix_fd_add(status_fd, G_IO_ERR, starter_gone, NULL);
	status = keeper_run(&keeper, &error);
	switchboard_free(keeper.switchboard, "the guest has ended");
	if (error) {
		fprintf(stderr, "topolab: %s\n", error->message);
		status = error_exit_status(error);
	}
	if (keeper.claim >= 0)
		guests_release(keeper.claim, keeper.name);
	guest_free(keeper.guest);
	g_free(keeper.shell_lack);
	fflush(NULL);
	/* Up and down again before anybody knew: not what was asked for. */
	byte = (char)(status ? status : 3);
	if (keeper.status_fd >= 0 && write(keeper.status_fd, &byte, 1) != 1)
		g_debug("nobody waits for the guest");
	return status;
}

/* What the keeper says, or 3 when it ends without a word. */
static int starter_wait(int fd)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction action = {.sa_handler = starter_signalled};
	char status;
	ssize_t got;

	for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
		sigaction(numbers[i], &action, NULL);
	do
		got = read(fd, &status, 1);
	while (got < 0 && errno == EINTR);
	return got == 1 ? status : 3;
}

int keeper_start(const struct run_options *options, const char *name, GError **error)
{
	struct start start = {.options = options, .name = name};
	int fd, status;
	pid_t pid = spawn_session(keeper_main, &start, &fd, error);

	if (pid < 0)
		return 3;
	starter_child = pid;
	status = starter_wait(fd);
	close(fd);
	/* A keeper that never came so far is gone in a moment. */
	if (status)
		waitpid(pid, NULL, 0);
	return status;
}
